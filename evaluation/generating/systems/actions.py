"""ALCE's systems of actions: the model does one thing at a time and is asked again, until it ends.

Gao et al. (2023), https://arxiv.org/abs/2305.14627, on synthesis:

- *INTERACT* shows passages as SUMM or SNIPPET do; then `Check: Document [1][2]`, `Output: …` and
  `End`. At most three full texts at a time; a statement follows a check, and the texts leave the
  context after it.
- *INLINESEARCH* shows no passages at first; `Search: query` shows the best one of the question's
  top 100, which leaves the context after one action; `Output: …` and `End`. Passages are numbered
  as they were first seen.

An action that cannot be read or carried out is told to the model with what was wrong. Three of them
in a row end the talk with what was written until then. So do the limit of actions, a talk longer
than the model reads, and a model that declines to go on.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from annotate.text import find_marks
from annotate.text.search_result import Found
from evaluation.generating.systems.alce import shorten
from evaluation.generating.systems.options import LIST, PROSE, Options
from evaluation.generating.systems.room import TOO_LONG, FittedPassage, Room
from evaluation.generating.systems.spec import ALCE, SHORT, How, SystemSpec, among
from evaluation.generating.systems.talks import (
    Ask,
    Part,
    Subject,
    Talk,
    UnansweredError,
    Written,
    ask,
)
from evaluation.generating.systems.wording import BETWEEN, demonstrated, document, documents
from evaluation.language_models.asking.prompts import Prompt

MOST_MISREAD = 3
LINE = ("\n",)
BOLD = " \t*`"

OUTPUT, END = "output", "end"


class ActionFault(StrEnum):
    """What is wrong with an action, as the model is told it: words of the prompts, too."""

    NO_ACTION = "Expected one action in one line."
    NO_SENTENCE = "An Output is a sentence."
    NO_ANSWER = "An Output is an answer, or several."
    NO_NUMBERS = "Check names documents by their numbers, as [1][2]."
    UNCHECKED = "An Output follows a Check."
    NO_QUERY = "A Search has a query."
    NOT_OF_INTERACT = "There are the actions Check, Output and End."
    NOT_OF_INLINESEARCH = "There are the actions Search, Output and End."


NEEDED = {PROSE: ActionFault.NO_SENTENCE, LIST: ActionFault.NO_ANSWER}
"""What is wrong with an empty one."""

BESIDE = " \t.,;"
"""What stands around an answer of a list."""


class MisreadError(ValueError):
    """An action that cannot be read or carried out."""

    def __init__(self, fault: ActionFault) -> None:
        super().__init__(fault)


@dataclass(slots=True)
class Course:
    """How far a talk of actions has come."""

    lines: list[str] = field(default_factory=list)
    """The actions that were carried out, as they were written."""

    outputs: list[str] = field(default_factory=list)
    opened: tuple[tuple[int, FittedPassage], ...] = ()
    """Passages whose texts stand in the prompt for one action."""

    fault: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    ended: str = ""

    @property
    def noted(self) -> dict[str, object]:
        """What is kept of it with the response."""
        return {"actions": self.lines, "counts": dict(self.counts), "ended": self.ended}


def joined(outputs: Sequence[str], form: str) -> str:
    """The whole answer that actions wrote."""
    if form != LIST:
        return " ".join(outputs)
    answers = [one for one in (output.strip(BESIDE) for output in outputs) if one]
    return f"{', '.join(answers)}." if answers else ""


Act = Callable[[str, str], None]
"""Carries an action out, by its name and what follows it; a `MisreadError` says what is wrong."""


def act(
    how: How, course: Course, prompt: Callable[[Sequence[FittedPassage]], Prompt], do: Act
) -> Part:
    """Ask for actions until the model ends, or a limit does. `prompt` is made anew for each, with
    the passages that are open; those that the model cannot read are left out. What was written
    stays where the talk grows too long, or the model declines to go on."""
    try:
        yield from _acts(how, course, prompt, do)
    except UnansweredError as why:
        if not course.outputs:
            raise
        course.ended = "length" if str(why) == TOO_LONG else str(why)


def _acts(
    how: How, course: Course, prompt: Callable[[Sequence[FittedPassage]], Prompt], do: Act
) -> Part:
    misread = 0
    for _ in range(how.options.steps):
        fitted = how.room.fit(prompt, [one for _, one in course.opened])
        for name in fitted.noted:
            course.counts[name] += 1
        said = yield from ask(Ask(fitted.prompt, LINE))
        try:
            name, rest = read(said)
            if name == END:
                course.ended = END
                return None
            do(name, rest)
        except MisreadError as fault:
            course.fault = str(fault)
            course.counts["misread"] += 1
            misread += 1
            if misread == MOST_MISREAD:
                course.ended = "misread"
                return None
        else:
            course.fault, misread = "", 0
            course.lines.append(f"{name.capitalize()}: {rest}")
            course.counts[name] += 1
    course.ended = "steps"
    return None


def read(said: str) -> tuple[str, str]:
    """The action that stands in the first line of what was said, in small letters, and the rest."""
    line = next((line.strip() for line in said.splitlines() if line.strip()), "")
    name, colon, rest = line.partition(":")
    word = name.strip(BOLD).lower()
    if word.rstrip(".*") == END:
        return END, ""
    if not line or not colon:
        raise MisreadError(ActionFault.NO_ACTION)
    return word, rest.strip(BOLD)


def numbers(text: str) -> list[int]:
    """The numbers in brackets, each once."""
    return list(dict.fromkeys(number for mark in find_marks(text) for number in mark.numbers))


def so_far(course: Course, opened: Sequence[FittedPassage]) -> str:
    """The actions until now, the texts that are open, and what was wrong with the last one."""
    known = [number for number, _ in course.opened]
    texts = [document(number, one) for number, one in zip(known, opened, strict=False)]
    fault = (
        [f"(That was no action that can be carried out. {course.fault})"] if course.fault else []
    )
    return "\n".join([*course.lines, *texts, *fault])


MOST_CHECKED = 3
CHECK = "check"
NOTHING_SHOWN = "nothing shown"
"""How it ends where the model calls all passages irrelevant: there is nothing to check."""

CHECK_TASK = (
    "Answer the question step by step from the documents that are given with it, of which you see "
    "short forms. Write one action at a time, in one line, and nothing else:\n"
    "Check: Document [1][2] shows you the full text of up to three documents, for your next action "
    "alone.\n"
    "Output: One sentence of the answer [1][2]. It follows a check, uses nothing but the "
    "documents, and cites at least one and at most three of them, the smallest set that suffices.\n"
    "End is written when the answer is complete, accurate and concise."
)
CHECK_LIST_TASK = (
    "List the answers to the question step by step from the documents that are given with it, of "
    "which you see short forms. Write one action at a time, in one line, and nothing else:\n"
    "Check: Document [1][2] shows you the full text of up to three documents, for your next action "
    "alone.\n"
    "Output: One answer [1], another one [2]. It follows a check, uses nothing but the documents, "
    "and has answers instead of sentences, separated by commas, each with the one document that "
    "supports it.\n"
    "End is written when all answers are listed; of more than five at least five."
)


def interact(subject: Subject, how: How) -> Talk:
    """Statements, each after a look at full texts."""
    way = how.options.shorten
    shown, noted = yield from shorten(subject, how, how.options.ndoc, way)
    course = Course()
    if not shown:
        course.ended = NOTHING_SHOWN
        return Written("", (), {**noted, **course.noted})
    shown = _fitting(subject, how, shown, course)

    def prompt(opened: Sequence[FittedPassage]) -> Prompt:
        return _check_prompt(subject, how, shown, course, opened)

    def do(name: str, rest: str) -> None:
        if name == CHECK:
            known = [number for number in numbers(rest) if 0 < number <= len(shown)]
            if not known:
                raise MisreadError(ActionFault.NO_NUMBERS)
            full = [(number, shown[number - 1].found) for number in known[:MOST_CHECKED]]
            course.opened = tuple((number, FittedPassage(one, one.text)) for number, one in full)
        elif name == OUTPUT:
            if not course.opened:
                raise MisreadError(ActionFault.UNCHECKED)
            if not rest:
                raise MisreadError(NEEDED[how.options.form])
            course.outputs.append(rest)
            course.opened = ()
        else:
            raise MisreadError(ActionFault.NOT_OF_INTERACT)

    yield from act(how, course, prompt, do)
    passages = tuple(one.found for one in shown)
    output = joined(course.outputs, how.options.form)
    return Written(output, passages, {**noted, **course.noted})


def _fitting(
    subject: Subject, how: How, shown: Sequence[FittedPassage], course: Course
) -> list[FittedPassage]:
    """As many short forms as leave half of the room for full texts."""
    half = Room(how.room.tokens // 2, how.room.count)
    fitted = half.fit(lambda some: _check_prompt(subject, how, some, Course(), ()), shown)
    for name in fitted.noted:
        course.counts[name] += 1
    return list(fitted.shown)


def _check_prompt(
    subject: Subject,
    how: How,
    shown: Sequence[FittedPassage],
    course: Course,
    opened: Sequence[FittedPassage],
) -> Prompt:
    before = [
        _checking(one.question, demonstrated(one, how.options.shorten), "\n".join(one.interact))
        for one in how.demonstrations
    ]
    own = _checking(subject.question.text, shown, so_far(course, opened))
    task = CHECK_LIST_TASK if how.options.form == LIST else CHECK_TASK
    return Prompt(task, BETWEEN.join([*before, own]))


def _checking(question: str, shown: Sequence[FittedPassage], actions: str) -> str:
    return "\n\n".join(filter(None, [f"Question: {question}", documents(shown), actions]))


INTERACT = SystemSpec(
    key="interact",
    title="INTERACT",
    paper=ALCE,
    about="sees short passages and asks for the full text of some before each statement",
    talk=interact,
    takes=("shots", "ndoc", "shorten", "form", "steps"),
    usual=Options(ndoc=10, shorten="summ"),
    acts=True,
    of_context=SHORT,
)


SEARCH = "search"

SEARCH_TASK = (
    "Answer the question step by step. You can search documents. Write one action at a time, in "
    "one line, and nothing else:\n"
    "Search: a query shows you the best document for it, with its number, for your next action "
    "alone.\n"
    "Output: One sentence of the answer [1][2]. It uses nothing but documents that were shown, and "
    "cites at least one and at most three of them by their numbers.\n"
    "End is written when the answer is complete, accurate and concise."
)
SEARCH_LIST_TASK = (
    "List the answers to the question step by step. You can search documents. Write one action at "
    "a time, in one line, and nothing else:\n"
    "Search: a query shows you the best document for it, with its number, for your next action "
    "alone.\n"
    "Output: One answer [1], another one [2]. It uses nothing but documents that were shown, and "
    "has answers instead of sentences, separated by commas, each with the number of the one "
    "document that supports it.\n"
    "End is written when all answers are listed; of more than five at least five."
)


def inlinesearch(subject: Subject, how: How) -> Talk:
    """Statements and searches in turn."""
    course, task = Course(), SEARCH_LIST_TASK if how.options.form == LIST else SEARCH_TASK
    seen: list[Found] = []

    def prompt(opened: Sequence[FittedPassage]) -> Prompt:
        blocks = [
            _searching(one.question, "\n".join(one.inlinesearch)) for one in how.demonstrations
        ]
        own = _searching(subject.question.text, so_far(course, opened))
        return Prompt(task, BETWEEN.join([*blocks, own]))

    def do(name: str, rest: str) -> None:
        if name == SEARCH:
            if not rest:
                raise MisreadError(ActionFault.NO_QUERY)
            best = among(subject.found, rest)[0]
            if best not in seen:
                seen.append(best)
            course.opened = ((seen.index(best) + 1, FittedPassage(best, best.text)),)
        elif name == OUTPUT:
            if not rest:
                raise MisreadError(NEEDED[how.options.form])
            course.outputs.append(rest)
            course.opened = ()
        else:
            raise MisreadError(ActionFault.NOT_OF_INLINESEARCH)

    yield from act(how, course, prompt, do)
    return Written(joined(course.outputs, how.options.form), tuple(seen), course.noted)


def _searching(question: str, actions: str) -> str:
    return f"Question: {question}\n\n{actions}".rstrip()


INLINESEARCH = SystemSpec(
    key="inlinesearch",
    title="INLINESEARCH",
    paper=ALCE,
    about="searches among the question's passages while it writes",
    talk=inlinesearch,
    takes=("shots", "form", "steps"),
    acts=True,
)

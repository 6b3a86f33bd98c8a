"""ALCE's systems of actions: the model writes one action at a time until it ends.

Gao et al. (2023), https://arxiv.org/abs/2305.14627, on synthesis:

- *INTERACT* shows passages as SUMM or SNIPPET do; then `Check: Document [1][2]`, `Output: …` and
  `End`. At most three full texts at a time; a statement follows a check, and the texts leave the
  context after it.
- *INLINESEARCH* shows no passages at first; `Search: query` shows the best one of the question's
  top 100, which leaves the context after one action; `Output: …` and `End`. Passages are numbered
  in the order in which they were shown.

The next prompt says what is wrong with an action that cannot be read or carried out. Three of them
in a row end the conversation and keep the text written so far. So do the limit of actions, a
conversation longer than the model reads, and a model that declines to continue.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from annotate.text import find_marks
from annotate.text.search_result import Found
from evaluation.generating.systems.alce import shorten
from evaluation.generating.systems.context_window import TOO_LONG, ContextWindow, FittedPassage
from evaluation.generating.systems.conversations import (
    Ask,
    Conversation,
    Exchange,
    Subject,
    UnansweredError,
    WrittenAnswer,
    ask,
)
from evaluation.generating.systems.options import LIST, PROSE, Options
from evaluation.generating.systems.spec import ALCE, SHORT, Inputs, SystemSpec, rank_passages
from evaluation.generating.systems.wording import BETWEEN, demonstrated, document, documents
from evaluation.language_models.asking.prompts import Prompt

MOST_MISREAD = 3
LINE = ("\n",)
BOLD = " \t*`"

OUTPUT, END = "output", "end"


class ActionFault(StrEnum):
    """What is wrong with an action, in words for the model, which belong to the prompts."""

    NO_ACTION = "Expected one action in one line."
    NO_SENTENCE = "An Output is a sentence."
    NO_ANSWER = "An Output is an answer, or several."
    NO_NUMBERS = "Check names documents by their numbers, as [1][2]."
    UNCHECKED = "An Output follows a Check."
    NO_QUERY = "A Search has a query."
    NOT_OF_INTERACT = "There are the actions Check, Output and End."
    NOT_OF_INLINESEARCH = "There are the actions Search, Output and End."


EMPTY_OUTPUT = {PROSE: ActionFault.NO_SENTENCE, LIST: ActionFault.NO_ANSWER}
"""The fault of an empty output, by form."""

AROUND_ANSWER = " \t.,;"
"""Characters to strip from an answer of a list."""


class MisreadError(ValueError):
    """An action that cannot be read or carried out."""

    def __init__(self, fault: ActionFault) -> None:
        super().__init__(fault)


@dataclass(slots=True)
class ActionHistory:
    """The actions of a conversation so far."""

    lines: list[str] = field(default_factory=list)
    """The actions that were carried out, as the model wrote them."""

    outputs: list[str] = field(default_factory=list)
    opened: tuple[tuple[int, FittedPassage], ...] = ()
    """Passages whose texts are in the prompt for one action."""

    fault: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    ended: str = ""

    @property
    def notes(self) -> dict[str, object]:
        """What is stored of it with the response."""
        return {"actions": self.lines, "counts": dict(self.counts), "ended": self.ended}


def joined_outputs(outputs: Sequence[str], form: str) -> str:
    """Return the whole answer of the output actions."""
    if form != LIST:
        return " ".join(outputs)
    answers = [one for one in (output.strip(AROUND_ANSWER) for output in outputs) if one]
    return f"{', '.join(answers)}." if answers else ""


Act = Callable[[str, str], None]
"""Carry out an action by its name and the text after it; a `MisreadError` names the fault."""


def run_actions(
    inputs: Inputs,
    history: ActionHistory,
    prompt: Callable[[Sequence[FittedPassage]], Prompt],
    do: Act,
) -> Exchange:
    """Ask for actions until the model ends, or a limit does.

    `prompt` is called for each action with the open passages that the model can read. The text
    written so far stays if the conversation grows too long or the model declines to continue.
    """
    try:
        yield from _actions(inputs, history, prompt, do)
    except UnansweredError as why:
        if not history.outputs:
            raise
        history.ended = "length" if str(why) == TOO_LONG else str(why)


def _actions(
    inputs: Inputs,
    history: ActionHistory,
    prompt: Callable[[Sequence[FittedPassage]], Prompt],
    do: Act,
) -> Exchange:
    misread = 0
    for _ in range(inputs.options.steps):
        fitted = inputs.window.fit(prompt, [one for _, one in history.opened])
        for name in fitted.notes:
            history.counts[name] += 1
        said = yield from ask(Ask(fitted.prompt, LINE))
        try:
            name, rest = read(said)
            if name == END:
                history.ended = END
                return None
            do(name, rest)
        except MisreadError as fault:
            history.fault = str(fault)
            history.counts["misread"] += 1
            misread += 1
            if misread == MOST_MISREAD:
                history.ended = "misread"
                return None
        else:
            history.fault, misread = "", 0
            history.lines.append(f"{name.capitalize()}: {rest}")
            history.counts[name] += 1
    history.ended = "steps"
    return None


def read(said: str) -> tuple[str, str]:
    """Return the action in the first line of a reply, in small letters, and the text after it."""
    line = next((line.strip() for line in said.splitlines() if line.strip()), "")
    name, colon, rest = line.partition(":")
    word = name.strip(BOLD).lower()
    if word.rstrip(".*") == END:
        return END, ""
    if not line or not colon:
        raise MisreadError(ActionFault.NO_ACTION)
    return word, rest.strip(BOLD)


def numbers(text: str) -> list[int]:
    """Return the distinct numbers in brackets."""
    return list(dict.fromkeys(number for mark in find_marks(text) for number in mark.numbers))


def transcript(history: ActionHistory, opened: Sequence[FittedPassage]) -> str:
    """Return the actions so far, the open texts, and the fault of the last action."""
    known = [number for number, _ in history.opened]
    texts = [document(number, one) for number, one in zip(known, opened, strict=False)]
    fault = (
        [f"(That was no action that can be carried out. {history.fault})"] if history.fault else []
    )
    return "\n".join([*history.lines, *texts, *fault])


MOST_CHECKED = 3
CHECK = "check"
NOTHING_SHOWN = "nothing shown"
"""How it ends if the model calls all passages irrelevant: there is nothing to check."""

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


def interact(subject: Subject, inputs: Inputs) -> Conversation:
    """Write statements, each after a look at full texts."""
    way = inputs.options.shorten
    shown, notes = yield from shorten(subject, inputs, inputs.options.ndoc, way)
    history = ActionHistory()
    if not shown:
        history.ended = NOTHING_SHOWN
        return WrittenAnswer("", (), {**notes, **history.notes})
    shown = _fitting(subject, inputs, shown, history)

    def prompt(opened: Sequence[FittedPassage]) -> Prompt:
        return _check_prompt(subject, inputs, shown, history, opened)

    def do(name: str, rest: str) -> None:
        if name == CHECK:
            known = [number for number in numbers(rest) if 0 < number <= len(shown)]
            if not known:
                raise MisreadError(ActionFault.NO_NUMBERS)
            full = [(number, shown[number - 1].found) for number in known[:MOST_CHECKED]]
            history.opened = tuple((number, FittedPassage(one, one.text)) for number, one in full)
        elif name == OUTPUT:
            if not history.opened:
                raise MisreadError(ActionFault.UNCHECKED)
            if not rest:
                raise MisreadError(EMPTY_OUTPUT[inputs.options.form])
            history.outputs.append(rest)
            history.opened = ()
        else:
            raise MisreadError(ActionFault.NOT_OF_INTERACT)

    yield from run_actions(inputs, history, prompt, do)
    passages = tuple(one.found for one in shown)
    output = joined_outputs(history.outputs, inputs.options.form)
    return WrittenAnswer(output, passages, {**notes, **history.notes})


def _fitting(
    subject: Subject, inputs: Inputs, shown: Sequence[FittedPassage], history: ActionHistory
) -> list[FittedPassage]:
    """Return as many short forms as leave half of the context for full texts."""
    half = ContextWindow(inputs.window.tokens // 2, inputs.window.count)
    fitted = half.fit(lambda some: _check_prompt(subject, inputs, some, ActionHistory(), ()), shown)
    for name in fitted.notes:
        history.counts[name] += 1
    return list(fitted.shown)


def _check_prompt(
    subject: Subject,
    inputs: Inputs,
    shown: Sequence[FittedPassage],
    history: ActionHistory,
    opened: Sequence[FittedPassage],
) -> Prompt:
    before = [
        _checking(one.question, demonstrated(one, inputs.options.shorten), "\n".join(one.interact))
        for one in inputs.demonstrations
    ]
    own = _checking(subject.question.text, shown, transcript(history, opened))
    task = CHECK_LIST_TASK if inputs.options.form == LIST else CHECK_TASK
    return Prompt(task, BETWEEN.join([*before, own]))


def _checking(question: str, shown: Sequence[FittedPassage], actions: str) -> str:
    return "\n\n".join(filter(None, [f"Question: {question}", documents(shown), actions]))


INTERACT = SystemSpec(
    key="interact",
    title="INTERACT",
    paper=ALCE,
    about="sees short passages and asks for the full text of some before each statement",
    conversation=interact,
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


def inlinesearch(subject: Subject, inputs: Inputs) -> Conversation:
    """Write statements and searches in turn."""
    history, task = (
        ActionHistory(),
        SEARCH_LIST_TASK if inputs.options.form == LIST else SEARCH_TASK,
    )
    seen: list[Found] = []

    def prompt(opened: Sequence[FittedPassage]) -> Prompt:
        blocks = [
            _searching(one.question, "\n".join(one.inlinesearch)) for one in inputs.demonstrations
        ]
        own = _searching(subject.question.text, transcript(history, opened))
        return Prompt(task, BETWEEN.join([*blocks, own]))

    def do(name: str, rest: str) -> None:
        if name == SEARCH:
            if not rest:
                raise MisreadError(ActionFault.NO_QUERY)
            best = rank_passages(subject.found, rest)[0]
            if best not in seen:
                seen.append(best)
            history.opened = ((seen.index(best) + 1, FittedPassage(best, best.text)),)
        elif name == OUTPUT:
            if not rest:
                raise MisreadError(EMPTY_OUTPUT[inputs.options.form])
            history.outputs.append(rest)
            history.opened = ()
        else:
            raise MisreadError(ActionFault.NOT_OF_INLINESEARCH)

    yield from run_actions(inputs, history, prompt, do)
    return WrittenAnswer(
        joined_outputs(history.outputs, inputs.options.form), tuple(seen), history.notes
    )


def _searching(question: str, actions: str) -> str:
    return f"Question: {question}\n\n{actions}".rstrip()


INLINESEARCH = SystemSpec(
    key="inlinesearch",
    title="INLINESEARCH",
    paper=ALCE,
    about="searches among the question's passages while it writes",
    conversation=inlinesearch,
    takes=("shots", "form", "steps"),
    acts=True,
)

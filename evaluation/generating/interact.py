"""ALCE's INTERACT: the model sees short passages and asks for the full text of some.

Gao et al. (2023), https://arxiv.org/abs/2305.14627, on synthesis, INTERACT: as SUMM or SNIPPET;
then `Check: Document [1][2]`, `Output: …` and `End`. At most three full texts at a time; a
statement follows a check, and the texts leave the context after it.
"""

from collections.abc import Sequence

from evaluation.asking.prompts import Prompt
from evaluation.generating.actions import (
    NEEDED,
    OUTPUT,
    ActionFault,
    Course,
    MisreadError,
    act,
    joined,
    numbers,
    so_far,
)
from evaluation.generating.how import How
from evaluation.generating.options import LIST, Options
from evaluation.generating.room import FittedPassage, Room
from evaluation.generating.shortening import shorten
from evaluation.generating.spec import ALCE, SHORT, SystemSpec
from evaluation.generating.talks import Subject, Talk, Written
from evaluation.generating.wording import BETWEEN, demonstrated, documents

MOST_CHECKED = 3
CHECK = "check"
NOTHING_SHOWN = "nothing shown"
"""How it ends where the model calls all passages irrelevant: there is nothing to check."""

TASK = (
    "Answer the question step by step from the documents that are given with it, of which you see "
    "short forms. Write one action at a time, in one line, and nothing else:\n"
    "Check: Document [1][2] shows you the full text of up to three documents, for your next action "
    "alone.\n"
    "Output: One sentence of the answer [1][2]. It follows a check, uses nothing but the "
    "documents, and cites at least one and at most three of them, the smallest set that suffices.\n"
    "End is written when the answer is complete, accurate and concise."
)
LIST_TASK = (
    "List the answers to the question step by step from the documents that are given with it, of "
    "which you see short forms. Write one action at a time, in one line, and nothing else:\n"
    "Check: Document [1][2] shows you the full text of up to three documents, for your next action "
    "alone.\n"
    "Output: One answer [1], another one [2]. It follows a check, uses nothing but the documents, "
    "and has answers instead of sentences, separated by commas, each with the one document that "
    "supports it.\n"
    "End is written when all answers are listed; of more than five at least five."
)


def talk(subject: Subject, how: How) -> Talk:
    """Statements, each after a look at full texts."""
    way = how.options.shorten
    shown, noted = yield from shorten(subject, how, how.options.ndoc, way)
    course = Course()
    if not shown:
        course.ended = NOTHING_SHOWN
        return Written("", (), {**noted, **course.noted})
    shown = _fitting(subject, how, shown, course)

    def prompt(opened: Sequence[FittedPassage]) -> Prompt:
        return _prompt(subject, how, shown, course, opened)

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
    fitted = half.fit(lambda some: _prompt(subject, how, some, Course(), ()), shown)
    for name in fitted.noted:
        course.counts[name] += 1
    return list(fitted.shown)


def _prompt(
    subject: Subject,
    how: How,
    shown: Sequence[FittedPassage],
    course: Course,
    opened: Sequence[FittedPassage],
) -> Prompt:
    before = [
        _block(one.question, demonstrated(one, how.options.shorten), "\n".join(one.interact))
        for one in how.demonstrations
    ]
    own = _block(subject.question.text, shown, so_far(course, opened))
    task = LIST_TASK if how.options.form == LIST else TASK
    return Prompt(task, BETWEEN.join([*before, own]))


def _block(question: str, shown: Sequence[FittedPassage], actions: str) -> str:
    return "\n\n".join(filter(None, [f"Question: {question}", documents(shown), actions]))


SPEC = SystemSpec(
    key="interact",
    title="INTERACT",
    paper=ALCE,
    about="sees short passages and asks for the full text of some before each statement",
    talk=talk,
    takes=("shots", "ndoc", "shorten", "form", "steps"),
    usual=Options(ndoc=10, shorten="summ"),
    acts=True,
    of_context=SHORT,
)

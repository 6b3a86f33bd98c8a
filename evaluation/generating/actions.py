"""Talks of actions: the model does one thing at a time and is asked again, until it ends.

An action that cannot be read or carried out is told to the model with what was wrong. Three of them
in a row end the talk with what was written so far, and so do the limit of actions, a talk that has
grown longer than the model reads, and a model that declines to go on.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from annotate.segment import find_marks
from evaluation.asking.prompts import Prompt
from evaluation.generating.how import How
from evaluation.generating.options import LIST, PROSE
from evaluation.generating.room import TOO_LONG, FittedPassage
from evaluation.generating.talks import Ask, Part, UnansweredError, ask
from evaluation.generating.wording import document

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

"""Passages made shorter by the model before they are read: summarised, or reduced to spans.

What is irrelevant to the question, as the model says, is left out. A passage is shortened without
chance, so that every seed, sample and system has the same, and none is paid for twice.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotate.retrieval.quotes import look_for
from evaluation.asking.prompts import Prompt
from evaluation.generating.how import How
from evaluation.generating.room import Fitted, FittedPassage
from evaluation.generating.talks import Ask, Heard, Part, Subject, UnansweredError
from evaluation.generating.wording import document

IRRELEVANT = "irrelevant"
READ_IN_PART = "shortened_from_a_part"
"""What is noted: how many passages were too long for the model, which read their beginnings."""

JOINED = " ... "

SUMMARISE = (
    "You are given a question and a document. Summarise in one or two sentences what the document "
    "says that helps to answer the question, with its names, numbers and dates. Add nothing that "
    f"it does not say. If nothing in it helps, write the one word {IRRELEVANT} instead."
)
EXTRACT = (
    "You are given a question and a document. Copy from the document, word for word, the one to "
    "three passages that help most to answer the question, each on a line of its own, and write "
    f"nothing else. If nothing in it helps, write the one word {IRRELEVANT} instead."
)

_IRRELEVANT = re.compile(
    rf"[\W_]*(?:(?:the|this) (?:document|passage|text) is (?:completely )?)?{IRRELEVANT}"
    r"(?:[\W_]*$|\W*[.:;,!—–-]\W|\s+to the question\b)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


@dataclass(frozen=True, slots=True)
class Shortening:
    """One way of shortening: what is asked, and what is taken from what is said."""

    task: str
    read: Callable[[str, str], str]


def shorten(subject: Subject, how: How, many: int, way: str) -> Part:
    """The first passages as they are shown, and what became of the others. Without a way they are
    shown whole."""
    found = subject.found[:many]
    if not way:
        return [FittedPassage(one, one.text) for one in found], {}
    asked = WAYS[way]
    fitted = [_fitted(subject, how, asked, FittedPassage(one, one.text)) for one in found]
    heard = yield [Ask(one.prompt, drawn=False) for one in fitted]
    _refuse_silence(heard)
    pairs = zip(found, heard, strict=True)
    texts = [(one, asked.read(said.text, one.text)) for one, said in pairs]
    shown = [FittedPassage(one, text) for one, text in texts if text]
    counts = {
        "irrelevant": len(found) - len(shown),
        READ_IN_PART: sum(bool(one.noted) for one in fitted),
    }
    noted = {name: count for name, count in counts.items() if count}
    return shown, {"shown": [one.text for one in shown], **noted}


def _refuse_silence(heard: Sequence[Heard]) -> None:
    """One passage that the model is silent about is left out; where it is about all, it is no
    answer."""
    silent = [one.why for one in heard if one.why]
    if silent and len(silent) == len(heard):
        raise UnansweredError(silent[0])


def _fitted(subject: Subject, how: How, way: Shortening, passage: FittedPassage) -> Fitted:
    def make(shown: Sequence[FittedPassage]) -> Prompt:
        (one,) = shown
        question = f"Question: {subject.question.text}"
        return Prompt(way.task, f"{question}\n\n{document(1, one)}")

    return how.room.fit(make, [passage])


def _summary(said: str, text: str) -> str:
    """The summary in one line; nothing where the passage is irrelevant."""
    line = " ".join(said.split())
    return "" if _is_irrelevant(line) else line


def _spans(said: str, text: str) -> str:
    """Those of the lines that do stand in the passage, as they stand there."""
    if _is_irrelevant(said):
        return ""
    lines = [_BULLET.sub("", line) for line in said.splitlines()]
    places = [look_for(line, text) for line in lines if line.strip()]
    return JOINED.join(text[one.start : one.end] for one in places if one.value != "none")


def _is_irrelevant(said: str) -> bool:
    """Whether that is what was said, in the one word, as the first one, or of the document."""
    return _IRRELEVANT.match(said) is not None


WAYS: Mapping[str, Shortening] = {
    "summ": Shortening(SUMMARISE, _summary),
    "snippet": Shortening(EXTRACT, _spans),
}

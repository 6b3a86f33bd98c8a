"""A talk with a language model about one question: what is asked next hangs on what it said.

A talk is a generator. It yields what is to be asked at the same time, is sent what was said to it,
and returns what was written. Whoever has it made decides when; many talks go on side by side.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.formats.records import QuestionRecord
from annotate.retrieval.found import Found
from evaluation.asking.prompts import Prompt


@dataclass(frozen=True, slots=True)
class Ask:
    """One call: what is said, and what ends the answer. What is not `drawn` is said with no
    chance in it, and so is the same for every seed and sample."""

    prompt: Prompt
    stop: tuple[str, ...] = ()
    drawn: bool = True
    is_whole: Callable[[str], bool] = lambda text: False
    """Whether all that is wanted was said, whatever was cut off behind it."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a model said, or why it said nothing."""

    text: str
    why: str = ""
    is_cut: bool = False
    """Whether the limit of what one call writes ended it."""


@dataclass(frozen=True, slots=True)
class Written:
    """An answer with its passages, numbered from 1 on, and what is worth noting of the way to
    it."""

    output: str
    passages: tuple[Found, ...] = ()
    noted: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Subject:
    """A question and the passages that were found for it, the best first."""

    question: QuestionRecord
    found: tuple[Found, ...] = ()


Talk = Generator[Sequence[Ask], Sequence[Heard], Written]
Part = Generator[Sequence[Ask], Sequence[Heard], Any]

Search = Callable[[str, int], Sequence[Found]]
"""The best passages for a query, wherever passages are searched."""

OfPage = Callable[[str, str], Sequence[Found]]


class UnansweredError(Exception):
    """The model gave no answer, or can be asked none; says why."""


def ask(one: Ask) -> Generator[Sequence[Ask], Sequence[Heard], str]:
    """What is said to one call."""
    (heard,) = yield [one]
    if heard.why:
        raise UnansweredError(heard.why)
    return heard.text.strip()

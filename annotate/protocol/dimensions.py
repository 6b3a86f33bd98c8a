"""What a question that judges answer is: the types, and what makes one whole.

The questions themselves stand in files, `annotate/protocols`, and a study may have its own. The
rater's form and its order, the export's header, the report's heading, what counts as low and as
positive, and a language model's prompt are all made from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from re import compile as pattern
from typing import Literal

Scale = Literal["nominal", "ordinal"]

Sight = Literal["nothing", "cited", "all"]
"""What is seen beside the text when a question is answered: no passage, those that the text cites,
or all passages of the response."""

Asked = Literal["people", "automatic"]

LabelBy = Literal["majority", "median"]
"""How the votes on a unit become one label. Of a tie, and between two middle ones, it is the lower
value. With medians, a system's number is the mean of degrees instead of a share."""

Of = Literal["unit", "parent", "response"]
"""About what the answer was given that another question depends on."""


class UnitKind(StrEnum):
    """What can be judged."""

    RESPONSE = "response"
    STATEMENT = "statement"
    CITATION = "citation"
    CLAIM = "claim"
    CLAIM_CITATION = "claim_citation"


OF_CLAIMS = (UnitKind.CLAIM, UnitKind.CLAIM_CITATION)

PARENTS = {
    UnitKind.STATEMENT: UnitKind.RESPONSE,
    UnitKind.CITATION: UnitKind.STATEMENT,
    UnitKind.CLAIM: UnitKind.STATEMENT,
    UnitKind.CLAIM_CITATION: UnitKind.CLAIM,
}
"""What each kind of unit is a part of."""

IS_WRITTEN = "yes"
"""The answer to a question that writes claims with which one is written; else there is none."""

WRITTEN = ".g"
"""Stands in the keys of claims that people write, and of their citations: `s2.g1` is the claim at
the first group of marks of the second statement, `s2.a1` the parser's first."""

KEY = pattern(r"[a-z][a-z0-9_]{0,23}(@[1-9][0-9]?)?\Z")
"""What dimensions are called in files and in the database: `fluency`, and `fluency@2` once it has
other answers than before."""

VALUE = pattern(r"[a-z0-9_]{1,20}\Z")


def is_written(key: str) -> bool:
    """Whether a key is that of a claim that people write, or of its citation."""
    return WRITTEN in key


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer that a judge may give."""

    value: str
    label: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """What must have been answered before: one of `values` to a dimension, about the same unit, the
    one that it is part of, or the response."""

    dimension: str
    values: tuple[str, ...]
    of: Of = "unit"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a dimension or a protocol: the field, what was expected, what is there."""

    field: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.field}: expected {self.expected}; found {self.found}."


@dataclass(frozen=True, slots=True)
class Dimension:
    """One question about one kind of unit."""

    key: str
    unit_kind: UnitKind
    title: str
    question: str
    choices: tuple[Choice, ...]
    """What people may answer, in the order of the published protocols."""

    low_to_high: tuple[str, ...]
    """The values of `choices` from low to high: a tie falls to the lower one, and an ordinal
    statistic takes them as steps."""

    positive: frozenset[str]
    """The values that speak for the response, automatic judges' own ones among them."""

    scale: Scale
    sight: Sight
    asked_of: tuple[Asked, ...]
    automatic_choices: tuple[Choice, ...] = ()
    """Where automatic judges answer otherwise than people."""

    shown_when: tuple[Condition, ...] = ()
    """Asked only where all of these hold."""

    unasked: str = ""
    """What who is not asked, because of an answer before, counts with; empty where with nothing."""

    label_by: LabelBy = "majority"

    comes_last: bool = False
    """Asked after everything else about the response."""

    cited_only: bool = False
    """Not asked about a response that cites no passage."""

    part_of: str = ""
    """The question about the whole text of which this one asks each citation: who gives the highest
    answer here and the lowest there contradicts themselves."""

    writes: bool = False
    """Answered by choosing words; what is asked of claims is then asked of those so written."""

    detected: str = ""
    """What a metric of citations is to detect where the answer is the lowest, such as
    "insufficient citation"; empty where that is not asked of it."""

    told: tuple[str, ...] = ()
    """How a report's headline tells what was detected: the units ("unsupported statements"), what a
    judge calls them ("unsupported"), and what people say instead ("supported")."""

    help: str = ""

    version: int = 1
    """Which wording of it this is. Answers to all versions of one key are counted together."""

    def __post_init__(self) -> None:
        fault = next(self.faults(), None)
        if fault is not None:
            raise ValueError(f"{self.key}: {fault}")

    def faults(self) -> Iterator[Fault]:
        """What is wrong with it by itself."""
        yield from self._faults_of_words()
        given = [choice.value for choice in self.choices]
        every = [*given, *(choice.value for choice in self.automatic_choices)]
        names = ", ".join(given)
        if len(given) < 2:
            yield Fault("choices", "at least two choices", str(len(given)))
        for value in every:
            if not VALUE.match(value):
                yield Fault("choices", "values of at most 20 of a-z, 0-9 and _", f"“{value}”")
            if every.count(value) > 1:
                yield Fault("choices", "each value once", f"“{value}” {every.count(value)} times")
                break
        if sorted(self.low_to_high) != sorted(given):
            found = ", ".join(self.low_to_high) or "nothing"
            yield Fault("low_to_high", f"each of {names} once", found)
        if not self.positive <= {*every} or {*given} <= self.positive:
            found = ", ".join(sorted(self.positive)) or "nothing"
            yield Fault("positive", f"some of {', '.join(every)}, but not all", found)
        if self.unasked and self.unasked not in given:
            yield Fault("unasked", f"one of {names}", f"“{self.unasked}”")
        yield from self._faults_of_place()
        yield from faults_of_told(self)

    def _faults_of_words(self) -> Iterator[Fault]:
        if not KEY.match(self.key):
            yield Fault("key", "a-z, then at most 23 of a-z, 0-9 and _", f"“{self.key}”")
        for name, text in (("title", self.title), ("question", self.question)):
            if not text.strip():
                yield Fault(name, "a text", "nothing")
        if any(not choice.label.strip() for choice in (*self.choices, *self.automatic_choices)):
            yield Fault("choices", "a label for each choice", "a choice without one")
        if not self.asked_of:
            yield Fault("asked_of", "people, automatic or both", "nobody")

    def _faults_of_place(self) -> Iterator[Fault]:
        numbers = [choice.value.isdigit() for choice in self.choices]
        if self.label_by == "median" and not (self.scale == "ordinal" and all(numbers)):
            expected = "majority: a median needs an ordinal scale of whole numbers"
            yield Fault("label", expected, "median")
        if self.label_by != "median" and all(numbers):
            yield Fault("label", "median, or values that are not all numbers", self.label_by)
        for name in ("comes_last", "cited_only"):
            if getattr(self, name) and self.unit_kind is not UnitKind.RESPONSE:
                yield Fault(name, "only with a question about the response", self.unit_kind)
        if self.writes and self.unit_kind is not UnitKind.CLAIM:
            yield Fault("writes", "only with a question about claims", self.unit_kind)
        if self.writes and {*self.low_to_high} != {*NO_TO_YES}:
            expected = "yes, with which a claim is written, and no, where there is none"
            yield Fault("choices", expected, ", ".join(self.low_to_high) or "nothing")
        if self.unasked and [condition.of for condition in self.shown_when] != ["unit"]:
            expected = "only where the question hangs on one answer about the same unit"
            yield Fault("unasked", expected, f"{len(self.shown_when)} conditions")
        for condition in self.shown_when:
            if condition.of != "unit" and self.unit_kind is UnitKind.RESPONSE:
                yield Fault("shown_when", "an answer about the same unit", condition.of)

    @property
    def of_people(self) -> bool:
        """Whether people are asked; else only automatic judges answer."""
        return "people" in self.asked_of

    @property
    def is_likert(self) -> bool:
        """Whether its numbers are means of degrees instead of shares."""
        return self.label_by == "median"

    @property
    def values(self) -> tuple[str, ...]:
        """Every value that a judgment on this dimension may hold, people's first."""
        return tuple(choice.value for choice in (*self.choices, *self.automatic_choices))

    def label(self, value: str) -> str:
        """The words shown for a stored value."""
        for choice in (*self.choices, *self.automatic_choices):
            if choice.value == value:
                return choice.label
        raise KeyError(f"{self.key} has no choice {value!r}")


@dataclass(frozen=True, slots=True)
class Derived:
    """A number that is made of answers: yes or no for each unit and judge, by a formula; or, with
    weights, a number for each unit, by the answer to one question about it."""

    key: str
    unit_kind: UnitKind
    title: str
    question: str
    formula: str = ""
    of: str = ""
    """The question whose answers have weights."""

    weights: tuple[tuple[str, float], ...] = ()
    """What each answer counts, from 0 to 1, from the lowest answer to the highest."""

    uncited: float | None = None
    """What a statement counts that cites nothing there is a passage for, so that nobody was asked
    about it; None where it does not count."""

    of_judges: bool = False
    """Whether it is made of automatic judges' answers, too."""

    decides_early: bool = False
    """Whether it has a value as soon as the answers that are there decide it; else all that the
    formula names must be there."""

    detected: str = ""

    told: tuple[str, ...] = ()

    def faults(self) -> Iterator[Fault]:
        """What is wrong with it by itself."""
        yield from faults_of_told(self)


def faults_of_told(one: Dimension | Derived) -> Iterator[Fault]:
    if one.told and not (one.detected and len(one.told) == 3):
        yield Fault("told", "three texts, beside “detected”", ", ".join(one.told))


IS_NEEDED, IS_NOT_NEEDED = "needed", "not_needed"
"""What automatic judges say of a citation."""

NO_TO_YES = ("no", "yes")

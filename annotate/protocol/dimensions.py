"""The types of dimensions: the questions to judges, and the numbers derived from answers.

The dimensions themselves are in files (`annotate/protocols`) or in a study. The rater's form,
export columns, report headings and prompts for language models are all made from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from re import compile as pattern
from typing import Literal

from annotate.protocol import answers
from annotate.protocol.answers import AnswerFormat, AnswerType

ChoiceScale = Literal["nominal", "ordinal"]
Scale = Literal[ChoiceScale, "interval", "masi", "jaccard", "unitised", "none"]
"""The distance between two answers in the statistics. Sets of choices are compared by MASI or
Jaccard distance, marked words by their places. Texts are not compared."""

SCALES: dict[AnswerType, tuple[Scale, ...]] = {
    "choice": ("nominal", "ordinal"),
    "number": ("interval",),
    "several": ("masi", "jaccard"),
    "text": ("none",),
    "spans": ("unitised",),
}

Sight = Literal["nothing", "cited", "all", "reference"]
"""What the judge sees in addition to the text: nothing, the cited passages, or all passages of the
response. With "reference", the judge sees the reference answer and no response."""

Asked = Literal["people", "automatic"]

LabelBy = Literal["majority", "median", "mean", "any", "none"]
"""How the votes on a unit become one label. `any`: the lowest choice that anyone gave; for several
choices and spans, everything that anyone named. The median of two middle values is the lower one.
With medians, a system's number is a mean of degrees instead of a share."""

LABELS: dict[AnswerType, tuple[LabelBy, ...]] = {
    "choice": ("majority", "median", "any"),
    "number": ("mean", "median"),
    "several": ("majority", "any"),
    "text": ("none",),
    "spans": ("majority", "any"),
}

Ties = Literal["low", "high", "none"]
"""Which of two choices with equally many votes is the label: the lower, the higher, or neither."""

Of = Literal["unit", "parent", "response"]
"""The unit of the answer that a condition depends on."""


class UnitKind(StrEnum):
    RESPONSE = "response"
    STATEMENT = "statement"
    CITATION = "citation"
    CLAIM = "claim"
    CLAIM_CITATION = "claim_citation"
    PAIR = "pair"
    """Two systems' responses to one question, to be compared."""

    REFERENCE_CLAIM = "reference_claim"
    """One claim of a question's reference answer, compared with a response."""


OF_CLAIMS = (UnitKind.CLAIM, UnitKind.CLAIM_CITATION)

PARENTS = {
    UnitKind.STATEMENT: UnitKind.RESPONSE,
    UnitKind.CITATION: UnitKind.STATEMENT,
    UnitKind.CLAIM: UnitKind.STATEMENT,
    UnitKind.CLAIM_CITATION: UnitKind.CLAIM,
    UnitKind.PAIR: UnitKind.RESPONSE,
    UnitKind.REFERENCE_CLAIM: UnitKind.RESPONSE,
}
"""The kind of the unit that each kind is part of."""

MORE_DECIMALS = 2
"""Decimals of a mean of numbers, in addition to those of an answer."""

IS_WRITTEN = "yes"
"""The answer that a claim was written, to a dimension that writes claims."""

OF_WHOLE = (UnitKind.PAIR, UnitKind.REFERENCE_CLAIM)
"""Units of whole responses, created when a batch asks about them."""

WRITTEN = ".g"
"""Part of the keys of claims that people write, and of their citations: `s2.g1` is the claim at the
first group of marks of the second statement. `s2.a1` is the parser's first claim."""

KEY = pattern(r"[a-z][a-z0-9_]{0,23}(@[1-9][0-9]?)?\Z")
"""The keys of dimensions: `fluency`, and `fluency@2` after its answers have changed."""

VALUE = pattern(r"[a-z0-9_]{1,20}\Z")


def is_written(key: str) -> bool:
    """Whether a key belongs to a claim that people write, or to its citation."""
    return WRITTEN in key


KEYS = "123456789bdfinoptvyz"
"""Digits and letters without another function at the desk."""


@dataclass(frozen=True, slots=True)
class Condition:
    """An answer that a question depends on: one of `values`, about the unit named by `of`."""

    dimension: str
    values: tuple[str, ...]
    of: Of = "unit"


OF_ANSWER: dict[AnswerType, str] = {
    "choice": "one choice",
    "number": "a number",
    "several": "several choices",
    "text": "a text",
    "spans": "marked words",
}


@dataclass(frozen=True, slots=True)
class Dimension(AnswerFormat):
    """One question about one kind of unit."""

    key: str
    unit_kind: UnitKind
    title: str
    question: str
    low_to_high: tuple[str, ...]
    """The values of `choices` from low to high, for ties and ordinal statistics."""

    positive: frozenset[str]
    """The values in favour of the response, including those of automatic judges only."""

    scale: Scale
    sight: Sight
    asked_of: tuple[Asked, ...]
    shown_when: tuple[Condition, ...] = field(default=(), hash=False)
    """Conditions that must all hold; otherwise the question is not asked."""

    unasked: str = ""
    """The answer that counts for a judge who was not asked because of a condition; empty: none."""

    label_by: LabelBy = "majority"
    ties: Ties = "low"

    comes_last: bool = False
    """Whether to ask it after everything else about the response."""

    cited_only: bool = False
    """Whether to skip responses that cite no passage."""

    every: bool = False
    """Whether to ask it of every statement, also of one that cites no passage."""

    part_of: str = ""
    """The question about the whole text, if this one is about its single citations. The highest
    answer here contradicts the lowest answer there."""

    writes: bool = False
    """Whether people answer by choosing the words of a claim. They then judge these claims."""

    detected: str = ""
    """What a citation metric should detect if the answer is the lowest, for example "insufficient
    citation"; empty if metrics do not detect this."""

    told: tuple[str, ...] = ()
    """The words of a report's headline: the units ("unsupported statements"), what a judge calls
    them ("unsupported"), and what people say instead ("supported")."""

    help: str = ""

    version: int = 1
    """The number of its wording. Answers to all versions of a key are counted together."""

    @property
    def sees_reference(self) -> bool:
        """Whether judges see the question's reference and no response."""
        return self.sight == "reference"

    @property
    def apart(self) -> str:
        """What it is about, if it needs a batch without other kinds of questions; else empty."""
        if self.unit_kind is UnitKind.PAIR:
            return "two answers"
        return "the reference" if self.sees_reference else ""

    @property
    def of_people(self) -> bool:
        """Whether people answer it, and not only automatic judges."""
        return "people" in self.asked_of

    @property
    def is_about_parts(self) -> bool:
        """Whether it needs a response that is divided into statements and citations."""
        if self.unit_kind in OF_WHOLE:
            return self.sight == "cited"
        return self.unit_kind is not UnitKind.RESPONSE or self.cited_only

    @property
    def choice_scale(self) -> ChoiceScale:
        return "ordinal" if self.scale == "ordinal" else "nominal"

    @property
    def is_likert(self) -> bool:
        """Whether its numbers are means of degrees instead of shares."""
        return self.is_choice and self.label_by == "median"

    @property
    def named(self) -> tuple[str, ...]:
        """The values that conditions and formulas may test for.

        These are choices, the labels and severities of spans, and `NOTHING`.
        """
        if self.is_choice:
            return self.values
        given = tuple(choice.value for choice in (*self.choices, *self.severities))
        return (*given, answers.NOTHING) if given else ()

    def called(self, name: str) -> str:
        """Return the words of a choice, label or severity, or of `NOTHING`."""
        if name == answers.NOTHING:
            return self.in_words(name)
        for choice in (*self.choices, *self.automatic_choices, *self.severities):
            if choice.value == name:
                return choice.label
        raise KeyError(f"{self.key} has no choice {name!r}")

    @property
    def of_labels(self) -> Dimension:
        """The format of its labels: a mean has more decimals, a majority may name fewer choices."""
        if self.is_choice:
            return self
        decimals = min(6, self.decimals + MORE_DECIMALS) if self.answer == "number" else 0
        return replace(self, decimals=decimals, least=0, most=0)

    def is_of_people(self, value: str) -> bool:
        """Whether people can give a stored value as an answer."""
        return bool(value) and (not self.is_choice or value in self.low_to_high)

    def label(self, value: str) -> str:
        """Return the words of a stored value."""
        return self.called(value) if self.is_choice else self.in_words(value)


@dataclass(frozen=True, slots=True)
class Derived:
    """A number derived from answers.

    With a formula: yes or no for each unit and judge. With weights: a number for each unit, by the
    answer to one question about it.
    """

    key: str
    unit_kind: UnitKind
    title: str
    question: str
    formula: str = ""
    of: str = ""
    """The question whose answers have weights."""

    weights: tuple[tuple[str, float], ...] = ()
    """The weight of each answer from 0 to 1, from the lowest answer to the highest. For several
    choices and spans: the weights of choices, labels or severities, which are added up."""

    uncited: float | None = None
    """The number of a statement that cites no passage, which nobody was asked about; None if it
    does not count."""

    of_judges: bool = False
    """Whether it also exists for automatic judges' answers."""

    decides_early: bool = False
    """Whether it has a value as soon as the answers decide it. Otherwise all answers that the
    formula names are needed."""

    detected: str = ""

    told: tuple[str, ...] = ()

    def weight(self, value: str) -> float:
        """Return the weight of an answer."""
        known = dict(self.weights)
        parts = [] if value == answers.NOTHING else value.split("|")
        return sum(known.get(name, 0.0) for part in parts for name in part.split(":")[1:] or [part])


IS_NEEDED, IS_NOT_NEEDED = "needed", "not_needed"
"""Automatic judges' answers about a citation."""

NO_TO_YES = ("no", "yes")

"""What a question that judges answer is: the types, and what makes one whole.

The questions themselves stand in files, `annotate/protocols`, and a study may have its own. The
rater's form and its order, the export's header, the report's heading, what counts as low and as
positive, and a language model's prompt are all made from them.
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
"""What the statistics take answers for: how far two of them are from each other. Sets of choices
are compared by MASI or Jaccard distance, marked words by their places; texts are not compared."""

SCALES: dict[AnswerType, tuple[Scale, ...]] = {
    "choice": ("nominal", "ordinal"),
    "number": ("interval",),
    "several": ("masi", "jaccard"),
    "text": ("none",),
    "spans": ("unitised",),
}

Sight = Literal["nothing", "cited", "all", "reference"]
"""What is seen beside the text when a question is answered: no passage, those that the text cites,
or all passages of the response; or the question's reference answer, and no response at all."""

Asked = Literal["people", "automatic"]

LabelBy = Literal["majority", "median", "mean", "any", "none"]
"""How the votes on a unit become one label. `any`: the lowest choice that anybody gave; of several
choices and of spans, all that anybody named. Between two middle ones the median is the lower value.
With medians, a system's number is the mean of degrees instead of a share."""

LABELS: dict[AnswerType, tuple[LabelBy, ...]] = {
    "choice": ("majority", "median", "any"),
    "number": ("mean", "median"),
    "several": ("majority", "any"),
    "text": ("none",),
    "spans": ("majority", "any"),
}

Ties = Literal["low", "high", "none"]
"""Which of two choices with as many votes is the label: the lower, the higher, or neither, so that
the unit has none."""

Of = Literal["unit", "parent", "response"]
"""About what the answer was given that another question depends on."""


class UnitKind(StrEnum):
    """What can be judged."""

    RESPONSE = "response"
    STATEMENT = "statement"
    CITATION = "citation"
    CLAIM = "claim"
    CLAIM_CITATION = "claim_citation"
    PAIR = "pair"
    """Two systems' responses to one question, to be compared."""

    REFERENCE_CLAIM = "reference_claim"
    """One claim of a question's reference answer, beside a response."""


OF_CLAIMS = (UnitKind.CLAIM, UnitKind.CLAIM_CITATION)

PARENTS = {
    UnitKind.STATEMENT: UnitKind.RESPONSE,
    UnitKind.CITATION: UnitKind.STATEMENT,
    UnitKind.CLAIM: UnitKind.STATEMENT,
    UnitKind.CLAIM_CITATION: UnitKind.CLAIM,
    UnitKind.PAIR: UnitKind.RESPONSE,
    UnitKind.REFERENCE_CLAIM: UnitKind.RESPONSE,
}
"""What each kind of unit is a part of."""

MORE_DECIMALS = 2
"""Of a mean of numbers, beside those of an answer."""

IS_WRITTEN = "yes"
"""The answer to a question that writes claims with which one is written; else there is none."""

OF_WHOLE = (UnitKind.PAIR, UnitKind.REFERENCE_CLAIM)
"""What is made of whole responses when a batch asks about it, and not of their text."""

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


KEYS = "123456789bdfinoptvyz"
"""Digits and letters that do nothing else at the desk."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What must have been answered before: one of `values` to a dimension, about the same unit, the
    one that it is part of, or the response."""

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
    """The values of `choices` from low to high: a tie falls to the lower one, and an ordinal
    statistic takes them as steps."""

    positive: frozenset[str]
    """The values that speak for the response, automatic judges' own ones among them."""

    scale: Scale
    sight: Sight
    asked_of: tuple[Asked, ...]
    shown_when: tuple[Condition, ...] = field(default=(), hash=False)
    """Asked only where all of these hold."""

    unasked: str = ""
    """What who is not asked, because of an answer before, counts with; empty where with nothing."""

    label_by: LabelBy = "majority"
    ties: Ties = "low"

    comes_last: bool = False
    """Asked after everything else about the response."""

    cited_only: bool = False
    """Not asked about a response that cites no passage."""

    every: bool = False
    """Asked of every statement, also of one that cites nothing there is a passage for."""

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

    @property
    def sees_reference(self) -> bool:
        """Whether it is about a question's reference, so that no response is in sight."""
        return self.sight == "reference"

    @property
    def apart(self) -> str:
        """What it is put about, where batches that ask that ask nothing else; else nothing."""
        if self.unit_kind is UnitKind.PAIR:
            return "two answers"
        return "the reference" if self.sees_reference else ""

    @property
    def of_people(self) -> bool:
        """Whether people are asked; else only automatic judges answer."""
        return "people" in self.asked_of

    @property
    def is_about_parts(self) -> bool:
        """Whether it takes a response that is divided: it is about a part or its citations, or
        looks at what is cited beside what is made of whole responses."""
        if self.unit_kind in OF_WHOLE:
            return self.sight == "cited"
        return self.unit_kind is not UnitKind.RESPONSE or self.cited_only

    @property
    def choice_scale(self) -> ChoiceScale:
        """The scale of choices."""
        return "ordinal" if self.scale == "ordinal" else "nominal"

    @property
    def is_likert(self) -> bool:
        """Whether its numbers are means of degrees instead of shares."""
        return self.is_choice and self.label_by == "median"

    @property
    def named(self) -> tuple[str, ...]:
        """What conditions and formulas may ask an answer for: its choices, the labels and
        severities of its spans, and whether there is nothing."""
        if self.is_choice:
            return self.values
        given = tuple(choice.value for choice in (*self.choices, *self.severities))
        return (*given, answers.NOTHING) if given else ()

    def called(self, name: str) -> str:
        """The words of a choice, of a label or severity of spans, or of nothing."""
        if name == answers.NOTHING:
            return self.in_words(name)
        for choice in (*self.choices, *self.automatic_choices, *self.severities):
            if choice.value == name:
                return choice.label
        raise KeyError(f"{self.key} has no choice {name!r}")

    @property
    def of_labels(self) -> Dimension:
        """The question as labels answer it: a mean has more decimals, and what most raters name
        need not be as much as each of them has to."""
        if self.is_choice:
            return self
        decimals = min(6, self.decimals + MORE_DECIMALS) if self.answer == "number" else 0
        return replace(self, decimals=decimals, least=0, most=0)

    def is_of_people(self, value: str) -> bool:
        """Whether a value that is stored is an answer of people: of choices, one of theirs."""
        return bool(value) and (not self.is_choice or value in self.low_to_high)

    def label(self, value: str) -> str:
        """The words shown for a stored value."""
        return self.called(value) if self.is_choice else self.in_words(value)


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
    """What each answer counts, from 0 to 1, from the lowest answer to the highest. Where several
    choices or spans may be named, what each choice, label or severity that is named counts: a unit
    has the sum."""

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

    def weight(self, value: str) -> float:
        """What an answer counts."""
        known = dict(self.weights)
        parts = [] if value == answers.NOTHING else value.split("|")
        return sum(known.get(name, 0.0) for part in parts for name in part.split(":")[1:] or [part])


IS_NEEDED, IS_NOT_NEEDED = "needed", "not_needed"
"""What automatic judges say of a citation."""

NO_TO_YES = ("no", "yes")

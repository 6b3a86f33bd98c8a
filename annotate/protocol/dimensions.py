"""What a question that judges answer is: the types, and what makes one whole.

The questions themselves stand in files, `annotate/protocols`, and a study may have its own. The
rater's form and its order, the export's header, the report's heading, what counts as low and as
positive, and a language model's prompt are all made from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from re import compile as pattern
from typing import Literal

from annotate.protocol import answers
from annotate.protocol.answers import AnswerType, Marks
from annotate.protocol.faults import Fault as Fault
from annotate.protocol.faults import (
    faults_of_keys,
    faults_of_pair,
    faults_of_reference,
    faults_of_told,
)

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
class Choice:
    """One answer that a judge may give."""

    value: str
    label: str
    help: str = ""
    key: str = ""
    """What gives it at the desk, one of `KEYS`; where none is named, one is chosen."""


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

_OF_CHOICES = ("low_to_high", "automatic_choices", "unasked", "part_of", "writes", "detected")
"""What only questions with one choice have."""

_OF_NUMBERS = ("low", "high", "decimals", "anchors")
_ELSEWHERE: dict[AnswerType, tuple[str, ...]] = {
    "number": ("choices", "severities", "least", "most", "positive"),
    "several": (*_OF_NUMBERS, "severities"),
    "text": (*_OF_NUMBERS, "choices", "severities", "least", "positive"),
    "spans": _OF_NUMBERS,
}
"""What each other type of answer cannot have."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """One question about one kind of unit."""

    key: str
    unit_kind: UnitKind
    title: str
    question: str
    choices: tuple[Choice, ...] = field(hash=False)  # to look for it is not to read all of it
    """What people may answer, in the order of the published protocols."""

    low_to_high: tuple[str, ...]
    """The values of `choices` from low to high: a tie falls to the lower one, and an ordinal
    statistic takes them as steps."""

    positive: frozenset[str]
    """The values that speak for the response, automatic judges' own ones among them."""

    scale: Scale
    sight: Sight
    asked_of: tuple[Asked, ...]
    answer: AnswerType = "choice"
    low: float = 0.0
    high: float = 0.0
    """The bounds of a number, which both may be answered."""

    decimals: int = 0
    anchors: tuple[str, ...] = ()
    """What the lowest and the highest number mean."""

    least: int = 0
    most: int = 0
    """How many of several choices, or spans, or characters of a text; 0 where nothing is said."""

    severities: tuple[Choice, ...] = field(default=(), hash=False)
    """How bad marked words are, from low to high."""

    marks: Marks = "text"
    automatic_choices: tuple[Choice, ...] = field(default=(), hash=False)
    """Where automatic judges answer otherwise than people."""

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

    def __post_init__(self) -> None:
        fault = next(self.faults(), None)
        if fault is not None:
            raise ValueError(f"{self.key}: {fault}")

    def faults(self) -> Iterator[Fault]:
        """What is wrong with it by itself."""
        yield from self._faults_of_words()
        yield from self._faults_of_values()
        yield from self._faults_of_answer() if self.answer != "choice" else self._faults_of_order()
        yield from self._faults_of_place()
        if self.marks != "text" and self.answer != "spans":
            yield Fault("marks", "nothing, since no words are marked", self.marks)
        if self.unit_kind is UnitKind.PAIR:
            yield from faults_of_pair(self)
        yield from faults_of_told(self)

    def _faults_of_values(self) -> Iterator[Fault]:
        least = {"choice": 2, "several": 2, "spans": 1}.get(self.answer, 0)
        if len(self.choices) < least:
            words = "at least two choices" if least == 2 else "at least one choice, a label"
            yield Fault("choices", words, str(len(self.choices)))
        every = [one.value for one in (*self.choices, *self.automatic_choices, *self.severities)]
        for value in every:
            if not VALUE.match(value):
                yield Fault("choices", "values of at most 20 of a-z, 0-9 and _", f"“{value}”")
            if every.count(value) > 1:
                yield Fault("choices", "each value once", f"“{value}” {every.count(value)} times")
                break
        yield from faults_of_keys(self, KEYS)
        for name, among in (("scale", SCALES), ("label_by", LABELS)):
            known = among[self.answer]
            if getattr(self, name) not in known:
                expected = f"{' or '.join(known)}, since the answer is {OF_ANSWER[self.answer]}"
                field = "label" if name == "label_by" else name
                yield Fault(field, expected, str(getattr(self, name)))

    def _faults_of_order(self) -> Iterator[Fault]:
        given = [choice.value for choice in self.choices]
        every = [*given, *(choice.value for choice in self.automatic_choices)]
        names = ", ".join(given)
        for name in ("low", "high", "decimals", "anchors", "least", "most", "severities"):
            if getattr(self, name):
                yield Fault(name, "nothing, since the answer is one choice", "something")
        if sorted(self.low_to_high) != sorted(given):
            found = ", ".join(self.low_to_high) or "nothing"
            yield Fault("low_to_high", f"each of {names} once", found)
        if not self.positive <= {*every} or {*given} <= self.positive:
            found = ", ".join(sorted(self.positive)) or "nothing"
            yield Fault("positive", f"some of {', '.join(every)}, but not all", found)
        if self.unasked and self.unasked not in given:
            yield Fault("unasked", f"one of {names}", f"“{self.unasked}”")

    def _faults_of_answer(self) -> Iterator[Fault]:
        """What is wrong with an answer that is not one choice."""
        of = OF_ANSWER[self.answer]
        for name in (*_OF_CHOICES, *_ELSEWHERE[self.answer]):
            if getattr(self, name):
                field = "choices" if name == "choices" else name
                yield Fault(field, f"nothing, since the answer is {of}", "something")
        if not self.positive <= {choice.value for choice in self.choices}:
            names = ", ".join(choice.value for choice in self.choices) or "nothing"
            yield Fault("positive", f"some of {names}", ", ".join(sorted(self.positive)))
        if self.marks == "passages" and self.sight == "nothing":
            yield Fault("sight", "cited or all, since words of passages are marked", "nothing")
        if self.answer == "number" and not (self.low < self.high and 0 <= self.decimals <= 6):
            low, high = answers.shown_number(self.low), answers.shown_number(self.high)
            yield Fault("high", f"a number above {low}", high)
        if self.anchors and len(self.anchors) != 2:
            yield Fault("anchors", "two texts, of the lowest and of the highest number",
                        str(len(self.anchors)))  # fmt: skip
        few = len(self.choices) if self.answer == "several" else answers.MOST_SPANS
        most = answers.MOST_TEXT if self.answer == "text" else few
        if self.most > most or self.least > (self.most or most):
            yield Fault("most", f"at most {most:,}, and at least “least”", str(self.most))

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
        if self.answer != "choice":
            numbers = []
        elif self.label_by == "median" and not (self.scale == "ordinal" and all(numbers)):
            expected = "majority: a median needs an ordinal scale of whole numbers"
            yield Fault("label", expected, "median")
        if self.label_by == "majority" and numbers and all(numbers):
            yield Fault("label", "median, or values that are not all numbers", self.label_by)
        for name in ("comes_last", "cited_only"):
            if getattr(self, name) and self.unit_kind is not UnitKind.RESPONSE:
                yield Fault(name, "only with a dimension of the response", self.unit_kind)
        if self.every and self.unit_kind is not UnitKind.STATEMENT:
            yield Fault("every", "only with a dimension of statements", self.unit_kind)
        elif self.every and self.sight == "cited":
            found = "the cited ones, of which such a statement has none"
            yield Fault("every", "only with no passage or all of them in sight", found)
        if self.sees_reference:
            yield from faults_of_reference(self)
        if self.writes and self.unit_kind is not UnitKind.CLAIM:
            yield Fault("writes", "only with a dimension of claims", self.unit_kind)
        if self.writes and {*self.low_to_high} != {*NO_TO_YES}:
            expected = "yes, with which a claim is written, and no, where there is none"
            yield Fault("choices", expected, ", ".join(self.low_to_high) or "nothing")
        if self.unasked and [condition.of for condition in self.shown_when] != ["unit"]:
            expected = "only where the dimension hangs on one answer about the same unit"
            yield Fault("unasked", expected, f"{len(self.shown_when)} conditions")
        for condition in self.shown_when:
            if condition.of != "unit" and self.unit_kind is UnitKind.RESPONSE:
                yield Fault("shown_when", "an answer about the same unit", condition.of)

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
    def is_choice(self) -> bool:
        """Whether one of its choices is the whole answer."""
        return self.answer == "choice"

    @property
    def choice_scale(self) -> ChoiceScale:
        """The scale of choices."""
        return "ordinal" if self.scale == "ordinal" else "nominal"

    @property
    def is_likert(self) -> bool:
        """Whether its numbers are means of degrees instead of shares."""
        return self.is_choice and self.label_by == "median"

    @property
    def values(self) -> tuple[str, ...]:
        """Every value that a judgment on this dimension may hold, people's first; where the answer
        is several choices or spans, all that a part of it may be, with its severity."""
        given = tuple(choice.value for choice in (*self.choices, *self.automatic_choices))
        if not self.severities:
            return given
        return tuple(f"{one}:{of.value}" for one in given for of in self.severities)

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
            return answers.in_words(self, name)
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

    def read(self, text: str) -> str:
        """The value that a text says; raises `answers.NotAnAnswerError`."""
        return answers.read(self, text)

    def label(self, value: str) -> str:
        """The words shown for a stored value."""
        return self.called(value) if self.is_choice else answers.in_words(self, value)


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

    def faults(self) -> Iterator[Fault]:
        """What is wrong with it by itself."""
        if self.unit_kind is UnitKind.PAIR:
            expected = "a unit of one answer, whose number it is: a report says who won pairs"
            yield Fault("about", expected, self.unit_kind)
        yield from faults_of_told(self)


IS_NEEDED, IS_NOT_NEEDED = "needed", "not_needed"
"""What automatic judges say of a citation."""

NO_TO_YES = ("no", "yes")

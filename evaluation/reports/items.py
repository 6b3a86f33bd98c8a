"""Items of a report: the dimensions that people and judges answer, and items derived from them.

People judge how far a citation supports, automatic judges whether it is needed. Citation precision
is derived from both (see `evaluation/statistics/derived.py`), and only there they are compared.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType

from annotate.protocol.answers import NOTHING, AnswerType, parse_spans
from annotate.protocol.dimensions import (
    NO_TO_YES,
    ChoiceScale,
    Derived,
    Dimension,
    Scale,
    UnitKind,
)
from annotate.protocol.protocol import Protocol
from evaluation.statistics.derived import named_in

ANY = "any"
"""The end of an item's key that says whether anything is marked."""

NO_VALUES = frozenset({"and", "at", "not", "or", "positive"})
"""Choices with these names cannot be in a formula."""


@dataclass(frozen=True, slots=True)
class ReportItem:
    """A dimension or derived item. `values` are from low to high; if the answer is not one choice,
    they are its choices, labels and severities.

    `negative` is the answer that a metric of citations should detect, named `negative_name`.
    """

    key: str
    title: str
    question: str
    unit_kind: UnitKind
    values: tuple[str, ...]
    labels: tuple[str, ...]
    scale: ChoiceScale
    positive: frozenset[str]
    negative: str | None = None
    negative_name: str = ""
    told: tuple[str, ...] = ()
    """The headline's words for the negative: the units, the judge's word, and people's word."""

    derived_from: tuple[str, ...] = ()
    derived: Derived | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    """What each value counts in a system's number, if that is not a share. Such an item has the
    answers of another one, and only that number of its own."""

    is_likert: bool = False
    """Whether its numbers are means of degrees instead of shares."""

    answer: AnswerType = "choice"
    bounds: tuple[float, float] = (0.0, 0.0)
    """The bounds of numeric answers."""

    distance: Scale = "none"
    """The distance of two open answers."""

    is_whether: bool = False
    """Whether it says if an open answer names a choice, or marks anything."""

    of_people: bool = True
    of_judges: bool = False
    """Whether answers of automatic judges are compared with people's."""

    of_metrics: bool = False
    """Whether metrics of citations also answer it like people."""

    @property
    def is_derived(self) -> bool:
        return bool(self.derived_from)

    @property
    def is_choice(self) -> bool:
        return self.answer == "choice"

    @property
    def is_yes_no(self) -> bool:
        return self.is_choice and self.values == NO_TO_YES

    @property
    def is_mean(self) -> bool:
        """Whether a system's number is a mean (of degrees, numbers, counts of spans, or weights of
        named choices) instead of a share of labels."""
        return self.is_likert or self.answer in {"number", "spans"} or self._is_weighed

    @property
    def _is_weighed(self) -> bool:
        return bool(self.weights) and not self.is_choice

    @property
    def ends(self) -> tuple[float, float] | None:
        """Return the ends of a response's number; None if it has no upper end."""
        if self.is_likert:
            return float(self.values[0]), float(self.values[-1])
        if self.answer == "number":
            return self.bounds
        return (0.0, 1.0) if self.is_choice else None

    @property
    def has_number(self) -> bool:
        """Whether systems have a number on it; several choices have one for each choice."""
        return self.is_choice or self.is_mean

    def degree(self, value: str) -> float:
        """Return what one answer counts if the number is a mean."""
        if self._is_weighed and self.derived is not None:
            return self.derived.weight(value)
        return float(len(parse_spans(value))) if self.answer == "spans" else float(value)

    def worth(self, value: str) -> float:
        """Return what a label, or a judge's answer, counts in a system's number."""
        if self.is_mean:
            return self.degree(value)
        return self.weights.get(value, float(value in self.positive))

    def label(self, value: str) -> str:
        """Return the words shown for a value."""
        return self.labels[self.values.index(value)]


def _asked(dimension: Dimension) -> ReportItem:
    values = dimension.low_to_high
    return ReportItem(
        key=dimension.key,
        title=dimension.title,
        question=dimension.question,
        unit_kind=dimension.unit_kind,
        values=values,
        labels=tuple(dimension.label(value) for value in values),
        scale=dimension.choice_scale,
        positive=dimension.positive & {*values},
        negative=values[0] if dimension.detected else None,
        negative_name=dimension.detected,
        told=_told(dimension),
        is_likert=dimension.is_likert,
        of_people=dimension.of_people,
        # Metrics with choices of their own are compared by derived items. A language model always
        # answers like people.
        of_judges=True,
        of_metrics="automatic" in dimension.asked_of and not dimension.automatic_choices,
    )


def _said(dimension: Dimension) -> ReportItem:
    """Return the item of a dimension whose answer is not one choice."""
    names = (*dimension.choices, *dimension.severities)
    return ReportItem(
        key=dimension.key,
        title=dimension.title,
        question=dimension.question,
        unit_kind=dimension.unit_kind,
        values=tuple(one.value for one in names),
        labels=tuple(one.label for one in names),
        scale="nominal",
        positive=frozenset(),
        answer=dimension.answer,
        bounds=(dimension.low, dimension.high),
        distance=dimension.scale,
        of_people=dimension.of_people,
        of_judges=True,
    )


def _named(dimension: Dimension) -> Iterator[ReportItem]:
    """Yield items: for several choices, whether each is named; for spans, whether there is any."""
    if dimension.answer == "several":
        for choice in dimension.choices:
            if choice.value not in NO_VALUES:
                is_named = f"{dimension.key} is {choice.value}"
                yield _whether(dimension, choice.value, choice.label, is_named)
    elif dimension.answer == "spans":
        is_any = f"{dimension.key} is not {NOTHING}"
        yield _whether(dimension, ANY, "anything marked", is_any)


def _whether(dimension: Dimension, value: str, label: str, formula: str) -> ReportItem:
    derived = Derived(
        key=f"{dimension.key}.{value}",
        unit_kind=dimension.unit_kind,
        title=f"{dimension.title}: {label}",
        question=dimension.question,
        formula=formula,
        of_judges=True,
    )
    found = _derived(derived, {dimension.key: dimension})
    return replace(found, of_people=dimension.of_people, is_whether=True)


def _told(one: Dimension | Derived) -> tuple[str, ...]:
    if one.told or not one.detected:
        return one.told
    name = f"“{one.detected}”"
    return f"cases of {name}", name, "something else"


def _derived(derived: Derived, protocol: Mapping[str, Dimension]) -> ReportItem:
    if derived.weights:
        of = protocol[derived.of]
        return replace(
            _asked(of) if of.is_choice else _said(of),
            key=derived.key,
            title=derived.title,
            question=derived.question,
            negative=None,
            negative_name="",
            derived_from=(derived.of,),
            derived=derived,
            weights=dict(derived.weights),
            is_likert=False,
            of_judges=derived.of_judges,
            of_metrics=derived.of_judges,
        )
    return ReportItem(
        key=derived.key,
        title=derived.title,
        question=derived.question,
        unit_kind=derived.unit_kind,
        values=NO_TO_YES,
        labels=("No", "Yes"),
        scale="nominal",
        positive=frozenset({"yes"}),
        negative="no" if derived.detected else None,
        negative_name=derived.detected,
        told=_told(derived),
        derived_from=named_in(derived, protocol),
        derived=derived,
        of_judges=derived.of_judges,
        of_metrics=derived.of_judges,
    )


@lru_cache
def items_of(protocol: Protocol) -> Mapping[str, ReportItem]:
    """Return all items in the report's order: each dimension, then the items derived from it and
    earlier ones."""
    derived = [_derived(each, protocol) for each in protocol.derived.values()]
    found: dict[str, ReportItem] = {}
    for dimension in protocol.values():
        own = _asked(dimension) if dimension.is_choice else _said(dimension)
        found |= {one.key: one for one in (own, *_named(dimension))}
        found |= {one.key: one for one in derived if one.derived_from[-1] == dimension.key}
    return MappingProxyType(found)

"""What people answered that is not one choice: numbers, several choices, texts, marked words."""

from typing import Annotated, Literal, NotRequired, TypedDict

from evaluation.reports.shape.number import Number
from evaluation.reports.shape.rules import Count, ItemKey, Some, Text, rule

MOST_OF_EACH = 30
"""Units of one dimension that are listed since answers differ most."""


class Bin(TypedDict):
    """Numbers from `low` to below `high`; in the last one, `high` itself, too."""

    low: float
    high: float
    count: Count


class Numbers(TypedDict):
    mean: float
    sd: float | None
    low: float
    high: float
    bins: list[Bin]


class Named(TypedDict):
    """How many answers name a choice, or mark anything as such."""

    value: Text
    label: Text
    count: Count


class Kind(TypedDict):
    """Spans of one label and severity."""

    label: Text
    severity: str
    spans: Count
    units: Annotated[Count, rule(description="Of which somebody marked a part so.")]
    characters: Count


class Spans(TypedDict):
    spans: Count
    characters: Count
    units: Annotated[Count, rule(description="Of which somebody marked anything.")]
    kinds: list[Kind]


class Texts(TypedDict):
    """How many characters the texts have; what they say is no part of a report."""

    least: Some
    median: float
    mean: float
    most: Some


class OpenAgreement(TypedDict):
    """One coefficient; of spans also of those with one label."""

    name: Text
    title: Text
    is_main: Annotated[bool, rule(description="Whether it is the one of the dimension's scale.")]
    number: Number


class Said(TypedDict):
    """An answer as it is written and in words, and how many raters gave it."""

    value: Text
    answer: Text
    count: Some


class Apart(TypedDict):
    """A unit whose answers differ."""

    system: Text
    question: Text
    run: str
    unit: Text
    distance: Annotated[float, rule(minimum=0, maximum=1)]
    answers: list[Said]


class OpenRow(TypedDict):
    """One dimension, by what its answers are."""

    item: ItemKey
    answer: Literal["number", "several", "text", "spans"]
    units: Count
    ratings: Count
    raters: Count
    agreement: list[OpenAgreement]
    numbers: NotRequired[Numbers]
    named: NotRequired[list[Named]]
    spans: NotRequired[Spans]
    texts: NotRequired[Texts]
    apart: Annotated[list[Apart], rule(maxItems=MOST_OF_EACH)]

"""Numbers with all that is known of them: see `reports/numbers.py`, which makes them."""

from typing import Annotated, TypedDict

from evaluation.reports.shape.rules import Count, Text, named, rule

VALUE_OR_REASON: dict[str, object] = {
    "if": {"properties": {"value": {"type": "null"}}},
    "then": {"properties": {"reason": {"minLength": 1}}},
    "else": {"properties": {"reason": {"const": ""}}},
}


class UndefinableFigure(TypedDict):
    """A number, or the reason why it is undefined."""

    value: float | None
    reason: str


class KnownNumber(TypedDict):
    """A number with all that is known of it. Shares run from 0 to 1."""

    value: float | None
    reason: Annotated[str, rule(description="Why there is no value; empty where there is one.")]
    n: Annotated[Count, rule(description="How many things it is about.")]
    of: Annotated[Text, rule(description="What these things are.")]
    se: Annotated[float | None, rule(minimum=0, description="Standard error.")]
    low: float | None
    high: Annotated[
        float | None,
        rule(description="Ends of the 95 % interval: percentiles, or as the signature says."),
    ]
    bca_low: float | None
    bca_high: Annotated[float | None, rule(description="Ends of the 95 % BCa interval.")]
    interval_reason: Annotated[str, rule(description="Why there is no interval.")]
    signature: Annotated[str, rule(description="How the number and its error bar were made.")]


BareNumber = Annotated[UndefinableFigure, named("figure", **VALUE_OR_REASON)]
Number = Annotated[KnownNumber, named("number", **VALUE_OR_REASON)]

"""Types of a report's values, with rules in the terms of JSON Schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, TypedDict


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """An annotation of a type. With a name, the schema has it once, under `$defs`."""

    keywords: Mapping[str, object]
    name: str = ""


def rule(**keywords: object) -> Rule:
    """Return a rule for this place only."""
    return Rule(keywords)


def named(name: str, **keywords: object) -> Rule:
    """Return a rule for a kind of value that is used in many places."""
    return Rule(keywords, name)


Text = Annotated[str, rule(minLength=1)]
Count = Annotated[int, rule(minimum=0)]
Some = Annotated[int, rule(minimum=1)]

Share = Annotated[float | None, named("share", minimum=0, maximum=1)]
"""None if it is undefined."""

JudgeId = Annotated[
    str,
    named(
        "judge",
        pattern="^j[1-9][0-9]*$",
        description="The id of an automatic judge in this report.",
    ),
]

ItemKey = Annotated[
    str,
    named(
        "item",
        pattern=r"^[a-z][a-z0-9_]{0,23}(@[1-9][0-9]?)?(\.[a-z0-9_]{1,20})?$",
        description="What is reported about: a dimension put to people, what is derived of two of "
        "them, or whether an answer names one of several choices.",
    ),
]


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
    """A number with its n, interval and signature. Shares are from 0 to 1."""

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

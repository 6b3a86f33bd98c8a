"""How far an automatic judge agrees with people."""

from typing import Annotated, TypedDict

from evaluation.reports.shape.number import Number
from evaluation.reports.shape.rules import Count, ItemKey, JudgeId, Some, Text, rule


class WithRater(TypedDict):
    rater: Text
    kappa: float | None
    reason: str
    units: Count


class Detection(TypedDict):
    """How well the judge finds what people call negative."""

    value: Text
    name: Text
    precision: Number
    recall: Number
    f1: Number


class ConfusionTable(TypedDict):
    """People's answers in rows, the judge's in columns."""

    values: list[Text]
    table: list[list[Count]]


class ReasonCount(TypedDict):
    reason: Text
    count: Some


class WithRaters(TypedDict):
    """One judge and the single raters, on one item."""

    kappa_pooled: Annotated[
        Number,
        rule(description="With all raters, each weighted by the units that both answered."),
    ]
    kappa_with_raters: Annotated[
        Number,
        rule(description="The unweighted mean over raters, where all rated what it answered."),
    ]
    kappa_note: str
    with_each: list[WithRater]


class AgreementRow(WithRaters):
    """One judge on one item."""

    judge: JudgeId
    item: ItemKey
    units: Count
    accuracy: Number
    kappa: Number
    detects: Detection | None
    confusion: ConfusionTable
    not_judged: Annotated[list[ReasonCount], rule(description="The most frequent reason first.")]

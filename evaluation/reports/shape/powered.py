"""People's number of each system with the help of a judge."""

from typing import Annotated, TypedDict

from evaluation.reports.shape.number import BareNumber, Number
from evaluation.reports.shape.rules import Count, ItemKey, JudgeId, Share, Text, rule


class MoreRatings(TypedDict):
    """How many more ratings an interval of this half width needs."""

    half_width: Annotated[float, rule(exclusiveMinimum=0)]
    with_judge: BareNumber
    people_alone: BareNumber


class PoweredRow(TypedDict):
    system: Text
    rated: Count
    others: Count
    people: Number
    powered: Number
    judge: BareNumber
    weight: Share
    effective: BareNumber
    warnings: list[Text]
    more: list[MoreRatings]
    signature: Text


class PoweredEntry(TypedDict):
    """One item with the help of one judge."""

    item: ItemKey
    judge: JudgeId
    rows: list[PoweredRow]

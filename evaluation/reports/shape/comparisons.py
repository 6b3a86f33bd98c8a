"""Systems two by two."""

from typing import Literal, TypedDict

from evaluation.reports.shape.number import Number
from evaluation.reports.shape.rules import Count, JudgeId, Share, Text


class ComparedColumn(TypedDict):
    """The number that systems are compared by."""

    kind: Literal["people", "automatic"]
    judge: JudgeId | None
    key: Text
    title: Text


class ComparedPair(TypedDict):
    one: Text
    other: Text
    questions: Count
    difference: Number
    t: float | None
    t_p: Share
    t_p_holm: Share
    bootstrap_p: Share
    bootstrap_p_holm: Share
    reason: str
    signature: Text


class ColumnComparisons(TypedDict):
    column: ComparedColumn
    pairs: list[ComparedPair]

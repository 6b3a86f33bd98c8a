"""Why people did not judge."""

from typing import Annotated, TypedDict

from evaluation.reports.shape.agreement import ReasonCount
from evaluation.reports.shape.rules import Count, ItemKey, Some, Text, rule


class SkippedRow(TypedDict):
    """One dimension that somebody did not judge."""

    item: ItemKey
    title: Text
    answers: Some
    raters: Some
    reasons: Annotated[
        list[ReasonCount],
        rule(description="Of those that the desk offers, the most frequent first."),
    ]
    own_words: Annotated[
        Count, rule(description="How many reasons raters wrote themselves: a report has none.")
    ]

"""The table of systems."""

from typing import Annotated, NotRequired, TypedDict

from evaluation.reports.shape.number import Number
from evaluation.reports.shape.rules import Count, ItemKey, JudgeId, Text, rule


class AutomaticColumn(TypedDict):
    judge: JudgeId
    key: Annotated[Text, rule(description="An item or a measure.")]
    title: Text


class OverRuns(TypedDict):
    """Mean and standard deviation over the runs of a system."""

    runs: Count
    mean: float | None
    sd: float | None
    reason: str


class Series(TypedDict):
    """Systems that were made alike but for their seeds: their runs taken together."""

    systems: list[Text]
    over_runs: dict[Annotated[str, rule(pattern="^(people|j[1-9][0-9]*)/.")], OverRuns]


class SystemRow(TypedDict):
    system: Text
    title: Annotated[Text, rule(description="How it is shown; no two are shown alike.")]
    uses_autoais: bool
    responses: Count
    runs: list[str]
    people: dict[ItemKey, Number]
    automatic: dict[Annotated[str, rule(pattern="^j[1-9][0-9]*/.")], Number]
    over_runs: dict[Annotated[str, rule(pattern="^(people|j[1-9][0-9]*)/.")], OverRuns]
    fine_grained: Number


class Systems(TypedDict):
    groups: Annotated[
        list[list[Text]],
        rule(
            description="Systems that share questions, directly or by others: nothing is ranked "
            "across two groups."
        ),
    ]
    people: list[ItemKey]
    automatic: list[AutomaticColumn]
    rows: list[SystemRow]
    series: NotRequired[list[Series]]

"""Systems by data sets, or by another key of the questions' metadata; and two slices compared."""

from typing import Annotated, Literal, TypedDict

from evaluation.reports.shape.number import Number
from evaluation.reports.shape.rules import Count, JudgeId, Text, rule


class SliceCount(TypedDict):
    value: Text
    questions: Count


class SlicedRow(TypedDict):
    system: Text
    cells: Annotated[list[Number], rule(description="In the order of the slices.")]
    macro: Annotated[Number, rule(description="The mean of the slices' means.")]
    micro: Annotated[Number, rule(description="The mean over the responses of all slices.")]


class ComparedRow(TypedDict):
    """One slice against another, of one system."""

    system: Text
    one: Number
    other: Number
    difference: Number


class SlicedColumn(TypedDict):
    kind: Literal["people", "automatic"]
    judge: JudgeId | None
    key: Text
    title: Text
    rows: list[SlicedRow]
    compared: list[ComparedRow]


class Compared(TypedDict):
    one: Text
    other: Text
    shared: Annotated[Count, rule(description="Questions that are in both.")]


class Slices(TypedDict):
    split: Annotated[Text, rule(description="The key of the questions' metadata.")]
    values: list[SliceCount]
    without: Annotated[Count, rule(description="Questions of which nothing is known there.")]
    more: Annotated[Count, rule(description="Values that are not shown.")]
    compared: Compared | None
    columns: list[SlicedColumn]

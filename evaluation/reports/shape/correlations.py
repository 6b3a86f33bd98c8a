"""Whether an automatic number orders systems, and answers, as people do."""

from typing import Annotated, TypedDict

from evaluation.reports.shape.number import Number
from evaluation.reports.shape.rules import ItemKey, JudgeId, Share, Some, Text, rule


class Coefficients(TypedDict):
    pearson: Number
    spearman: Number
    kendall: Number


class Point(TypedDict):
    """A system in the scatter."""

    system: Text
    x: Annotated[Number, rule(description="The automatic number.")]
    y: Annotated[Number, rule(description="People's.")]
    outlier: bool


class FittedLine(TypedDict):
    intercept: float | None
    slope: float | None
    reason: str


class Reliability(TypedDict):
    """Of the automatic number and of people's."""

    x: Share
    y: Share


class PearsonOfSystems(TypedDict):
    """Pearson, and what it is worth."""

    pearson: Annotated[Number, rule(description="Its interval is that of the corrected number.")]
    corrected: Annotated[
        Number,
        rule(description="Pearson without what the chance of the questions takes from it."),
    ]
    other_systems: Annotated[
        Number, rule(description="The same, as of all systems that these might be drawn from.")
    ]
    reliability: Annotated[
        Reliability,
        rule(description="Of the systems' differences, the share that is no chance of questions."),
    ]
    warning: str


class SystemCorrelation(PearsonOfSystems):
    """Over systems: each one is a point."""

    id: Text
    group: Annotated[Some, rule(description="Of which group of systems, from 1 on.")]
    people: ItemKey
    judge: JudgeId
    key: Text
    title: Text
    spearman: Number
    kendall: Number
    points: list[Point]
    line: FittedLine
    left_out: list[Text]


class InstanceRow(Coefficients):
    system: Text


class InstanceCorrelation(TypedDict):
    """Over answers: each one is a point."""

    people: ItemKey
    judge: JudgeId
    key: Text
    rows: Annotated[
        list[InstanceRow], rule(description="Each system's responses, and all of them.")
    ]


class Correlations(TypedDict):
    systems: list[SystemCorrelation]
    instances: list[InstanceCorrelation]

"""A judge's scores against people's yes and no."""

from typing import Annotated, TypedDict

from evaluation.reports.shape.number import Number
from evaluation.reports.shape.rules import Count, ItemKey, JudgeId, Share, rule

MOST_POINTS = 200
"""Of a curve."""


class CalibrationBin(TypedDict):
    low: float
    high: float
    n: Count
    score: float | None
    share: Share


class AtThreshold(TypedDict):
    threshold: float
    kappa: float | None
    reason: str


class HeldOutKappa(TypedDict):
    kappa: Number
    lowest: Annotated[float | None, rule(description="Of the thresholds that were chosen.")]
    highest: float | None


class ThresholdRow(TypedDict):
    """One judge on one item."""

    judge: JudgeId
    item: ItemKey
    units: Count
    questions: Annotated[Count, rule(description="That the units are about.")]
    auc: Number
    average_precision: Number
    ece: Number
    brier: Number
    roc: Annotated[
        list[Annotated[list[float | None], rule(minItems=3, maxItems=3)]],
        rule(
            maxItems=MOST_POINTS,
            description="False yes, found yes, threshold; the first point lies above all scores.",
        ),
    ]
    pr: Annotated[
        list[Annotated[list[float], rule(minItems=2, maxItems=2)]],
        rule(maxItems=MOST_POINTS, description="Recall, precision."),
    ]
    calibration: list[CalibrationBin]
    kappas: Annotated[
        list[Annotated[list[float | None], rule(minItems=2, maxItems=2)]],
        rule(description="Threshold, kappa."),
    ]
    fixed: Annotated[AtThreshold, rule(description="The threshold of the judge's signature.")]
    best: Annotated[
        AtThreshold | None, rule(description="Chosen on the same answers: it flatters.")
    ]
    held_out: Annotated[
        HeldOutKappa, rule(description="Of each question, by a threshold chosen on others.")
    ]

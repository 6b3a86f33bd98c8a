"""Which automatic judge the report speaks of first."""

from typing import Annotated, TypedDict

from evaluation.reports.shape.number import Number
from evaluation.reports.shape.rules import Count, ItemKey, JudgeId, rule


class LeadingJudge(TypedDict):
    item: ItemKey
    judge: JudgeId
    primary: Annotated[bool, rule(description="Named before; else chosen on the same answers.")]
    judges: Annotated[Count, rule(description="How many it was chosen of, or stands beside.")]
    other: Annotated[JudgeId | None, rule(description="The best one of the others.")]
    difference: Annotated[
        Number | None,
        rule(
            description="Its kappa less the other's, as in judge_pairs; null if not tested there."
        ),
    ]
    clear: Annotated[bool, rule(description="Whether the difference is no matter of chance.")]

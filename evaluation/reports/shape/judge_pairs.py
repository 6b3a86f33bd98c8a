"""Judges against each other, by people's labels."""

from typing import Annotated, Literal, TypedDict

from evaluation.reports.shape.number import BareNumber, Number
from evaluation.reports.shape.rules import Count, ItemKey, JudgeId, Share, Text, rule

Measured = Literal[
    "kappa",
    "auc",
    "pearson_answers",
    "pearson_systems",
    "pairwise_accuracy",
    "calibrated_accuracy",
    "soft_accuracy",
]
"""The numbers that judges are compared by."""

Test = Literal["bootstrap", "perm-inputs"]


class JudgeStanding(TypedDict):
    """One judge's number, and which others it cannot be told apart from."""

    judge: JudgeId
    number: Number
    group: Annotated[str, rule(description="Letters; judges that share one cannot be told apart.")]
    threshold: Annotated[
        float | None, rule(description="Differences up to this count as ties, where calibrated.")
    ]


class JudgePair(TypedDict):
    one: JudgeId
    other: JudgeId
    difference: Number
    p: Share
    p_holm: Share
    reason: Annotated[str, rule(description="Why there is no p.")]


class JudgesBy(TypedDict):
    """All judges by one number."""

    key: Measured
    test: Annotated[Test, rule(description="Of which p is.")]
    signature: Text
    judges: list[JudgeStanding]
    pairs: list[JudgePair]


class CorrelationTests(TypedDict):
    """Further tests of the difference of two judges' correlations over systems."""

    one: JudgeId
    other: JudgeId
    perm_inputs: BareNumber
    perm_systems: BareNumber
    perm_both: BareNumber
    williams_t: BareNumber
    williams_p: BareNumber


class LeftOutJudge(TypedDict):
    judge: JudgeId
    units: Count


class JudgeComparison(TypedDict):
    """All judges of one item, on what all of them and people judged."""

    item: ItemKey
    units: Count
    responses: Count
    systems: Count
    left_out: Annotated[
        list[LeftOutJudge],
        rule(description="Judges that judged too little of what people did, and how much."),
    ]
    too_many: Annotated[Count, rule(description="Judges, where they are too many to compare.")]
    numbers: list[JudgesBy]
    correlation_tests: list[CorrelationTests]

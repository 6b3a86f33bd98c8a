"""Agreement of automatic judges with people, and comparisons of judges."""

from typing import Annotated, Literal, NotRequired, TypedDict

from evaluation.reports.shape.values import (
    BareNumber,
    Count,
    ItemKey,
    JudgeId,
    Number,
    Share,
    Some,
    Text,
    rule,
)


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


class OneMoreRater(TypedDict):
    """Judge and left-out rater against the other raters of the same units: kappa with their
    majority, Brier score of their votes, alternative annotator test (winning rate by epsilon)."""

    judge: Number
    rater: Number
    difference: Number
    tied: Annotated[Count, rule(description="Ratings where the others are tied.")]
    votes_judge: Number
    votes_rater: Number
    advantage: Number
    winning: dict[str, BareNumber]
    left_out: Annotated[Count, rule(description="Raters with too few units for the test.")]


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
    one_more_rater: OneMoreRater
    kappa_note: str
    with_each: list[WithRater]


class AgreementRow(WithRaters):
    """One judge on one item; `within` and `excess` as of people."""

    judge: JudgeId
    item: ItemKey
    units: Count
    accuracy: Number
    kappa: Number
    kappa_within: NotRequired[Number]
    kappa_excess: NotRequired[Number]
    detects: Detection | None
    confusion: ConfusionTable
    not_judged: Annotated[list[ReasonCount], rule(description="The most frequent reason first.")]


class LeadingJudge(TypedDict):
    item: ItemKey
    judge: JudgeId
    primary: Annotated[bool, rule(description="Named before; else chosen on the same answers.")]
    judges: Annotated[
        Count, rule(description="Number of judges it was chosen from or compared with.")
    ]
    other: Annotated[JudgeId | None, rule(description="The best one of the others.")]
    difference: Annotated[
        Number | None,
        rule(
            description="Its kappa less the other's, as in judge_pairs; null if not tested there."
        ),
    ]
    clear: Annotated[bool, rule(description="Whether the difference is no matter of chance.")]


Measured = Literal[
    "kappa",
    "kappa_within",
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


VariedKey = Literal["choices", "passages", "padded", "system"]


class Tested(TypedDict):
    """A shift, and how likely it is by chance alone."""

    shift: Annotated[Number, rule(description="With less without.")]
    p: Share
    p_holm: Annotated[Share, rule(description="Corrected for all tests of this judge.")]
    reason: Annotated[str, rule(description="Why there is no p.")]


class VariantEffect(Tested):
    """The judge against itself with one thing varied."""

    varied: VariedKey
    units: Count
    changed: Annotated[Number, rule(description="The share of answers that are others.")]


class Repeats(TypedDict):
    """The judge against itself with nothing varied."""

    times: Annotated[int, rule(minimum=2, description="How often the same was asked.")]
    units: Count
    same: Annotated[Number, rule(description="The share of units with one answer every time.")]
    alpha: Number


class NamedSystem(Tested):
    """The shift of a system's answers if the judge sees its name."""

    system: Text
    own: Annotated[bool, rule(description="Whether it is of the judge's family.")]
    units: Count


class OwnFamily(Tested):
    """How much more the judge gives its own family's systems, and other systems, than others do:
    `shift` is the difference of the two."""

    family: Text
    against: Literal["people", "judges"]
    own_units: Count
    other_units: Count
    own: BareNumber
    others: BareNumber


class ModelBiases(TypedDict):
    """One judge on one item."""

    judge: JudgeId
    item: ItemKey
    variants: list[VariantEffect]
    repeats: Repeats | None
    systems: list[NamedSystem]
    own_family: OwnFamily | None
    said: Annotated[list[Text], rule(description="Each finding in a sentence.")]


MOST_POINTS = 200
"""The most points of a curve."""


class CalibrationBin(TypedDict):
    """Units with neighbouring scores, as many as in the other bins."""

    low: float
    high: float
    score: float
    share: Annotated[Number, rule(description="Of people's “yes”.")]


class AtThreshold(TypedDict):
    threshold: float
    kappa: float | None
    reason: str


class HeldOutKappa(TypedDict):
    kappa: Number
    gain: Annotated[Number, rule(description="How much higher kappa is than at the fixed one.")]
    recommended: Annotated[
        float, rule(description="The best threshold if the gain is clear, otherwise the fixed one.")
    ]
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
    ece: Annotated[Number, rule(description="Expected calibration error, as it is seen.")]
    ece_by_chance: Annotated[
        BareNumber, rule(description="What it would be of as many scores that are right.")
    ]
    ece_corrected: Annotated[Number, rule(description="Without what chance adds to it.")]
    brier: Number
    roc: Annotated[
        list[Annotated[list[float | None], rule(minItems=3, maxItems=3)]],
        rule(
            maxItems=MOST_POINTS,
            description="False yes, found yes, threshold; the first point is above all scores.",
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


class KeptAnswers(TypedDict):
    """A judge's answers with the highest confidence."""

    confidence: Annotated[float, rule(minimum=0, description="Which they have at least.")]
    kept: Annotated[float, rule(minimum=0, maximum=1, description="The share of all answers.")]
    agreement: Annotated[Number, rule(description="With people, on the rated ones.")]


class Guarantee(TypedDict):
    """The most answers that a judge may keep with this agreement guaranteed."""

    target: float
    kept: KeptAnswers | None
    abstained: Annotated[Count, rule(description="Answers that are not kept.")]
    unrated: Annotated[Count, rule(description="Those of them without people's answer.")]


class SelectiveRow(TypedDict):
    """One judge that abstains on one item."""

    judge: JudgeId
    item: ItemKey
    units: Annotated[Count, rule(description="With a score and people's answer.")]
    judged: Annotated[Count, rule(description="With a score.")]
    threshold: Annotated[float, rule(description="Confidence is the distance from it.")]
    differs: Annotated[str, rule(description="How rated responses differ from the others.")]
    curve: list[KeptAnswers]
    guarantees: list[Guarantee]


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


class SystemRanking(TypedDict):
    """How alike the judge and people rank some systems."""

    pearson: Annotated[
        Number,
        rule(description="Of these systems over endless questions: without the chance of these."),
    ]
    soft_accuracy: Annotated[
        Number, rule(description="Soft pairwise accuracy: how alike both lead in pairs of systems.")
    ]
    pairwise_accuracy: Annotated[
        Number, rule(description="The share of pairs of systems with the same order.")
    ]
    chance: Annotated[
        Share,
        rule(
            description="The share of all orders that fit people's as well, or as badly where they "
            "go against it."
        ),
    ]
    chance_of_better: Annotated[
        Share, rule(description="The same without the lowest third of the systems by people.")
    ]
    chance_within: Annotated[
        Share,
        rule(
            description="The share of orders that fit people's as well, if only systems on the "
            "same side of the widest gap between people's numbers are exchanged."
        ),
    ]
    warning: str


class SystemCorrelation(SystemRanking):
    """Over systems: each one is a point."""

    id: Text
    group: Annotated[Some, rule(description="Of which group of systems, from 1 on.")]
    people: ItemKey
    judge: JudgeId
    key: Text
    title: Text
    of_means: Annotated[
        Number, rule(description="Pearson of the means as they are, drawn to 0 by chance.")
    ]
    other_systems: Annotated[
        Number, rule(description="Pearson of all systems that these might be drawn from.")
    ]
    reliability: Annotated[
        Reliability,
        rule(description="Of the systems' differences, the share that is no chance of questions."),
    ]
    spearman: Number
    kendall: Number
    outlying: Annotated[
        list[Text], rule(description="Systems far from the others by people's means.")
    ]
    without_outlying: SystemRanking | None
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

"""People's answers, their agreement, and their disagreements with judges."""

from typing import Annotated, Literal, NotRequired, TypedDict

from evaluation.reports.shape.judges import ReasonCount
from evaluation.reports.shape.values import Count, ItemKey, JudgeId, Number, Share, Some, Text, rule


class RaterMatrix(TypedDict):
    """Cohen's kappa of every two raters: rows and columns in the order of their names."""

    raters: list[Text]
    kappas: list[list[float | None]]
    units: list[list[Count]]
    reasons: list[list[str]]
    note: str


class PairsOfRaters(TypedDict):
    kappa_pooled: Annotated[
        Number, rule(description="Over all pairs, each weighted by the units that it shares.")
    ]
    kappa_pooled_within: NotRequired[Number]
    kappa_mean: Annotated[
        Number, rule(description="The unweighted mean of all pairs, where all rated all units.")
    ]
    kappa_note: str
    matrix: RaterMatrix


class EachRater(TypedDict):
    """One rater against each of the others."""

    rater: Text
    share: Share
    reason: str
    units: Count
    comparisons: Count
    excluded: bool


class AnswerCount(TypedDict):
    value: Text
    label: Text
    count: Count


class SystemAnswers(TypedDict):
    """Answers about the pairs of one system, as if its answer were Answer 1."""

    system: Text
    distribution: list[AnswerCount]


class Ties(TypedDict):
    """Units whose raters are tied."""

    units: Count
    labels: Annotated[
        list[AnswerCount], rule(description="The labels that these units have all the same.")
    ]


class PeopleRow(PairsOfRaters):
    """The agreement of people on one item; `within` slices of the filter `split`, where chance is
    computed inside each, and what exceeds that."""

    item: ItemKey
    units: Count
    ratings: Count
    raters: Count
    ties: Ties
    percent: Number
    alpha: Number
    alpha_within: NotRequired[Number]
    alpha_excess: NotRequired[Number]
    alpha_interval: NotRequired[Number]
    fleiss: Number
    fleiss_note: str
    fleiss_all: Annotated[
        Number, rule(description="Generalised to units with different numbers of ratings.")
    ]
    ac1: Number
    each_rater: list[EachRater]
    distribution: Annotated[
        list[AnswerCount],
        rule(description="Of pairs: Answer 1 is that of the system whose name comes first."),
    ]
    by_system: NotRequired[Annotated[list[SystemAnswers], rule(description="Of pairs.")]]
    mean: NotRequired[Number]


class VarianceRow(TypedDict):
    """Parts of the variance of ratings on one item, and the reliability of raters."""

    item: ItemKey
    units: Count
    ratings: Count
    raters: Count
    parts: Annotated[
        dict[
            Annotated[str, rule(enum=["systems", "questions", "units", "raters", "rest"])], Number
        ],
        rule(description="Shares of the variance."),
    ]
    of_noise: Annotated[Number, rule(description="The raters' share of the noise.")]
    one_rater: Annotated[Number, rule(description="The reliability of one rater, ICC(2,1).")]
    own_raters: Annotated[float, rule(minimum=1, description="Ratings of each unit here.")]
    own: Annotated[Number, rule(description="The reliability of this number of raters.")]
    by_raters: Annotated[
        list[Share], rule(description="The reliability of 1 to 10 raters.", maxItems=10)
    ]
    needed: Annotated[Number, rule(description="Raters for a reliability of 0.8.")]


MOST_OF_EACH = 30
"""Units of one dimension that are listed since answers differ most."""


class Bin(TypedDict):
    """Numbers from `low` to below `high`; the last bin includes `high`."""

    low: float
    high: float
    count: Count


class Numbers(TypedDict):
    mean: float
    sd: float | None
    low: float
    high: float
    bins: list[Bin]


class Named(TypedDict):
    """How many answers name a choice, or mark anything as such."""

    value: Text
    label: Text
    count: Count


class Kind(TypedDict):
    """Spans of one label and severity."""

    label: Text
    severity: str
    spans: Count
    units: Annotated[Count, rule(description="Of which somebody marked a part so.")]
    characters: Count


class Spans(TypedDict):
    spans: Count
    characters: Count
    units: Annotated[Count, rule(description="Of which somebody marked anything.")]
    kinds: list[Kind]


class Texts(TypedDict):
    """The lengths of texts in characters; a report does not contain the texts."""

    least: Some
    median: float
    mean: float
    most: Some


class OpenAgreement(TypedDict):
    """One coefficient; of spans also of those with one label."""

    name: Text
    title: Text
    is_main: Annotated[bool, rule(description="Whether it is the one of the dimension's scale.")]
    number: Number


class Said(TypedDict):
    """An answer as it is written and in words, and how many raters gave it."""

    value: Text
    answer: Text
    count: Some


class Apart(TypedDict):
    """A unit whose answers differ."""

    system: Text
    question: Text
    run: str
    unit: Text
    distance: Annotated[float, rule(minimum=0, maximum=1)]
    answers: list[Said]


class OpenRow(TypedDict):
    """One dimension with open answers."""

    item: ItemKey
    answer: Literal["number", "several", "text", "spans"]
    units: Count
    ratings: Count
    raters: Count
    agreement: list[OpenAgreement]
    numbers: NotRequired[Numbers]
    named: NotRequired[list[Named]]
    spans: NotRequired[Spans]
    texts: NotRequired[Texts]
    apart: Annotated[list[Apart], rule(maxItems=MOST_OF_EACH)]


class SystemInPairs(TypedDict):
    """A system against all others. The three shares add up to 1."""

    system: Text
    letters: Annotated[
        str, rule(description="No test tells systems apart that share a letter; “a” has the best.")
    ]
    strength: Annotated[Number, rule(description="Log odds in the Bradley-Terry model.")]
    expected: Annotated[Number, rule(description="By the model, the win rate against all others.")]
    pairs: Count
    won: Number
    tied: Number
    lost: Number
    rate: Number
    degree: Number | None


class TwoSystems(TypedDict):
    """Two systems, sorted by name; won, tied and lost refer to the first one."""

    one: Text
    other: Text
    pairs: Count
    won: Number
    tied: Number
    lost: Number
    rate: Number


class StrengthTest(TypedDict):
    """Two systems in the Bradley-Terry model."""

    one: Text
    other: Text
    difference: Annotated[Number, rule(description="Strength of `one` less that of `other`.")]
    p: float | None
    p_holm: Annotated[float | None, rule(description="Corrected for all pairs of systems.")]


class PreferenceModel(TypedDict):
    """The Bradley-Terry model with ties and order (Davidson 1970, Davidson and Beaver 1977)."""

    reason: Annotated[str, rule(description="Why it could not be fitted.")]
    tests: list[StrengthTest]
    first_shown: Annotated[
        Number, rule(description="How often the first wins against one as strong, ties half.")
    ]


class JudgeOnPairs(TypedDict):
    """An automatic judge's answers about pairs."""

    judge: JudgeId
    pairs: Count
    systems: list[SystemInPairs]
    first_seen: Number
    model: PreferenceModel


class PairsOn(TypedDict):
    """All pairs on one dimension: by people, and by each automatic judge."""

    item: ItemKey
    pairs: Count
    answers: Count
    systems: list[SystemInPairs]
    two: list[TwoSystems]
    first_seen: Number
    model: PreferenceModel
    judges: list[JudgeOnPairs]


class SkippedRow(TypedDict):
    """One dimension that somebody did not judge."""

    item: ItemKey
    title: Text
    answers: Some
    raters: Some
    reasons: Annotated[
        list[ReasonCount],
        rule(description="Reasons offered by the desk, most frequent first."),
    ]
    own_words: Annotated[
        Count, rule(description="How many reasons raters wrote themselves: a report has none.")
    ]


MOST_DISAGREEMENTS = 100


class DisagreementRow(TypedDict):
    system: Text
    question: Text
    run: str
    unit: Text
    item: ItemKey
    judge: JudgeId
    people: Text
    votes: dict[str, Some]
    judge_value: Text
    score: Share
    distance: Annotated[float, rule(minimum=0, maximum=1)]


class DisagreementCount(TypedDict):
    """Counts for one judge, item and system."""

    judge: JudgeId
    item: ItemKey
    system: Text
    compared: Some
    people_yes: Annotated[Count, rule(description="People say yes, the judge says no.")]
    people_no: Annotated[Count, rule(description="People say no, the judge says yes.")]


Disagreements = Annotated[list[DisagreementRow], rule(maxItems=MOST_DISAGREEMENTS)]

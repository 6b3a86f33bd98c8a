"""Study, filters, counts, judges, raters, items, headline and notes."""

from typing import Annotated, Literal, NotRequired, TypedDict

from annotate.protocol.answers import AnswerType
from annotate.protocol.dimensions import Scale
from evaluation.reports.data import KINDS
from evaluation.reports.filters import LabelMethod
from evaluation.reports.shape.values import Count, ItemKey, JudgeId, Some, Text, rule


class GuidelinesVersion(TypedDict):
    version: Some
    published: str
    digest: str


class StudySettings(TypedDict):
    slug: Text
    name: str
    dimensions: list[ItemKey]
    seed: Count
    lines: str
    reading: str
    language: str
    splitter: str
    citation_cap: Annotated[int | None, rule(minimum=1)]
    primary: Annotated[str, rule(description="The judge to speak of, unless a filter names one.")]
    raters_per_unit: Count
    guidelines: list[GuidelinesVersion]
    parser: str
    segmentations: list[str]
    anonymous: bool
    files: Annotated[
        list[Text], rule(description="Protocol files that dimensions of its own were taken from.")
    ]


class ChosenFilters(TypedDict):
    systems: list[Text]
    slices: list[Text]
    split: Text
    compare: Annotated[list[Text], rule(maxItems=2)]
    batch: Annotated[int | None, rule(minimum=1)]
    dimensions: list[ItemKey]
    judges: list[Text]
    primary: str
    fine_grained: bool
    labels: LabelMethod
    excluded_in: bool
    outliers: bool
    resamples: Some
    seed: Annotated[int | None, rule(minimum=0)]


class Labels(TypedDict):
    """The method that makes one label from many votes."""

    method: LabelMethod
    name: Annotated[Text, rule(description="The signature of the method.")]
    sources: list[Text]


class Counts(TypedDict):
    systems: Count
    questions: Count
    responses: Count
    runs: Count
    raters: Count
    rated_questions: Annotated[Count, rule(description="Questions that people rated.")]
    ratings: Count
    units: dict[Annotated[str, rule(enum=list(KINDS))], Some]
    judges: Count
    excluded_raters: Count
    excluded_answers: Annotated[Count, rule(description="Left out, of excluded raters.")]
    unfinished_answers: Annotated[
        Count, rule(description="Left out, in ratings that are not finished.")
    ]
    flags: Count


class ReportJudge(TypedDict):
    """An automatic judge."""

    id: JudgeId
    name: Annotated[Text, rule(description="The judge's signature.")]
    title: Text
    caution: Annotated[str, rule(description="What must be known of its numbers, if anything.")]
    threshold: float | None
    items: list[ItemKey]
    measures: list[Text]
    members: NotRequired[
        Annotated[
            list[Text],
            rule(description="Of a jury, the signatures of the judges that it is made of."),
        ]
    ]


class ReportRater(TypedDict):
    name: Text
    kind: Literal["human", "simulated"]
    excluded: bool
    ratings: Count


class Choice(TypedDict):
    value: Text
    label: Text


class ReportItem(TypedDict):
    """An item with the words of each choice."""

    key: ItemKey
    title: Text
    question: Text
    values: Annotated[
        list[Choice],
        rule(description="From low to high; where an answer is not one choice, what it may name."),
    ]
    scale: Scale
    derived: bool
    answer: NotRequired[Annotated[AnswerType, rule(description="Where it is not one choice.")]]
    told: NotRequired[
        Annotated[
            list[Text],
            rule(
                description="Of a study's own dimension whose lowest answer a judge is to detect: "
                "how the headline tells that."
            ),
        ]
    ]


SentenceKey = Literal[
    "correlation",
    "kappa",
    "ceiling",
    "misses",
    "caution",
    "judges",
    "people",
    "reliability",
    "groups",
    "systems",
    "raters",
    "pairs",
    "order",
    "slices",
    "sample",
    "disagreements",
    "thresholds",
    "few",
    "nothing",
]


class Sentence(TypedDict):
    key: SentenceKey
    text: Text


Headline = Annotated[list[Sentence], rule(minItems=1, maxItems=20)]


class Note(TypedDict):
    key: Text
    title: Text
    text: Text

"""Each system's numbers, and systems compared."""

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
    """Systems that differ only in their seeds, with their runs together."""

    systems: list[Text]
    over_runs: dict[Annotated[str, rule(pattern="^(people|j[1-9][0-9]*)/.")], OverRuns]


class SystemRow(TypedDict):
    system: Text
    title: Annotated[Text, rule(description="How it is shown; no two are shown alike.")]
    uses_autoais: bool
    responses: Count
    rated: Annotated[Count, rule(description="Responses that people rated on any item.")]
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
    sample: NotRequired[
        Annotated[
            dict[ItemKey, Text], rule(description="How rated responses differ from the others.")
        ]
    ]
    series: NotRequired[list[Series]]


class RatingsRow(TypedDict):
    """People's ratings of a system on one item."""

    item: ItemKey
    system: Text
    responses: Count
    units: Count
    ratings: Count
    by_label: NotRequired[
        Annotated[Number, rule(description="The share of positive labels instead of votes.")]
    ]


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


class ComparedColumn(TypedDict):
    """The number that systems are compared by."""

    kind: Literal["people", "automatic"]
    judge: JudgeId | None
    key: Text
    title: Text


class ComparedPair(TypedDict):
    one: Text
    other: Text
    questions: Count
    difference: Number
    t: float | None
    t_p: Share
    t_p_holm: Share
    detectable: Annotated[
        float | None,
        rule(minimum=0, description="The difference found in 80 % of such studies."),
    ]
    reason: str
    signature: Text
    adjusted: NotRequired[
        Annotated[
            Number, rule(description="As if the same raters had rated both, where they did not.")
        ]
    ]
    adjusted_p_holm: NotRequired[Share]
    depends_on_raters: NotRequired[
        Annotated[bool, rule(description="Ranks then do not tell the two systems apart.")]
    ]


class RankedSystem(TypedDict):
    """The possible ranks of a system in its group: all hold at once with 95 %."""

    system: Text
    first: Some
    last: Some
    letters: Annotated[Text, rule(description="Systems that share one cannot be told apart.")]


class ColumnComparisons(TypedDict):
    column: ComparedColumn
    pairs: list[ComparedPair]
    ranks: Annotated[list[RankedSystem], rule(description="By group, from best to worst.")]


class MoreRatings(TypedDict):
    """How many more ratings an interval of this half width needs, with the range of that."""

    half_width: Annotated[float, rule(exclusiveMinimum=0)]
    with_judge: Number
    people_alone: Number


class PoweredRow(TypedDict):
    system: Text
    rated: Count
    others: Count
    people: Number
    powered: Number
    judge: BareNumber
    weight: Share
    effective: BareNumber
    corrected: Annotated[
        Number, rule(description="The judge's rate, corrected for sensitivity and specificity.")
    ]
    sensitivity: BareNumber
    specificity: BareNumber
    warnings: list[Text]
    more: list[MoreRatings]
    signature: Text


class PoweredEntry(TypedDict):
    """One item with the help of one judge."""

    item: ItemKey
    judge: JudgeId
    differs: Annotated[str, rule(description="How rated responses differ from the others.")]
    rows: list[PoweredRow]


class AlceNumbers(TypedDict):
    citation_recall: Number
    citation_precision: Number


class AliiceNumbers(TypedDict):
    claim_recall: Number
    claim_precision: Number
    f1: Number
    cvcp: Number


class BothJudges(TypedDict):
    alce: JudgeId
    aliice: JudgeId


class BothRow(TypedDict):
    system: Text
    responses: Count
    alce: AlceNumbers
    aliice: AliiceNumbers
    fine_grained: Number


class SideBySide(TypedDict):
    judges: BothJudges
    rows: list[BothRow]


class AliiceAgreement(TypedDict):
    fleiss: Number
    kappa_with_raters: Annotated[
        Number, rule(description="The mean over raters, as the paper defines it.")
    ]
    kappa_pooled: Number
    unmatched: Annotated[
        Count, rule(description="Of what people judged, where the parser has no claim.")
    ]


class AliiceRow(TypedDict):
    system: Text
    responses: Count
    utility: Number
    pf_utility: Number
    claim_recall: Number
    claim_precision: Number
    claim_f1: Number
    recall_agreement: AliiceAgreement
    precision_agreement: AliiceAgreement


class Aliice(TypedDict):
    judge: JudgeId | None
    rows: list[AliiceRow]

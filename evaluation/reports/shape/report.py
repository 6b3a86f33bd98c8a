"""The JSON of the whole report."""

from typing import Annotated, Final, NotRequired, TypedDict

from evaluation.reports.shape.judges import (
    AgreementRow,
    Correlations,
    JudgeComparison,
    LeadingJudge,
    ModelBiases,
    SelectiveRow,
    ThresholdRow,
)
from evaluation.reports.shape.people import (
    DisagreementCount,
    Disagreements,
    OpenRow,
    PairsOn,
    PeopleRow,
    SkippedRow,
    VarianceRow,
)
from evaluation.reports.shape.study import (
    ChosenFilters,
    Counts,
    Headline,
    Labels,
    Note,
    ReportItem,
    ReportJudge,
    ReportRater,
    StudySettings,
)
from evaluation.reports.shape.systems import (
    Aliice,
    ColumnComparisons,
    PoweredEntry,
    RatingsRow,
    SideBySide,
    Slices,
    Systems,
)
from evaluation.reports.shape.values import rule

FORMAT: Final = "attest-report"

VERSION: Final = 26
"""Raised with every change of a report's content: reports of another version are rebuilt."""


class ReportHead(TypedDict):
    """The first keys of every report."""

    format: Annotated[str, rule(const=FORMAT)]
    version: Annotated[int, rule(const=VERSION)]
    filters: ChosenFilters
    labels: Labels


class Report(ReportHead):
    """A report with Attest's own sections. Other packages may add more."""

    study: StudySettings
    counts: Counts
    judges: list[ReportJudge]
    raters: list[ReportRater]
    items: list[ReportItem]
    systems: Systems
    ratings: list[RatingsRow]
    slices: Slices
    people: list[PeopleRow]
    variance: list[VarianceRow]
    open_answers: NotRequired[list[OpenRow]]
    skipped: NotRequired[list[SkippedRow]]
    agreement: list[AgreementRow]
    leading: LeadingJudge | None
    judge_pairs: list[JudgeComparison]
    model_biases: NotRequired[list[ModelBiases]]
    thresholds: list[ThresholdRow]
    selective: NotRequired[list[SelectiveRow]]
    correlations: Correlations
    comparisons: list[ColumnComparisons]
    powered: list[PoweredEntry]
    side_by_side: SideBySide | None
    aliice: Aliice | None
    pairs: NotRequired[list[PairsOn]]
    disagreement_counts: list[DisagreementCount]
    disagreements: Disagreements
    method: list[Note]
    headline: Headline

"""The whole report, as JSON has it."""

from typing import Annotated, NotRequired, TypedDict

from evaluation.reports.shape.about import (
    ChosenFilters,
    Counts,
    Labels,
    ReportItem,
    ReportJudge,
    ReportRater,
    StudySettings,
)
from evaluation.reports.shape.agreement import AgreementRow
from evaluation.reports.shape.aliice import Aliice
from evaluation.reports.shape.comparisons import ColumnComparisons
from evaluation.reports.shape.correlations import Correlations
from evaluation.reports.shape.disagreements import DisagreementCount, Disagreements
from evaluation.reports.shape.judge_pairs import JudgeComparison
from evaluation.reports.shape.leading import LeadingJudge
from evaluation.reports.shape.model_biases import ModelBiases
from evaluation.reports.shape.open_answers import OpenRow
from evaluation.reports.shape.pairs import PairsOn
from evaluation.reports.shape.people import PeopleRow
from evaluation.reports.shape.powered import PoweredEntry
from evaluation.reports.shape.rules import rule
from evaluation.reports.shape.side_by_side import SideBySide
from evaluation.reports.shape.skipped import SkippedRow
from evaluation.reports.shape.slices import Slices
from evaluation.reports.shape.systems import Systems
from evaluation.reports.shape.thresholds import ThresholdRow
from evaluation.reports.shape.words import Headline, Note
from evaluation.reports.version import FORMAT, VERSION


class ReportHead(TypedDict):
    """What every report begins with, whatever its sections are."""

    format: Annotated[str, rule(const=FORMAT)]
    version: Annotated[int, rule(const=VERSION)]
    filters: ChosenFilters
    labels: Labels


class Report(ReportHead):
    """What a report says by Attest's own sections. Other packages' stand beside them."""

    study: StudySettings
    counts: Counts
    judges: list[ReportJudge]
    raters: list[ReportRater]
    items: list[ReportItem]
    systems: Systems
    slices: Slices
    people: list[PeopleRow]
    open_answers: NotRequired[list[OpenRow]]
    skipped: NotRequired[list[SkippedRow]]
    agreement: list[AgreementRow]
    leading: LeadingJudge | None
    judge_pairs: list[JudgeComparison]
    model_biases: NotRequired[list[ModelBiases]]
    thresholds: list[ThresholdRow]
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

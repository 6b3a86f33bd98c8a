"""The JSON of the whole report."""

import json
from typing import Annotated, Final, NotRequired, TypedDict, cast

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


# Reading a report ---------------------------------------------------------------------------------

NEEDED = ("study", "judges", "items", "systems", "people", "agreement", "correlations")


class ReportError(ValueError):
    """A file is not a report of this version. The message says what to do."""


def read_report(text: str) -> Report:
    """Read a report of the present version, as `report --json` writes it."""
    try:
        found = json.loads(text)
    except ValueError:
        raise ReportError("The report cannot be read: expected JSON.") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ReportError(f"Expected a report of Attest, with the format “{FORMAT}”.")
    if found.get("version") != VERSION:
        raise ReportError(
            f"Expected a report of version {VERSION}, found {found.get('version')}: build it again "
            "from its study or bundle."
        )
    if missing := [name for name in NEEDED if name not in found]:
        raise ReportError(f"The report is not whole: it lacks {', '.join(missing)}.")
    return cast(Report, found)

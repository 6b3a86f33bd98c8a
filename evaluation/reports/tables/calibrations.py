"""Calibration errors of judges' scores, and their bins."""

from evaluation.reports.shape.report import Report
from evaluation.reports.tables.few_questions import few_for_scores
from evaluation.reports.tables.names import ITEM, JUDGE, UNITS, pair_named
from evaluation.reports.tables.table import Field, Table, tables_of_rows

CALIBRATION = (
    Field("low", "From", "number"),
    Field("high", "To", "number"),
    Field("n", "Units", "count", source=lambda row: row["share"]["n"]),
    Field("score", "Mean score", "number", 3),
    Field("share", "People say yes", "share", 1, "interval"),
)
ERROR = "Calibration error"
CALIBRATED = (
    ITEM,
    JUDGE,
    UNITS,
    Field("bins", "Bins", "count", source=lambda row: len(row["calibration"])),
    Field("ece", "As seen", "number", 3, "", ERROR),
    Field("ece_by_chance", "If scores were right", "number", 3, "", ERROR),
    Field("ece_corrected", "Corrected", "number", 3, "interval", ERROR),
    Field("brier", "Brier score", "number", 3, "interval"),
)
ON_CALIBRATION = (
    "Chance makes the calibration error larger, most of all with few units. Compare the error as "
    "seen with that of as many scores that are right. The corrected error is without this chance; "
    "its interval draws questions.",
    "Bins hold equally many units; equal scores share a bin.",
)


def calibrations(report: Report) -> list[Table]:
    """Return the calibration errors of all judges with scores, and the bins of each."""
    found = report["thresholds"]
    tables = tables_of_rows(
        report,
        "calibrated",
        "Calibration of scores",
        "Whether people say yes as often as a judge's scores say, with 95 % intervals.",
        CALIBRATED,
        found,
        (*ON_CALIBRATION, *few_for_scores(row["questions"] for row in found)),
    )
    for row in found:
        key, title = pair_named(report, row)
        tables += tables_of_rows(
            report,
            f"calibration-{key}",
            f"Calibration: {title}",
            "By the judge's score: how many of the units people answered with yes.",
            CALIBRATION,
            row["calibration"],
            detail=True,
            of=title,
        )
    return tables

"""Judges' scores: thresholds, calibration, and judges that abstain."""

from collections.abc import Iterator
from typing import Any

from evaluation.reports.shape.judges import SelectiveRow, ThresholdRow
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.judges import CONSTANT
from evaluation.reports.tables.names import ITEM, JUDGE, UNITS, few_for_scores, pair_named
from evaluation.reports.tables.table import Field, Table, Value, tables_of_rows, value_of
from evaluation.statistics.selective import DELTA, FEWEST_QUESTIONS


def _at(threshold: str, key: str) -> Any:
    """Return the source of a threshold, or of kappa at it."""

    def found(row: Any) -> Any:
        at = row.get(threshold)
        if not at or at.get("threshold") is None:
            return None
        return value_of(at[key], reason=at.get("reason") or CONSTANT)

    return found


def _held_out(key: str) -> Any:
    """Return a function that reads this held-out number from a row."""
    return lambda row: row["held_out"].get(key) if "held_out" in row else None


THRESHOLDS = (
    ITEM,
    JUDGE,
    UNITS,
    Field("auc", "ROC AUC", "number", 2, "interval"),
    Field("average_precision", "Average precision", "number", 2, "interval"),
    Field("fixed", "Fixed", "number", 3, "", "Threshold", _at("fixed", "threshold")),
    Field("fixed_kappa", "Kappa there", "number", 2, "", "Threshold", _at("fixed", "kappa")),
    Field("best", "Best here", "number", 3, "", "Threshold", _at("best", "threshold")),
    Field(
        "best_kappa", "Kappa there, too high", "number", 2, "", "Threshold", _at("best", "kappa")
    ),
    Field("held_out", "Held-out kappa", "number", 2, "interval", "Threshold", _held_out("kappa")),
    Field("gain", "Held-out gain", "number", 2, "interval", "Threshold", _held_out("gain")),
    Field("recommended", "Recommended", "number", 3, "", "Threshold", _held_out("recommended")),
)
ON_THRESHOLDS = (
    "The best threshold was chosen on these very units, so its kappa is too high. What a "
    "threshold chosen so is worth, the held-out kappa says: that of each question was "
    "chosen on other questions (cross-validation in ten parts). Its interval allows for what "
    "another sample would choose.",
    "Another threshold is recommended only if the interval of its held-out gain over the fixed one "
    "is above 0.",
)
WITHOUT_SCORES = (
    "Only units with a score are counted here: where nothing is cited, a judge says no without "
    "one. So kappa at the fixed threshold can be another than that of all units."
)


def thresholds(report: Report) -> list[Table]:
    """Return scores and thresholds of each judge and item, and calibration."""
    found = report["thresholds"]
    tables = tables_of_rows(
        report,
        "thresholds",
        "Scores and thresholds",
        "How well scores tell yes from no, and what kappa comes from which threshold.",
        THRESHOLDS,
        found,
        (
            *ON_THRESHOLDS,
            *few_for_scores(row["questions"] for row in found),
            *((WITHOUT_SCORES,) if _has_units_without_score(report) else ()),
        ),
    )
    return tables + calibrations(report)


def _has_units_without_score(report: Report) -> bool:
    compared = {(row["item"], row["judge"]): row["units"] for row in report["agreement"]}

    def misses_some(row: ThresholdRow) -> bool:
        return compared.get((row["item"], row["judge"]), 0) > row["units"]

    return any(map(misses_some, report["thresholds"]))


# Calibration --------------------------------------------------------------------------------------

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


# Judges that abstain ------------------------------------------------------------------------------

UNLIKE = "rated responses differ from the rest"
NO_CUT = (
    "no confidence can guarantee it; rate more questions, of which the judge must keep answers to "
    f"at least {FEWEST_QUESTIONS}"
)
ON_GUARANTEES = (
    f"The guarantee fails in at most {DELTA:.0%} of studies like this one. It is about answers to "
    "other questions of the same kind and rests on the rated ones being like them. Choose the "
    "agreement you need before you read the table.",
    "Confidence is the distance of the score from the judge's threshold. Below the confidence in "
    "the table the judge abstains, and people answer.",
)
GUARANTEES = (
    ITEM,
    JUDGE,
    Field("judged", "Answers with a score", "count"),
    Field("target", "Guaranteed agreement", "share", 0),
    Field("confidence", "From confidence", "number", 3),
    Field("kept", "Kept", "share", 1),
    Field("agreement", "Agreement seen", "share", 1, "interval"),
    Field("abstained", "Abstained", "count"),
    Field("unrated", "Abstained and unrated", "count"),
)
COVERAGE = (
    Field("confidence", "From confidence", "number", 3),
    Field("kept", "Kept", "share", 1),
    Field("units", "Rated", "count", source=lambda row: row["agreement"]["n"]),
    Field("agreement", "Agreement with people", "share", 1, "interval"),
)


def selective_tables(report: Report) -> list[Table]:
    """Return the guarantees of each judge and item, and agreement by share kept."""
    found = report.get("selective", [])
    tables = tables_of_rows(
        report,
        "guaranteed",
        "Selective judging",
        "How many answers the judge may keep so that its agreement with people on them is "
        "guaranteed, and how many people would have to answer.",
        GUARANTEES,
        (one for row in found for one in _guarantees(row)),
        (*ON_GUARANTEES, *(text for row in found if (text := _on_sample(report, row)))),
    )
    for row in found:
        key, title = pair_named(report, row)
        tables += tables_of_rows(
            report,
            f"coverage-{key}",
            f"Agreement by share kept: {title}",
            "Agreement with people on the answers with the highest confidence.",
            COVERAGE,
            row["curve"],
            detail=True,
            of=title,
        )
    return tables


def _on_sample(report: Report, row: SelectiveRow) -> str:
    title = pair_named(report, row)[1]
    return f"Nothing is guaranteed of {title}: {row['differs']}" if row["differs"] else ""


def _guarantees(row: Any) -> Iterator[dict[str, Any]]:
    reason = UNLIKE if row["differs"] else NO_CUT
    nothing = dict.fromkeys(("confidence", "kept", "agreement"), Value(None, reason))
    for one in row["guarantees"]:
        yield {**row, **one, **(one["kept"] or nothing)}

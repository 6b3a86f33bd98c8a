"""What a judge's scores are good for, and what comes of which threshold."""

from typing import Any

from evaluation.reports.shape.judges import AtThreshold, ThresholdRow
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.few_questions import few_for_scores
from evaluation.reports.tables.names import item_title, judge_title, pair_named, why
from evaluation.reports.tables.table import Column, Table, value_of


def thresholds(report: Report) -> list[Table]:
    """For each judge and item with scores, and how its scores are calibrated."""
    found = report["thresholds"]
    if not found:
        return []
    main = Table(
        "thresholds",
        "Scores and thresholds",
        "How well scores tell yes from no, and what kappa comes from which threshold.",
        (
            Column("item", "Dimension"),
            Column("judge", "Judge"),
            Column("units", "Units", "count"),
            Column("auc", "ROC AUC", "number", 2, "interval"),
            Column("average_precision", "Average precision", "number", 2, "interval"),
            Column("ece", "Calibration error", "number", 3, "interval"),
            Column("brier", "Brier score", "number", 3, "interval"),
            Column("fixed", "Fixed", "number", 3, group="Threshold"),
            Column("fixed_kappa", "Kappa there", "number", group="Threshold"),
            Column("best", "Best here", "number", 3, group="Threshold"),
            Column("best_kappa", "Kappa there, too high", "number", group="Threshold"),
            Column("held_out", "Held-out kappa", "number", 2, "interval", group="Threshold"),
        ),
        tuple(
            (
                item_title(report, row["item"]),
                judge_title(report, row["judge"]),
                row["units"],
                value_of(row["auc"]),
                value_of(row["average_precision"]),
                value_of(row["ece"]),
                value_of(row["brier"]),
                *_threshold(row.get("fixed")),
                *_threshold(row.get("best")),
                value_of(row["held_out"]["kappa"]) if "held_out" in row else None,
            )
            for row in found
        ),
        (
            "The best threshold was chosen on these very units, so its kappa is too high. What a "
            "threshold chosen so is worth, the held-out kappa says: that of each question was "
            "chosen on other questions (cross-validation in ten parts). Its interval is rather "
            "narrow: what another sample would choose is not in it.",
            "The calibration error is too high where there are few units: a judge whose scores are "
            "right has one above 0, too.",
            *few_for_scores(row["questions"] for row in found),
            *_without_scores(report),
        ),
    )
    return [main, *(_calibration(report, row) for row in found if row["calibration"])]


def _without_scores(report: Report) -> tuple[str, ...]:
    """Why kappa at the fixed threshold is not the one of the table of agreement."""
    compared = {(row["item"], row["judge"]): row["units"] for row in report["agreement"]}
    if all(compared.get((r["item"], r["judge"]), 0) <= r["units"] for r in report["thresholds"]):
        return ()
    return (
        "Only units with a score are counted here: where nothing is cited, a judge says no without "
        "one. So kappa at the fixed threshold can be another than that of all units.",
    )


def _threshold(at: AtThreshold | None) -> tuple[Any, Any]:
    if not at or at.get("threshold") is None:
        return (None, None)
    return (value_of(at["threshold"]), value_of(at["kappa"], reason=why(at)))


def _calibration(report: Report, row: ThresholdRow) -> Table:
    key, title = pair_named(report, row)
    return Table(
        f"calibration-{key}",
        f"Calibration: {title}",
        "By the judge's score: how many of the units people answered with yes.",
        (
            Column("low", "From", "number"),
            Column("high", "To", "number"),
            Column("n", "Units", "count"),
            Column("score", "Mean score", "number", 3),
            Column("share", "People say yes", "share", 1),
        ),
        tuple(
            (
                value_of(each["low"]),
                value_of(each["high"]),
                each["n"],
                value_of(each["score"], reason="no units"),
                value_of(each["share"], reason="no units"),
            )
            for each in row["calibration"]
        ),
        detail=True,
        of=title,
    )

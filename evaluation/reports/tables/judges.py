"""How far automatic judges agree with people, in the layout of ALCE's table."""

from typing import Any

from evaluation.reports.tables.names import item_title, judge_note, judge_title, value_label
from evaluation.reports.tables.table import Column, Report, Table, value_of


def judges(report: Report) -> list[Table]:
    """Agreement by judge and item; then confusion tables, each rater, and what was not judged."""
    found = report["agreement"]
    if not found:
        return []
    tables = [_agreement(report, found)]
    for row in found:
        tables += [_confusion(report, row), *_with_each(report, row), *_not_judged(report, row)]
    return tables + _thresholds(report)


def _agreement(report: Report, found: list[dict[str, Any]]) -> Table:
    negative = "Detects the negative answer"
    return Table(
        "agreement",
        "Agreement of people and automatic judges",
        "Automatic judges against the labels made from people's answers, with 95 % intervals.",
        (
            Column("item", "Question"),
            Column("judge", "Judge"),
            Column("units", "Units", "count"),
            Column("accuracy", "Accuracy", "share", 1, "interval"),
            Column("kappa", "Cohen's kappa", "number", 2, "interval"),
            Column("kappa_with_raters", "Mean kappa with each rater", "number", 2, "interval"),
            Column("negative", "Answer", group=negative),
            Column("precision", "Precision", "share", 1, "interval", negative),
            Column("recall", "Recall", "share", 1, "interval", negative),
            Column("f1", "F1", "share", 1, "interval", negative),
        ),
        tuple(
            (
                item_title(report, row["item"]),
                judge_title(report, row["judge"]),
                row["units"],
                value_of(row["accuracy"]),
                value_of(row["kappa"]),
                value_of(row["kappa_with_raters"]),
                *_detects(row.get("detects")),
            )
            for row in found
        ),
        (
            "Intervals come from resampling questions.",
            *judge_note(report, [row["judge"] for row in found]),
        ),
    )


def _detects(detects: dict[str, Any] | None) -> tuple[Any, ...]:
    if not detects:
        return (None, None, None, None)
    numbers = (value_of(detects[key]) for key in ("precision", "recall", "f1"))
    return (detects["name"], *numbers)


def _named(report: Report, row: dict[str, Any]) -> tuple[str, str]:
    """The end of the table's key, and of its title."""
    title = f"{judge_title(report, row['judge'])}, {item_title(report, row['item'])}"
    return f"{row['judge']}-{row['item']}", title


def _confusion(report: Report, row: dict[str, Any]) -> Table:
    key, title = _named(report, row)
    confusion = row["confusion"]
    labels = [value_label(report, row["item"], value) for value in confusion["values"]]
    group = f"{judge_title(report, row['judge'])} says"
    return Table(
        f"confusion-{key}",
        f"Confusion table: {title}",
        "What the judge said of units that people labelled so.",
        (
            Column("people", "People say"),
            *(
                Column(value, label, "count", group=group)
                for value, label in zip(confusion["values"], labels, strict=True)
            ),
        ),
        tuple((label, *counts) for label, counts in zip(labels, confusion["table"], strict=True)),
        detail=True,
    )


def _with_each(report: Report, row: dict[str, Any]) -> list[Table]:
    if not row.get("with_each"):
        return []
    key, title = _named(report, row)
    return [
        Table(
            f"with-each-{key}",
            f"With each rater: {title}",
            "Cohen's kappa of the judge with each rater, on the units of both.",
            (
                Column("rater", "Rater"),
                Column("units", "Units", "count"),
                Column("kappa", "Cohen's kappa", "number"),
            ),
            tuple(
                (each["rater"], each["units"], value_of(each["kappa"], reason=_why(each)))
                for each in row["with_each"]
            ),
            detail=True,
        )
    ]


def _why(each: dict[str, Any]) -> str:
    return each.get("reason") or "constant answers"


def _not_judged(report: Report, row: dict[str, Any]) -> list[Table]:
    if not row.get("not_judged"):
        return []
    key, title = _named(report, row)
    return [
        Table(
            f"not-judged-{key}",
            f"Not judged: {title}",
            "Units to which the judge gave no answer, by reason. They are not compared with "
            "people; a system's number counts some of them, where the metric does.",
            (Column("reason", "Reason"), Column("count", "Units", "count")),
            tuple((each["reason"], each["count"]) for each in row["not_judged"]),
            detail=True,
        )
    ]


def _thresholds(report: Report) -> list[Table]:
    found = report["thresholds"]
    if not found:
        return []
    main = Table(
        "thresholds",
        "Scores and thresholds",
        "How well scores tell yes from no, and what kappa comes from which threshold.",
        (
            Column("item", "Question"),
            Column("judge", "Judge"),
            Column("units", "Units", "count"),
            Column("auc", "ROC AUC", "number", 2, "interval"),
            Column("average_precision", "Average precision", "number", 2, "interval"),
            Column("ece", "Calibration error", "number", 3, "interval"),
            Column("brier", "Brier score", "number", 3, "interval"),
            Column("fixed", "Fixed", "number", 3, group="Threshold"),
            Column("fixed_kappa", "Kappa there", "number", group="Threshold"),
            Column("best", "Best here", "number", 3, group="Threshold"),
            Column("best_kappa", "Kappa there", "number", group="Threshold"),
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
            )
            for row in found
        ),
        (
            "The best threshold was chosen on these very units, so its kappa is too high.",
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


def _threshold(at: dict[str, Any] | None) -> tuple[Any, Any]:
    if not at or at.get("threshold") is None:
        return (None, None)
    return (value_of(at["threshold"]), value_of(at["kappa"], reason=_why(at)))


def _calibration(report: Report, row: dict[str, Any]) -> Table:
    key, title = _named(report, row)
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
    )

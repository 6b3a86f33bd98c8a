"""How far automatic judges agree with people, in the layout of ALCE's table."""

from typing import Any

from evaluation.reports.shape.judges import AgreementRow, Detection
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import (
    first_of_pairs,
    item_title,
    judge_note,
    judge_title,
    pair_named,
    value_label,
    why,
)
from evaluation.reports.tables.people import THESE_RATERS
from evaluation.reports.tables.table import Column, Table, value_of


def agreement(report: Report) -> list[Table]:
    """Agreement by judge and item; then confusion tables, each rater, and what was not judged."""
    found = report["agreement"]
    if not found:
        return []
    tables = [_agreement(report, found)]
    for row in found:
        tables += [_confusion(report, row), *_with_each(report, row), *_not_judged(report, row)]
    return tables


def _agreement(report: Report, found: list[AgreementRow]) -> Table:
    negative = "Detects the negative answer"
    return Table(
        "agreement",
        "Agreement of people and automatic judges",
        "Automatic judges against the labels made from people's answers, with 95 % intervals.",
        (
            Column("item", "Dimension"),
            Column("judge", "Judge"),
            Column("units", "Units", "count"),
            Column("accuracy", "Accuracy", "share", 1, "interval"),
            Column("kappa", "Cohen's kappa", "number", 2, "interval"),
            Column("kappa_pooled", "Kappa with raters, pooled", "number", 2, "interval"),
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
                value_of(row["kappa_pooled"]),
                value_of(row["kappa_with_raters"]),
                *_detects(row.get("detects")),
            )
            for row in found
        ),
        (
            THESE_RATERS,
            "The pooled kappa weighs each rater by the units that the judge answered, too. The "
            "mean with each rater, as in the ALiiCE paper, is for raters who all rated the same "
            "units.",
            *_little(report, found),
            *judge_note(report, [row["judge"] for row in found]),
        ),
    )


def _little(report: Report, found: list[AgreementRow]) -> dict[str, None]:
    """Where raters share little with a judge."""
    return dict.fromkeys(
        f"{pair_named(report, row)[1]}: {row['kappa_note']}"
        for row in found
        if row.get("kappa_note")
    )


def _detects(detects: Detection | None) -> tuple[Any, ...]:
    if not detects:
        return (None, None, None, None)
    numbers = (value_of(detects[key]) for key in ("precision", "recall", "f1"))
    return (detects["name"], *numbers)


def _confusion(report: Report, row: AgreementRow) -> Table:
    key, title = pair_named(report, row)
    confusion = row["confusion"]
    labels = [value_label(report, row["item"], value) for value in confusion["values"]]
    return Table(
        f"confusion-{key}",
        f"Confusion table: {title}",
        "What the judge said of units that people labelled so.",
        (
            Column("people", "People say"),
            *(
                Column(value, label, "count", group="The judge says")
                for value, label in zip(confusion["values"], labels, strict=True)
            ),
        ),
        tuple((label, *counts) for label, counts in zip(labels, confusion["table"], strict=True)),
        first_of_pairs(report, row["item"]),
        detail=True,
        of=title,
    )


def _with_each(report: Report, row: AgreementRow) -> list[Table]:
    if not row.get("with_each"):
        return []
    key, title = pair_named(report, row)
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
                (each["rater"], each["units"], value_of(each["kappa"], reason=why(each)))
                for each in row["with_each"]
            ),
            detail=True,
            of=title,
        )
    ]


def _not_judged(report: Report, row: AgreementRow) -> list[Table]:
    if not row.get("not_judged"):
        return []
    key, title = pair_named(report, row)
    return [
        Table(
            f"not-judged-{key}",
            f"Not judged: {title}",
            "Units to which the judge gave no answer, by reason. They are not compared with "
            "people; a system's number counts some of them, where the metric does.",
            (Column("reason", "Reason"), Column("count", "Units", "count")),
            tuple((each["reason"], each["count"]) for each in row["not_judged"]),
            detail=True,
            of=title,
        )
    ]

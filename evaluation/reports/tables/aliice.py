"""ALiiCE's table of what people say, by system."""

from collections.abc import Iterator
from typing import Literal

from evaluation.reports.shape.report import Report
from evaluation.reports.shape.systems import AliiceAgreement, AliiceRow
from evaluation.reports.tables.names import SHARE, counted, judge_note, people_kind, system_title
from evaluation.reports.tables.table import Cell, Column, Table, value_of

Agreed = Literal["recall_agreement", "precision_agreement"]

AGREED: tuple[tuple[Agreed, str, str], ...] = (
    ("recall_agreement", "Agreement on recall", "Claims without the parser's"),
    ("precision_agreement", "Agreement on precision", "Citations without the parser's"),
)


def aliice(report: Report) -> list[Table]:
    found = report["aliice"]
    if not found or not found["rows"]:
        return []
    return [
        Table(
            "aliice",
            "As the ALiiCE paper counts",
            "What people say of responses that cite within a sentence, ± the standard error. "
            "Fleiss' kappa is that of people, and beside it stands the mean of Cohen's kappas of "
            "ALiiCE with each rater (pooled: for raters who did not all judge the same). "
            "What people say of claims that they wrote is compared with "
            "what ALiiCE says of the parser's claim at the same marks; what has none there is "
            "counted, and left out of the mean.",
            (
                Column("system", "System"),
                Column("responses", "Fine-grained responses", "count"),
                counted("utility", "Utility", people_kind(report, "utility")),
                counted("pf_utility", "Usefulness of citations", SHARE),
                counted("claim_recall", "Recall", SHARE),
                counted("claim_precision", "Precision", SHARE),
                counted("claim_f1", "F1", SHARE),
                *_columns(),
            ),
            tuple((*_of_people(report, row), *_of_agreement(row)) for row in found["rows"]),
            judge_note(report, [] if found["judge"] is None else [found["judge"]]),
        )
    ]


def _columns() -> Iterator[Column]:
    for key, group, unmatched in AGREED:
        yield counted(f"{key}_fleiss", "Fleiss' kappa", ("number", 2), group=group)
        yield counted(f"{key}_with_raters", "ALiiCE with each rater", ("number", 2), group=group)
        yield counted(f"{key}_pooled", "ALiiCE with raters, pooled", ("number", 2), group=group)
        yield Column(f"{key}_unmatched", unmatched, "count", group=group)


def _of_people(report: Report, row: AliiceRow) -> tuple[Cell, ...]:
    return (
        system_title(report, row["system"]),
        row["responses"],
        value_of(row["utility"]),
        value_of(row["pf_utility"]),
        value_of(row["claim_recall"]),
        value_of(row["claim_precision"]),
        value_of(row["claim_f1"]),
    )


def _of_agreement(row: AliiceRow) -> Iterator[Cell]:
    for key, _, _ in AGREED:
        found: AliiceAgreement = row[key]
        yield value_of(found["fleiss"])
        yield value_of(found["kappa_with_raters"])
        yield value_of(found["kappa_pooled"])
        yield found["unmatched"]

"""ALiiCE's table of what people say, by system."""

from typing import Literal

from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import SHARE, counted, judge_note, people_kind
from evaluation.reports.tables.table import Column, Table, value_of

Key = Literal[
    "utility", "pf_utility", "claim_recall", "claim_precision", "fleiss", "kappa_with_raters"
]

SHARES: tuple[tuple[Key, str], ...] = (
    ("pf_utility", "Usefulness of citations"),
    ("claim_recall", "Recall"),
    ("claim_precision", "Precision"),
)
KAPPAS: tuple[tuple[Key, str], ...] = (
    ("fleiss", "Fleiss' kappa"),
    ("kappa_with_raters", "ALiiCE with each rater"),
)


def aliice(report: Report) -> list[Table]:
    found = report["aliice"]
    if not found or not found["rows"]:
        return []
    keys: tuple[Key, ...] = ("utility", *(key for key, _ in (*SHARES, *KAPPAS)))
    return [
        Table(
            "aliice",
            "As the ALiiCE paper counts",
            "What people say of responses that cite within a sentence, ± the standard error. "
            "Fleiss' kappa and the mean of Cohen's kappas of ALiiCE with each rater are on "
            "claim recall.",
            (
                Column("system", "System"),
                Column("responses", "Fine-grained responses", "count"),
                counted("utility", "Utility", people_kind(report, "utility")),
                *(counted(key, title, SHARE) for key, title in SHARES),
                *(counted(key, title, ("number", 2)) for key, title in KAPPAS),
            ),
            tuple(
                (row["system"], row["responses"], *(value_of(row[key]) for key in keys))
                for row in found["rows"]
            ),
            judge_note(report, [] if found["judge"] is None else [found["judge"]]),
        )
    ]

"""ALCE against ALiiCE on the same responses, as in ALiiCE's tables."""

from typing import Literal

from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import (
    SHARE,
    automatic_column,
    automatic_kind,
    counted,
    judge_note,
    system_title,
)
from evaluation.reports.tables.table import Column, Table, value_of

ALCE: tuple[tuple[Literal["citation_recall", "citation_precision"], str], ...] = (
    ("citation_recall", "Recall"),
    ("citation_precision", "Precision"),
)
ALIICE: tuple[tuple[Literal["claim_recall", "claim_precision", "f1"], str], ...] = (
    ("claim_recall", "Recall"),
    ("claim_precision", "Precision"),
    ("f1", "F1"),
)


def side_by_side(report: Report) -> list[Table]:
    found = report["side_by_side"]
    if not found or not found["rows"]:
        return []
    alce, aliice = found["judges"]["alce"], found["judges"]["aliice"]
    return [
        Table(
            "side-by-side",
            "ALCE and ALiiCE side by side",
            "Whole statements (ALCE) against atomic claims (ALiiCE) on the same responses, "
            "± the standard error.",
            (
                Column("system", "System"),
                Column("responses", "Responses", "count"),
                *(counted(f"alce/{key}", title, SHARE, group="ALCE") for key, title in ALCE),
                *(counted(f"aliice/{key}", title, SHARE, group="ALiiCE") for key, title in ALIICE),
                counted(
                    automatic_column("aliice", "cvcp"),
                    "CVCP, mean over responses",
                    automatic_kind(report, "cvcp"),
                    group="ALiiCE",
                ),
                counted("fine_grained", "Fine-grained citations", SHARE),
            ),
            tuple(
                (
                    system_title(report, row["system"]),
                    row["responses"],
                    *(value_of(row["alce"].get(key)) for key, _ in ALCE),
                    *(value_of(row["aliice"].get(key)) for key, _ in ALIICE),
                    value_of(row["aliice"].get("cvcp")),
                    value_of(row["fine_grained"]),
                )
                for row in found["rows"]
            ),
            judge_note(report, [alce, aliice]),
        )
    ]

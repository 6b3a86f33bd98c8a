"""The tables of the ALiiCE paper: people's ratings by system, and ALCE against ALiiCE."""

from typing import Any

from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import (
    SHARE,
    SYSTEM,
    automatic_column,
    automatic_kind,
    counted,
    judge_note,
    people_kind,
)
from evaluation.reports.tables.table import Field, Table, tables_of_rows


def _agreement(key: str, title: str, unmatched: str) -> tuple[Field, ...]:
    """Return columns of the agreement of people and ALiiCE on recall, or on precision."""

    def kappa(column: str, words: str, source: str) -> Field:
        return counted(
            f"{key}_{column}", words, ("number", 2), group=title, source=lambda r: r[key][source]
        )

    def missed(row: Any) -> int:
        return int(row[key]["unmatched"])

    return (
        kappa("fleiss", "Fleiss' kappa", "fleiss"),
        kappa("with_raters", "ALiiCE with each rater", "kappa_with_raters"),
        kappa("pooled", "ALiiCE with raters, pooled", "kappa_pooled"),
        Field(
            f"{key}_unmatched",
            unmatched,
            "count",
            group=title,
            source=lambda r: r[key]["unmatched"],
        ),
    )


def aliice(report: Report) -> list[Table]:
    found = report["aliice"]
    if not found:
        return []
    return tables_of_rows(
        report,
        "aliice",
        "As the ALiiCE paper counts",
        "Human ratings of responses with in-sentence citations, with 95 % intervals; usefulness, "
        "recall and precision by majority. Fleiss' kappa is between people. Next to it is the "
        "mean of Cohen's kappas of ALiiCE with each rater (pooled: for raters who did not judge "
        "the same units). Ratings of people's own claims are compared with ALiiCE's verdict on "
        "the parser's claim at the same marks. Claims without one are counted and left out of the "
        "mean.",
        (
            SYSTEM,
            Field("responses", "Fine-grained responses", "count"),
            counted("utility", "Utility", people_kind(report, "utility")),
            counted("pf_utility", "Usefulness of citations", SHARE),
            counted("claim_recall", "Recall", SHARE),
            counted("claim_precision", "Precision", SHARE),
            counted("claim_f1", "F1", SHARE),
            *_agreement("recall_agreement", "Agreement on recall", "Claims without the parser's"),
            *_agreement(
                "precision_agreement", "Agreement on precision", "Citations without the parser's"
            ),
        ),
        found["rows"],
        judge_note(report, [found["judge"]] if found["judge"] else []),
    )


def _of_judge(judge: str, title: str, key: str, words: str) -> Field:
    return counted(
        f"{judge}/{key}", words, SHARE, group=title, source=lambda row: row[judge].get(key)
    )


def side_by_side(report: Report) -> list[Table]:
    """Return ALCE against ALiiCE on the same responses."""
    found = report["side_by_side"]
    if not found:
        return []
    return tables_of_rows(
        report,
        "side-by-side",
        "ALCE and ALiiCE side by side",
        "Whole statements (ALCE) against atomic claims (ALiiCE) on the same responses, "
        "with 95 % intervals.",
        (
            SYSTEM,
            Field("responses", "Responses", "count"),
            _of_judge("alce", "ALCE", "citation_recall", "Recall"),
            _of_judge("alce", "ALCE", "citation_precision", "Precision"),
            _of_judge("aliice", "ALiiCE", "claim_recall", "Recall"),
            _of_judge("aliice", "ALiiCE", "claim_precision", "Precision"),
            _of_judge("aliice", "ALiiCE", "f1", "F1"),
            counted(
                automatic_column("aliice", "cvcp"),
                "CVCP, mean over responses",
                automatic_kind(report, "cvcp"),
                group="ALiiCE",
                source=lambda row: row["aliice"].get("cvcp"),
            ),
            counted("fine_grained", "Fine-grained citations", SHARE),
        ),
        found["rows"],
        judge_note(report, [found["judges"]["alce"], found["judges"]["aliice"]]),
    )

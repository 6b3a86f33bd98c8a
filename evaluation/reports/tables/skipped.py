"""Why people did not judge."""

from evaluation.reports.shape.report import Report
from evaluation.reports.tables.table import Column, Table

OWN_WORDS = "in the rater's own words"


def skipped(report: Report) -> list[Table]:
    """The reasons, the most frequent of each dimension first."""
    found = report.get("skipped")
    if not found:
        return []
    return [
        Table(
            "skipped",
            "What people did not judge",
            "How often raters gave a reason instead of an answer. Such units have no vote of "
            "theirs in any number.",
            (
                Column("item", "Dimension"),
                Column("reason", "Reason"),
                Column("count", "Answers", "count"),
            ),
            tuple(
                (row["title"], reason, count)
                for row in found
                for reason, count in (
                    *((one["reason"], one["count"]) for one in row["reasons"]),
                    *(((OWN_WORDS, row["own_words"]),) if row["own_words"] else ()),
                )
            ),
            detail=True,
        )
    ]

"""The number of people's ratings of each system."""

from collections.abc import Iterator
from typing import Any

from evaluation.reports.numbers import in_words
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import ITEM, SYSTEM, item_title, system_title
from evaluation.reports.tables.table import Field, Table, tables_of_rows

UNEQUAL = 1.1
"""The ratio of two systems' ratings per unit from which a note mentions it."""


def ratings(report: Report) -> list[Table]:
    """Return a row per item and system, with numbers by labels, which some papers print."""
    return tables_of_rows(
        report,
        "ratings",
        "Ratings of each system",
        "How many of a system's responses and units people rated, and how often.",
        (
            ITEM,
            SYSTEM,
            Field("responses", "Rated responses", "count"),
            Field("units", "Rated units", "count"),
            Field("ratings", "Ratings", "count"),
            Field("each", "Ratings per unit", "number", 1, source=_per_unit),
            Field("by_label", "Positive labels", "share", 1, "interval"),
        ),
        report["ratings"],
        (
            "Positive labels: a system's number if the label of each unit counts instead of its "
            "votes, as in the Attributed QA paper. The label is the majority, unless the filters "
            "name another one. A tie then has a label by rule.",
        ),
    )


def _per_unit(row: Any) -> float | None:
    return row["ratings"] / row["units"] if row["units"] else None


def unequal_ratings(report: Report) -> Iterator[str]:
    """Yield a note if systems have unequal numbers of ratings per unit."""
    each: dict[str, dict[str, float]] = {}
    for row in report["ratings"]:
        if row["units"]:
            of = each.setdefault(row["item"], {})
            of[system_title(report, row["system"])] = row["ratings"] / row["units"]
    parts = [
        f"“{item_title(report, item)}” from {in_words(of[least], 1)} ({least}) to "
        f"{in_words(of[most], 1)} ({most})"
        for item, of in each.items()
        for least, most in [(min(of, key=of.__getitem__), max(of, key=of.__getitem__))]
        if of[most] >= UNEQUAL * of[least]
    ]
    if parts:
        yield (
            f"Ratings per unit differ between systems: {'; '.join(parts)}. If different raters "
            "rated them, strict or lenient raters may explain a difference between systems. Ranks "
            "take that into account, intervals of a system do not."
        )

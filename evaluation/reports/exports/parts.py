"""Divide a report's tables into the body of a document and its appendix.

A document goes into a paper. Its raters have numbers instead of names. Its body has the tables that
the page shows open; if these are too many, the first of each kind before the second of any. All
others are in the appendix, combined by kind (`compact.py`).
"""

from typing import Any, NamedTuple, cast

from evaluation.reports.exports.compact import DocumentTable, compact
from evaluation.reports.sections.every import sections
from evaluation.reports.sections.section import Tables
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.shown import without_empty
from evaluation.reports.tables.table import Table

MOST = 12
"""The number of tables in the body."""

LISTS = frozenset({"disagreements", "disagreement-counts"})
"""Tables that lead to units instead of showing results."""


class Parts(NamedTuple):
    """The tables of a document."""

    body: list[DocumentTable]
    appendix: list[DocumentTable]


def document_parts(report: Report) -> Parts:
    """Return every table of the report, in the body or in the appendix."""
    shown = pseudonymous(report)
    by_kind: dict[Tables, list[Table]] = {}
    places: dict[str, int] = {}
    """The place within its kind of each table that may be in the body."""
    for section in sections():
        tables = section.tables_of(shown)
        for kind in filter(lambda kind: kind.in_documents, section.kinds):
            of_kind = by_kind.setdefault(kind, [t for t in tables if kind.holds(t.key)])
            if not kind.folded and kind.key not in LISTS:
                for place, table in enumerate(of_kind):
                    if not (table.detail or kind.is_large(table)):
                        places[table.key] = place
    first = set(sorted(places, key=lambda key: places[key])[:MOST])
    body: list[DocumentTable] = []
    appendix: list[DocumentTable] = []
    for kind, tables in by_kind.items():
        body += [DocumentTable(table, (table.key,)) for table in tables if table.key in first]
        appendix += compact(kind, [table for table in tables if table.key not in first])
    return Parts([*map(_shown, body)], [*map(_shown, appendix)])


def _shown(found: DocumentTable) -> DocumentTable:
    return found._replace(table=without_empty(found.table))


def names_no_rater(report: Report, chart: str) -> bool:
    """Whether the chart with this key names no rater, or the raters have numbers."""
    kinds = (kind for section in sections() for kind in section.charts if kind.names_raters)
    return bool(report["study"].get("anonymous")) or not any(kind.holds(chart) for kind in kinds)


def pseudonymous(report: Report) -> Report:
    """Return the report with rater 1, rater 2 … instead of names, in the order of its raters."""
    called = {one["name"]: f"rater {n}" for n, one in enumerate(report["raters"], 1)}
    if report["study"].get("anonymous"):
        return report  # they go by numbers already

    def renamed(rows: Any) -> Any:
        return [row | {"rater": called.get(row["rater"], row["rater"])} for row in rows or ()]

    people = []
    for row in report["people"]:
        found: dict[str, Any] = dict(row)
        if matrix := found.get("matrix"):
            names = [called.get(name, name) for name in matrix["raters"]]
            found["matrix"] = matrix | {"raters": names}
        if "each_rater" in found:
            found["each_rater"] = renamed(found["each_rater"])
        people.append(found)
    agreement: list[dict[str, Any]] = [
        {**row, "with_each": renamed(row["with_each"])} if row.get("with_each") else {**row}
        for row in report["agreement"]
    ]
    return cast(Report, {**report, "people": people, "agreement": agreement})

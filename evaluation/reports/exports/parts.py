"""What of a report stands in the body of a document and what in its appendix.

A document goes into a paper: its raters have numbers instead of names, and its body has the tables
that the page shows at once; where these are too many, the first of each kind before the second of
any. All the others follow in the appendix, those of one kind together (`compact.py`).
"""

from typing import Any, NamedTuple, cast

from evaluation.reports.exports.compact import DocumentTable, compact
from evaluation.reports.sections.every import sections
from evaluation.reports.sections.section import Tables
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.shown import without_empty
from evaluation.reports.tables.table import Table

MOST = 12
"""Tables in the body."""

LISTS = frozenset({"disagreements", "disagreement-counts"})
"""What leads to units, and is no result."""


class Parts(NamedTuple):
    """The tables of a document."""

    body: list[DocumentTable]
    appendix: list[DocumentTable]


def parts_of(report: Report) -> Parts:
    """Every table of the report, in the one or in the other."""
    shown = pseudonymous(report)
    by_kind: dict[Tables, list[Table]] = {}
    places: dict[str, int] = {}
    """Of each table that may stand in the body: which one of its kind it is."""
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


def may_stand(report: Report, chart: str) -> bool:
    """Whether a picture of this key names nobody."""
    kinds = (kind for section in sections() for kind in section.charts if kind.names_raters)
    return bool(report["study"].get("anonymous")) or not any(kind.holds(chart) for kind in kinds)


def pseudonymous(report: Report) -> Report:
    """The report with rater 1, rater 2 … instead of names, in the order of its raters."""
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

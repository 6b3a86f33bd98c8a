"""What of a report stands in the body of a document and what in its appendix.

A document goes into a paper: its raters have numbers instead of names, and its body has the tables
that the page shows at once; where these are too many, the first of each kind before the second of
any. All the others follow in the appendix, which gives up no number.
"""

from collections import Counter
from typing import Any, NamedTuple, cast

from evaluation.reports.sections.every import sections
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.table import Table

MOST = 12
"""Tables in the body."""

LISTS = frozenset({"disagreements", "disagreement-counts"})
"""What leads to units, and is no result."""


class Parts(NamedTuple):
    """The tables of a document."""

    body: list[Table]
    appendix: list[Table]


def parts_of(report: Report) -> Parts:
    """Every table of the report, in the one or in the other."""
    shown = pseudonymous(report)
    every: list[Table] = []
    places: dict[str, int] = {}
    """Of each table that may stand in the body: which one of its kind it is."""
    of_kind: Counter[str] = Counter()
    for section in sections():
        for table in section.tables_of(shown):
            every.append(table)
            kind = next(kind for kind in section.kinds if kind.holds(table.key))
            if not (table.detail or kind.folded or table.key in LISTS):
                of_kind[kind.key] += 1
                places[table.key] = of_kind[kind.key]
    first = set(sorted(places, key=lambda key: places[key])[:MOST])
    return Parts(
        [table for table in every if table.key in first],
        [table for table in every if table.key not in first],
    )


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

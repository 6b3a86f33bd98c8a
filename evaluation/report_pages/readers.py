"""Readers of a report and the parts that they may see.

Researchers see all of it. Viewers and visitors with a share link see raters under pseudonyms,
without the answers of each; a link may also hide the judged texts. Sections of other packages may
have both, so only researchers see them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar, cast

from django.db.models import QuerySet

from evaluation.models import ReportChart
from evaluation.reports.sections.every import HEAD, SHIPPED
from evaluation.reports.shape.judges import WithRater
from evaluation.reports.shape.people import EachRater, PeopleRow, RaterMatrix
from evaluation.reports.shape.report import Report

Row = TypeVar("Row", EachRater, WithRater)
Cell = TypeVar("Cell")

KNOWN = HEAD | {section.key for section in SHIPPED}


@dataclass(frozen=True, slots=True)
class ReportReader:
    """What a reader may see in addition to the numbers."""

    names: bool
    """Raters' names, the answers of each rater, and sections of other packages."""

    texts: bool
    """Texts of questions, responses and passages."""

    def visible(self, report: Report) -> Report:
        """Return the report as this reader may see it."""
        return report if self.names else _unnamed(report)

    def charts(self, charts: QuerySet[ReportChart]) -> QuerySet[ReportChart]:
        """Return the charts that this reader may see: names in pictures cannot be replaced."""
        if self.names:
            return charts
        kinds = [kind for section in SHIPPED for kind in section.charts if not kind.names_raters]
        keys = charts.values_list("key", flat=True)
        return charts.filter(key__in=[k for k in keys if any(kind.holds(k) for kind in kinds)])


RESEARCHER = ReportReader(names=True, texts=True)
VIEWER = ReportReader(names=False, texts=True)


def _unnamed(report: Report) -> Report:
    """Return a report with Rater 1, Rater 2 … by their number of ratings instead of names."""
    told: dict[str, Any] = {name: part for name, part in report.items() if name in KNOWN}
    names = _pseudonyms(report)
    if "raters" in told:
        raters = [{**one, "name": names[one["name"]]} for one in told["raters"]]
        told["raters"] = sorted(raters, key=lambda one: _number(one["name"]))
    if "people" in told:
        told["people"] = [_without_names(row, names) for row in told["people"]]
    if "agreement" in told:
        told["agreement"] = [
            {**row, "with_each": _renamed(row.get("with_each", []), names)}
            for row in told["agreement"]
        ]
    return cast("Report", told)


def _without_names(row: PeopleRow, names: dict[str, str]) -> PeopleRow:
    told: PeopleRow = {**row, "each_rater": _renamed(row.get("each_rater", []), names)}
    if row.get("matrix"):
        told["matrix"] = _matrix(row["matrix"], names)
    return told


def _pseudonyms(report: Report) -> dict[str, str]:
    rated = {one["name"]: one["ratings"] for one in report.get("raters", [])}
    named = dict.fromkeys(_named(report), 0) | rated
    order = sorted(
        named,
        key=lambda name: (
            -named[name],
            sha256(f"{report['study']['slug']}{name}".encode()).digest(),
        ),
    )
    return {name: f"Rater {number}" for number, name in enumerate(order, 1)}


def _named(report: Report) -> Iterable[str]:
    for row in report.get("people", []):
        yield from row["matrix"]["raters"] if row.get("matrix") else ()
        yield from (each["rater"] for each in row.get("each_rater", []))
    for pair in report.get("agreement", []):
        yield from (each["rater"] for each in pair.get("with_each", []))


def _number(name: str) -> int:
    return int(name.rpartition(" ")[2])


def _renamed(rows: list[Row], names: dict[str, str]) -> list[Row]:
    told = [cast("Row", {**row, "rater": names[row["rater"]]}) for row in rows]
    return sorted(told, key=lambda row: _number(row["rater"]))


def _matrix(matrix: RaterMatrix, names: dict[str, str]) -> RaterMatrix:
    """Return the matrix in the order of the pseudonyms."""
    raters = [names[name] for name in matrix["raters"]]
    order = sorted(range(len(raters)), key=lambda place: _number(raters[place]))
    told: RaterMatrix = {
        **matrix,
        "raters": [raters[place] for place in order],
        "kappas": _turned(matrix["kappas"], order),
        "units": _turned(matrix["units"], order),
    }
    if matrix.get("reasons"):
        told["reasons"] = _turned(matrix["reasons"], order)
    return told


def _turned(cells: list[list[Cell]], order: list[int]) -> list[list[Cell]]:
    return [[cells[one][other] for other in order] for one in order]

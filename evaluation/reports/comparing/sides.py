"""Read one of the two compared reports: from data, a bundle, or a report's file."""

import os
from pathlib import Path
from urllib.parse import parse_qs

from evaluation.reports.build import build
from evaluation.reports.bundle import read_bundle
from evaluation.reports.comparing.comparison import Side
from evaluation.reports.data import ReportData
from evaluation.reports.filters import FilterError, Filters
from evaluation.reports.selection import select
from evaluation.reports.shape.report import Report, ReportError, read_report

BUNDLE, REPORT = ".zip", ".json"


def side_of(title: str, data: ReportData, filters: Filters, report: Report | None = None) -> Side:
    """Return a side with its data; build the report unless it is given."""
    return Side(title, report or build(data, filters), select(data, filters))


def side_of_file(path: Path, title: str, query: str = "") -> Side:
    """Read a bundle or a report's JSON, by its extension. Named filters replace a bundle's own."""
    try:
        if path.suffix == REPORT:
            if query:
                raise ReportError(
                    f"{title} is a report that was built: its filters stay as they are."
                )
            return Side(title, read_report(_text(path, title)))
        data, own = read_bundle(path)
    except OSError as problem:
        fault = os.strerror(problem.errno or 0)
        raise ReportError(f"{title} cannot be read: {fault}.") from None
    return side_of(title, data, changed(own, query))


def changed(own: Filters, query: str) -> Filters:
    """Replace the filters that a query string names."""
    try:
        given = parse_qs(query, strict_parsing=True) if query else {}
    except ValueError:
        raise FilterError("filters", "NAME=VALUE, several joined by &", query) from None
    asked, known = Filters.from_query(given).as_json(), own.as_json()
    for name in given:
        if name not in known:
            raise FilterError(name, f"one of the filters {', '.join(known)}", name)
    return Filters.from_json({**known, **{name: asked[name] for name in given}})


def _text(path: Path, title: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ReportError(f"{title} is no report: expected text in UTF-8.") from None

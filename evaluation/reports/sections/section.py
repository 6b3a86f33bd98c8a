"""Declare a section of a report: everything that builds or shows a report uses this declaration.

A section turns a selection into JSON. If it has tables or charts, it also declares their place on
the page, so none is forgotten.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from evaluation.reports.charts.chart import Chart
from evaluation.reports.selection import Selected
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.study import SentenceKey
from evaluation.reports.tables.names import cautioned
from evaluation.reports.tables.table import Table


class SectionError(ValueError):
    """A section cannot be shown. The message says what is missing."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of the page with a heading of its own."""

    key: str
    """Its place in the page's address."""

    title: str
    order: int
    """Panels are sorted by this number."""

    empty: str
    """The text of an empty panel."""

    findings: tuple[SentenceKey, ...] = ()
    """The headline's sentences that the page shows while the panel is closed."""


@dataclass(frozen=True, slots=True)
class Tables:
    """A table, or tables of one kind: their keys are this key, alone or before a hyphen."""

    key: str
    folded: str = ""
    """The title of several of them, if the page folds them."""

    across: str = ""
    """The column of each table that a document shows side by side; the text columns before the
    first number name its rows."""

    in_documents: bool = True
    """Whether documents include them; otherwise they are only in files."""

    most: int = 0
    """A table with more cells is folded on the page and in a document's appendix; 0: never."""

    def holds(self, table: str) -> bool:
        return begins(table, self.key)

    def is_large(self, table: Table) -> bool:
        """Whether it is folded: each number comes with details, and hundreds are half the page."""
        return 0 < self.most < len(table.rows) * len(table.columns)


@dataclass(frozen=True, slots=True)
class Charts:
    """Charts made by one function: their keys begin with one of these."""

    keys: tuple[str, ...]
    make: Callable[[Report], Iterable[Chart]]
    names_raters: bool = False
    """The pictures show raters' names: only researchers see them."""

    def holds(self, key: str) -> bool:
        return any(begins(key, start) for start in self.keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section, with all that building, pages and files need."""

    key: str
    shape: Any = Any
    """The type of its JSON, for the report's schema; Any allows anything."""

    panel: Panel | str | None
    """The place of its tables: a new panel, the panel with this key, or None if the page's template
    shows the section itself."""

    build: Callable[[Selected], Any] | None = None
    is_optional: bool = False
    """Whether an empty section is left out of the report."""

    sum_up: Callable[[Report], Any] | None = None
    """Instead of `build`: makes the section from all others."""

    words: str = ""
    """Its name while it is computed, if its key is not a word."""

    tables: Callable[[Report], list[Table]] | None = None
    kinds: tuple[Tables, ...] = ()
    """Kinds of its tables, in their order on the page."""

    charts: tuple[Charts, ...] = ()
    order: int = 0
    """Its place in the panel, after the section that defines the panel."""

    @property
    def panel_key(self) -> str:
        return self.panel.key if isinstance(self.panel, Panel) else self.panel or ""

    def tables_of(self, report: Report) -> list[Table]:
        """Return its tables in a report. Refuse a table without a place.

        A report lacks an optional section that is empty, or whose package was installed later.
        """
        found = self.tables(report) if self.tables is not None and self.key in report else []
        for table in found:
            if not any(kind.holds(table.key) for kind in self.kinds):
                raise SectionError(
                    f"The section “{self.key}” has a table “{table.key}” without a place on the "
                    "page: add its kind to the section’s kinds."
                )
        return [cautioned(report, table) for table in found]

    def charts_of(self, report: Report) -> list[Chart]:
        """Return its charts in a report, each with one of its tables."""
        found: list[Chart] = []
        for charts in self.charts if self.key in report else ():
            for chart in charts.make(report):
                if not (charts.holds(chart.key) and self._has(chart.table_key)):
                    raise SectionError(
                        f"The section “{self.key}” has a chart “{chart.key}” of the table "
                        f"“{chart.table_key}”: expected a key that begins with "
                        f"{' or '.join(charts.keys)}, and a table of the same section."
                    )
                found.append(chart)
        return found

    def _has(self, table: str) -> bool:
        return any(kind.holds(table) for kind in self.kinds)


def begins(key: str, start: str) -> bool:
    return key == start or key.startswith(f"{start}-")

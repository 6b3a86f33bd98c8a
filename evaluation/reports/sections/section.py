"""What a section of a report is: said once, and all that shows a report is made of it.

A section says something about what was selected, as JSON. Where it has tables or charts, it also
says where they stand on the page, so that none is left out in silence.
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
    """A section that cannot be shown as it is; the message says what is missing where."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of the page with a heading of its own."""

    key: str
    """Its place in the page's address."""

    title: str
    order: int
    """Panels stand in the order of these numbers."""

    empty: str
    """Said where it has nothing."""

    findings: tuple[SentenceKey, ...] = ()
    """The headline's sentences that sum it up: the page shows them while the panel is closed."""


@dataclass(frozen=True, slots=True)
class Tables:
    """A table, or tables of one kind: their keys are this one, alone or before a hyphen."""

    key: str
    folded: str = ""
    """What several of them are called, where they are opened by who wants to know more."""

    across: str = ""
    """The column that stands for each of them where a document sets them side by side: its rows
    are named by the columns of words before the first number."""

    in_documents: bool = True
    """Whether documents have them, too; what they leave out stands in files."""

    most: int = 0
    """A table with more cells is folded on the page and in a document's appendix; 0: never."""

    def holds(self, table: str) -> bool:
        return begins(table, self.key)

    def is_large(self, table: Table) -> bool:
        """Each number brings all that is known of it: hundreds of them are half a page's bytes."""
        return 0 < self.most < len(table.rows) * len(table.columns)


@dataclass(frozen=True, slots=True)
class Charts:
    """Charts that are made together: their keys begin with one of these."""

    keys: tuple[str, ...]
    make: Callable[[Report], Iterable[Chart]]
    names_raters: bool = False
    """They are for researchers alone: raters' names stand in the pictures."""

    def holds(self, key: str) -> bool:
        return any(begins(key, start) for start in self.keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section, with all that building, pages and files need of it."""

    key: str
    shape: Any = Any
    """The type of what it says, of which the report's schema is made; Any says nothing of it."""

    panel: Panel | str | None
    """Where its tables stand: in its own panel, in that of this key, or where the page's template
    shows the section in its own way."""

    build: Callable[[Selected], Any] | None = None
    is_optional: bool = False
    """A report in which it has nothing to say lacks it."""

    sum_up: Callable[[Report], Any] | None = None
    """Instead of `build`: makes it of all other sections."""

    words: str = ""
    """What it is called while it is computed, where its key is no word."""

    tables: Callable[[Report], list[Table]] | None = None
    kinds: tuple[Tables, ...] = ()
    """Of tables, in their order on the page."""

    charts: tuple[Charts, ...] = ()
    order: int = 0
    """Its place among the sections of one panel, after the one whose panel it is."""

    @property
    def panel_key(self) -> str:
        return self.panel.key if isinstance(self.panel, Panel) else self.panel or ""

    def tables_of(self, report: Report) -> list[Table]:
        """Its tables in a report; each has its place. None where the report lacks the section:
        it has nothing to say, or was built before the package was installed that brings it."""
        found = self.tables(report) if self.tables is not None and self.key in report else []
        for table in found:
            if not any(kind.holds(table.key) for kind in self.kinds):
                raise SectionError(
                    f"The section “{self.key}” has a table “{table.key}” without a place on the "
                    "page: add its kind to the section’s kinds."
                )
        return [cautioned(report, table) for table in found]

    def charts_of(self, report: Report) -> list[Chart]:
        """Its charts in a report; each stands with one of its tables."""
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

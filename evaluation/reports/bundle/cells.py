"""Write and strictly read the cells of a bundle's tables."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime

from annotate.formats.problems import quoted
from evaluation.reports.bundle.archive import BundleError, wrong
from evaluation.reports.bundle.layout import OPTIONAL, TABLES

MOST_INT = 2**31 - 1
MOST_ID = 2**63 - 1
YES, NO = "yes", "no"


def yes_no(value: bool) -> str:
    return YES if value else NO


def written(value: float | None) -> str:
    """Return a number's text, from which the same number is read; empty for None and NaN."""
    return "" if value is None or math.isnan(value) else repr(float(value))


class FileRow:
    """One row of a table, read by column name."""

    __slots__ = ("_cells", "_columns", "file", "line")

    def __init__(self, file: str) -> None:
        self.file = file
        self.line = 0
        self._columns = {name: place for place, name in enumerate({**TABLES, **OPTIONAL}[file])}
        self._cells: Sequence[str] = ()

    def at(self, line: int, cells: Sequence[str]) -> "FileRow":
        """Reuse this row for the next line: there are millions of them."""
        self.line, self._cells = line, cells
        return self

    def __getitem__(self, column: str) -> str:
        return self._cells[self._columns[column]]

    def wrong(self, column: str, expected: str) -> BundleError:
        found = quoted(self[column]) if self[column] else "nothing"
        return wrong(self.file, expected, found, line=self.line, field=column)

    def filled(self, column: str) -> str:
        if not self[column]:
            raise self.wrong(column, "a text")
        return self[column]

    def one_of(self, column: str, known: Sequence[str]) -> str:
        if self[column] not in known:
            raise self.wrong(column, f"one of {', '.join(known)}")
        return self[column]

    def flag(self, column: str) -> bool:
        return self.one_of(column, (YES, NO)) == YES

    def whole(self, column: str, *, most: int = MOST_INT) -> int:
        text = self[column]
        if not (text.isascii() and text.isdigit() and len(text) <= 19 and int(text) <= most):
            raise self.wrong(column, f"a whole number from 0 to {most}")
        return int(text)

    def number(self, column: str, *, least: float = -math.inf, most: float = math.inf) -> float:
        """Read a number; NaN if the cell is empty."""
        text = self[column]
        if not text:
            return math.nan
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and least <= value <= most):
            bounds = f" from {least:g}" if math.isfinite(least) else ""
            bounds += f" to {most:g}" if math.isfinite(most) else ""
            raise self.wrong(column, f"a number{bounds}, or nothing")
        return value

    def time(self, column: str) -> datetime:
        try:
            found = datetime.fromisoformat(self[column])
        except ValueError:
            raise self.wrong(column, "a date and time such as 2024-05-01T12:30:00Z") from None
        return found if found.tzinfo else found.replace(tzinfo=UTC)

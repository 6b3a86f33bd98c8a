"""The words of a cell, in parts that each export combines in its own way."""

from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil

from evaluation.reports.numbers import MINUS, in_words
from evaluation.reports.tables.table import Cell, Column, Table, Value, shared_notes

NOTHING = "\N{EN DASH}"
LONG = 24
"""Characters of a text in one line of a table."""

GAP = 2
"""Between columns, in characters."""

UPRIGHT = 175
"""Characters across a portrait page."""

UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class CellWords:
    """The words of a cell.

    `number`: whether it is one, so it is right-aligned. `error`, or `low` and `high`, follow it.
    `reason`: why it is undefined.
    """

    text: str
    number: bool = False
    error: str = ""
    low: str = ""
    high: str = ""
    reason: str = ""

    @property
    def beside(self) -> str:
        """Return the error or the interval, as shown after the number."""
        if self.error:
            return f"± {self.error}"
        return f"[{self.low}, {self.high}]" if self.low else ""

    @property
    def plain(self) -> str:
        """Return the cell in one line of plain text."""
        if self.reason:
            return f"{self.text}: {self.reason}"
        return f"{self.text} {self.beside}" if self.beside else self.text


def shown(column: Column, cell: Cell) -> CellWords:
    """Return the words of a cell in its column's format."""
    if cell is None:
        return CellWords(NOTHING, number=column.kind != "text")
    if isinstance(cell, str):
        return CellWords(cell)
    if isinstance(cell, int):
        return CellWords(f"{cell:,}" if cell > 9999 else str(cell), number=True)
    if cell.value is None:
        return CellWords(UNDEFINED, number=True, reason=cell.reason)
    return _number(column, cell, cell.value)


def _number(column: Column, cell: Value, value: float) -> CellWords:
    text = digits(column, value)
    if column.beside == "sd" and cell.sd is not None:
        return CellWords(text, number=True, error=digits(column, cell.sd))
    if column.beside == "interval" and cell.low is not None and cell.high is not None:
        low, high = digits(column, cell.low), digits(column, cell.high)
        return CellWords(text, number=True, low=low, high=high)
    return CellWords(text, number=True)


def digits(column: Column, value: float) -> str:
    """Return a number in the column's format, with a true minus sign and no minus zero."""
    if column.kind == "p":
        return "< 0.001" if value < 0.001 else f"{value:.3f}"
    scaled = value * 100 if column.kind == "share" else value
    text = in_words(scaled, 0 if column.kind == "count" else column.digits)
    if column.kind == "bare":
        text = text.replace("0.", ".", 1).replace("1.00", "1")
    return text


def without_empty(table: Table) -> Table:
    """Drop columns without a value in any row. A note names the undefined ones and why."""
    if not table.rows or table.shaded:
        return table
    kept: list[int] = []
    undefined: list[tuple[str, str]] = []
    for place, column in enumerate(table.columns):
        cells = [row[place] for row in table.rows]
        if place == 0 or any(map(_has_value, cells)):
            kept.append(place)
            continue
        name = f"{column.group}: {column.title}" if column.group else column.title
        reasons = dict.fromkeys(cell.reason for cell in cells if isinstance(cell, Value))
        undefined += [(name, "; ".join(reasons))] if reasons else []
    if len(kept) == len(table.columns):
        return table
    return replace(
        table,
        columns=tuple(table.columns[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in table.rows),
        notes=(
            *table.notes,
            *(
                f"Not shown, since undefined in every row: {note}."
                for note in shared_notes(undefined)
            ),
        ),
    )


def _has_value(cell: Cell) -> bool:
    return cell.value is not None if isinstance(cell, Value) else cell not in (None, "")


def needed(table: Table) -> int:
    """Return the table's width in characters, with all lines broken where possible."""
    return sum(
        max(
            *(len(word) for word in _level(table, column).split()),
            *(_length(shown(column, row[place])) for row in table.rows),
            0,
        )
        + GAP
        for place, column in enumerate(table.columns)
    )


def is_wide(table: Table) -> bool:
    """Whether it is printed in landscape."""
    return needed(table) > UPRIGHT


def _level(table: Table, column: Column) -> str:
    """Return its heading, unless that is vertical."""
    return "" if table.shaded and column.kind != "text" else heading(column)


def _length(found: CellWords) -> int:
    if not found.number:
        return LONG if len(found.text) > LONG else max(map(len, found.text.split()), default=0)
    interval = len(found.low) + len(found.high) + 4 if found.low else 0
    return max(len(found.text), len(found.error) + 2, interval)


def about(cell: Cell) -> str:
    """Return the details of a number in one line: reason, n, interval and signature."""
    if not isinstance(cell, Value):
        return ""
    parts = [cell.reason] if cell.value is None else []
    if cell.n is not None:
        parts.append(f"n = {cell.counted}")
    if cell.low is not None and cell.high is not None:
        parts.append(f"95 % interval {_exact(cell.low)} to {_exact(cell.high)}")
    elif cell.value is not None and cell.interval_reason:
        parts.append(f"no interval: {cell.interval_reason}")
    return "; ".join(filter(None, [*parts, cell.signature]))


def _exact(value: float) -> str:
    return f"{value:.4g}".replace("-", MINUS, 1) if value < 0 else f"{value:.4g}"


SHADES = 5
"""The shades of numbers in a shaded table: one for each fifth from 0 to 1."""


def shade(table: Table, cell: Cell) -> int:
    """Return the strength of the colour behind a number; 0 for none."""
    if not table.shaded or not isinstance(cell, Value) or cell.value is None:
        return 0
    return min(SHADES, max(0, ceil(cell.value * SHADES - 1e-9)))


def groups(table: Table) -> list[tuple[str, int]]:
    """Return the headings of groups of columns, and how many columns each spans; empty without
    groups."""
    spans = groupby(table.columns, key=lambda column: column.group)
    found = [(title, len(list(members))) for title, members in spans]
    return found if any(title for title, _ in found) else []


def heading(column: Column) -> str:
    """Return the column's title with its unit."""
    return f"{column.title} (%)" if column.kind == "share" else column.title

"""How a cell reads, in parts that each export puts together in its own way."""

from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil

from evaluation.reports.numbers import MINUS, in_words
from evaluation.reports.tables.table import Cell, Column, Table, Value, shared_notes

NOTHING = "\N{EN DASH}"
LONG = 24
"""Signs of a text that stand in one line of a table."""

GAP = 2
"""Between columns, in signs."""

UPRIGHT = 175
"""How many signs stand side by side on a page of paper that is not turned."""

UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class CellWords:
    """The words of a cell.

    `number`: it is one, so it stands to the right. `error` or `low` and `high` stand beside it.
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
        """The error or the interval as it stands after the number."""
        if self.error:
            return f"± {self.error}"
        return f"[{self.low}, {self.high}]" if self.low else ""

    @property
    def plain(self) -> str:
        """The cell in one line of plain text."""
        if self.reason:
            return f"{self.text}: {self.reason}"
        return f"{self.text} {self.beside}" if self.beside else self.text


def shown(column: Column, cell: Cell) -> CellWords:
    """The cell as its column wants it."""
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
    """The number in the column's own counting, with a true minus sign and no minus zero."""
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
    """How many signs it needs from left to right, where no more stand in a line than must."""
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
    """Whether it lies across the page, on paper."""
    return needed(table) > UPRIGHT


def _level(table: Table, column: Column) -> str:
    """What of its heading needs room from left to right."""
    return "" if table.shaded and column.kind != "text" else heading(column)


def _length(found: CellWords) -> int:
    if not found.number:
        return LONG if len(found.text) > LONG else max(map(len, found.text.split()), default=0)
    interval = len(found.low) + len(found.high) + 4 if found.low else 0
    return max(len(found.text), len(found.error) + 2, interval)


def about(cell: Cell) -> str:
    """All that is known of a number, in one line: how many of what, how sure, by which way."""
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
"""Of the numbers of a shaded table: a fifth of the way from 0 to 1 each."""


def shade(table: Table, cell: Cell) -> int:
    """How strong the colour behind a number is; 0 where there is none."""
    if not table.shaded or not isinstance(cell, Value) or cell.value is None:
        return 0
    return min(SHADES, max(0, ceil(cell.value * SHADES - 1e-9)))


def groups(table: Table) -> list[tuple[str, int]]:
    """The headings above those of the columns, and how many columns each spans; empty where there
    are none."""
    spans = groupby(table.columns, key=lambda column: column.group)
    found = [(title, len(list(members))) for title, members in spans]
    return found if any(title for title, _ in found) else []


def heading(column: Column) -> str:
    """The column's title with its unit."""
    return f"{column.title} (%)" if column.kind == "share" else column.title

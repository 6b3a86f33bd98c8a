"""A report's table for its page: rows of words, and the facts about each number."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.utils.text import slugify

from evaluation.reports.tables.shown import (
    CellWords,
    digits,
    groups,
    heading,
    is_wide,
    shade,
    shown,
    without_empty,
)
from evaluation.reports.tables.table import Cell, Column, Table, Value

ROWS_SHOWN = 60
"""Rows shown at once; a longer table has separate pages."""


MANY_COLUMNS = 12


class Fact(NamedTuple):
    """The facts about one number."""

    title: str
    text: str
    lines: list[tuple[str, str]]
    signature: str


class BlockRow(NamedTuple):
    """A row: its name, its cells, and the facts about its numbers."""

    name: str
    cells: list[tuple[CellWords, int]]
    """Each with its shade."""

    facts: list[Fact]


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table ready for a template."""

    table: Table
    rows: list[BlockRow]
    is_folded: bool
    start: int = 0
    """The number of rows before the shown ones."""

    @property
    def place(self) -> str:
        """The element's id in the page."""
        return f"table-{slugify(self.table.key)}"

    @property
    def headings(self) -> list[tuple[str, bool]]:
        """Each column's title, and whether there are numbers under it."""
        return [(heading(column), column.kind != "text") for column in self.table.columns]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The headings of groups of columns, with the number of columns each."""
        return groups(self.table)

    @property
    def is_dense(self) -> bool:
        """Whether its many columns need narrow spaces."""
        return len(self.table.columns) > MANY_COLUMNS

    @property
    def is_wide(self) -> bool:
        """Whether it is printed in landscape."""
        return is_wide(self.table)

    @property
    def left_out(self) -> int:
        """The number of rows on other pages."""
        return len(self.table.rows) - len(self.rows)


def block(
    table: Table, known: Collection[str] = (), *, is_folded: bool = False, start: int = 0
) -> TableBlock:
    """Return a table as rows of words; `known` notes are left out."""
    table = without_empty(table)
    table = replace(table, notes=tuple(note for note in table.notes if note not in known))
    is_folded = table.detail or is_folded
    rows = table.rows[start : start + ROWS_SHOWN]
    return TableBlock(table, [_row(table, row) for row in rows], is_folded, start)


def _row(table: Table, cells: tuple[Cell, ...]) -> BlockRow:
    pairs = list(zip(table.columns, cells, strict=True))
    facts = [fact(column, cell) for column, cell in pairs if _has_facts(cell)]
    words = [(shown(column, cell), shade(table, cell)) for column, cell in pairs]
    return BlockRow(words[0][0].text, words[1:], facts)


def _has_facts(cell: Cell) -> bool:
    """Return whether the report has more about a cell than it shows."""
    return isinstance(cell, Value) and bool(cell.signature or cell.reason or cell.n is not None)


def fact(column: Column, cell: Cell) -> Fact:
    """Return all facts of the report about a number."""
    assert isinstance(cell, Value)
    unit = " %" if column.kind == "share" else ""
    lines = []
    if cell.n is not None:
        lines.append(("n", cell.counted))
    if cell.value is None:
        lines.append(("why", cell.reason))
    if cell.se is not None:
        lines.append(("standard error", digits(column, cell.se) + unit))
    if cell.sd is not None:
        lines.append(("standard deviation", digits(column, cell.sd) + unit))
    if cell.low is not None and cell.high is not None:
        bounds = f"{digits(column, cell.low)} to {digits(column, cell.high)}"
        lines.append(("95 % interval", bounds + unit))
        if cell.bca_low is not None and cell.bca_high is not None:
            bounds = f"{digits(column, cell.bca_low)} to {digits(column, cell.bca_high)}"
            lines.append(("95 % interval, BCa", bounds + unit))
    elif cell.value is not None and cell.interval_reason:
        lines.append(("no interval", cell.interval_reason))
    text = "undefined" if cell.value is None else digits(column, cell.value) + unit
    title = f"{column.group}: {column.title}" if column.group else column.title
    return Fact(title, text, lines, cell.signature)

"""A table as CSV: plain numbers, one per cell, for further analysis."""

import csv
import io

from annotate.formats.spreadsheets import escaped
from evaluation.reports.tables.table import Beside, Cell, Column, Table, Value

PARTS_BESIDE: dict[Beside, tuple[str, ...]] = {
    "": (),
    "interval": ("se", "low", "high", "n"),
    "sd": ("sd", "n"),
}


def table_csv(table: Table) -> str:
    """Return the table with the keys of its columns as header.

    Shares are between 0 and 1. A number with an error bar is followed by its standard error, the
    ends of its interval and its n; a mean over runs by their standard deviation; missing numbers by
    the reason. A last column `note` has warnings about its judges, if any.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    parts = [_parts(table, position) for position in range(len(table.columns))]
    heads = [
        name
        for column, more in zip(table.columns, parts, strict=True)
        for name in (escaped(column.key), *(f"{column.key} {part}" for part in more))
    ]
    note = " ".join(table.cautions)
    writer.writerow([*heads, "note"] if note else heads)
    for row in table.rows:
        values = [
            value
            for column, cell, more in zip(table.columns, row, parts, strict=True)
            for value in _written(column, cell, more)
        ]
        writer.writerow([*values, escaped(note)] if note else values)
    return file.getvalue()


def _parts(table: Table, position: int) -> tuple[str, ...]:
    """Return the fields that follow the column's numbers, by its format and missing numbers."""
    cells = [row[position] for row in table.rows]
    missing = any(isinstance(cell, Value) and cell.value is None for cell in cells)
    beside = PARTS_BESIDE[table.columns[position].beside]
    return (*beside, *(("reason",) if missing else ()))


def _written(column: Column, cell: Cell, parts: tuple[str, ...]) -> list[str]:
    if isinstance(cell, Value):
        values = [getattr(cell, part) for part in parts if part != "reason"]
        numbers = [_number(value) for value in (cell.value, *values)]
        return [*numbers, *((escaped(cell.reason),) if "reason" in parts else ())]
    words = "" if cell is None else str(cell)
    return [escaped(words) if isinstance(cell, str) else words, *("" for _ in parts)]


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def file_name(key: str) -> str:
    """Return a key without characters that are special in paths or shells."""
    return "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in key)

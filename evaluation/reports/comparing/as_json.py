"""A comparison as JSON, and its tables read back from that."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from typing import Any

from evaluation.reports.comparing.comparison import Comparison
from evaluation.reports.comparing.tables import tables_of
from evaluation.reports.tables.table import Cell, Column, Table, Value
from evaluation.reports.version import VERSION

FORMAT = "attest-comparison"
NOTHING_SHARED = "The two reports have no number of the same thing."


def comparison_json(found: Comparison) -> dict[str, Any]:
    """What two reports are, whether they were paired, and all tables."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "one": found.one.title,
        "other": found.other.title,
        "shared_questions": found.shared,
        "paired": found.paired,
        "tables": [_written(table) for table in tables_of(found)],
    }


def tables_in(found: Mapping[str, Any]) -> list[Table]:
    """The tables of a comparison that was written so."""
    return [_read(table) for table in found["tables"]]


def _written(table: Table) -> dict[str, Any]:
    rows = [[_plain(cell) for cell in row] for row in table.rows]
    return asdict(table) | {"rows": rows}


def _plain(cell: Cell) -> Any:
    """A number with what is known of it; what is not known is left out."""
    if not isinstance(cell, Value):
        return cell
    return {"value": cell.value} | {
        field.name: known
        for field in fields(cell)
        if (known := getattr(cell, field.name)) not in (None, "")
    }


def _read(table: Mapping[str, Any]) -> Table:
    return Table(
        **{
            **table,
            "columns": tuple(Column(**column) for column in table["columns"]),
            "rows": tuple(tuple(_cells(row)) for row in table["rows"]),
            "notes": tuple(table["notes"]),
            "cautions": tuple(table["cautions"]),
        }
    )


def _cells(row: list[Any]) -> Iterator[Cell]:
    for cell in row:
        yield Value(**cell) if isinstance(cell, dict) else cell

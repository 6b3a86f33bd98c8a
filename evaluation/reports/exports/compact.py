"""Combine and shorten tables of one kind for a document.

A matrix stays as it is. Tables with the same columns become one: one below the other with a first
column for their subject or, if their kind has a column `across`, side by side with that column of
each. A note names the files with the omitted rows and columns.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from evaluation.reports.exports.csv_tables import file_name
from evaluation.reports.sections.section import Tables
from evaluation.reports.tables.table import Cell, Column, Table, shared_notes

MOST_ROWS = 80
"""The rows of a table in an appendix."""

MOST_ACROSS = 8
"""The number of tables side by side: more columns do not fit on a page."""

OF = Column("of", "Of")

Row = tuple[Cell, ...]


class DocumentTable(NamedTuple):
    """A table of a document, and the keys of its tables in the report."""

    table: Table
    keys: tuple[str, ...]


def compact(kind: Tables, tables: Sequence[Table]) -> Iterator[DocumentTable]:
    """Yield all tables of one kind, combined where possible."""
    alike: dict[object, list[Table]] = {}
    for table in tables:
        if table.shaded:
            yield DocumentTable(table, (table.key,))
            continue
        alike.setdefault(table.columns if table.of else table.key, []).append(table)
    for some in alike.values():
        if len(some) == 1:
            [table] = some
            yield _part(kind, some, table, table.rows[:MOST_ROWS], len(table.rows))
        elif kind.across:
            for start in range(0, len(some), MOST_ACROSS):
                yield _side_by_side(kind, some[start : start + MOST_ACROSS])
        else:
            yield _below(kind, some)


def _side_by_side(kind: Tables, tables: list[Table]) -> DocumentTable:
    """Combine tables into a row for each name (its first columns) and a column for each table."""
    columns = tables[0].columns
    named = next(n for n, column in enumerate(columns) if column.kind != "text")
    across = [column.key for column in columns].index(kind.across)
    rows: dict[Row, list[Cell]] = {}
    for place, table in enumerate(tables):
        for row in table.rows:
            rows.setdefault(row[:named], [None] * len(tables))[place] = row[across]
    own = [replace(columns[across], key=table.key, title=table.of) for table in tables]
    joined = _joined(kind, tables, (*columns[:named], *own))
    rest = f"What else is known of each number: {_files(kind, tables)}."
    joined = replace(joined, notes=(*joined.notes, rest))
    found = [(*name, *cells) for name, cells in rows.items()]
    return _part(kind, tables, joined, found[:MOST_ROWS], len(found))


def _below(kind: Tables, tables: list[Table]) -> DocumentTable:
    """Combine tables from the first rows of each, as many as fit."""
    most = next((n for n in range(MOST_ROWS, 1, -1) if _fits(n, tables)), 1)
    rows = [(table.of, *row) for table in tables for row in table.rows[:most]]
    joined = _joined(kind, tables, (OF, *tables[0].columns))
    return _part(kind, tables, joined, rows, sum(len(table.rows) for table in tables))


def _fits(most: int, tables: list[Table]) -> bool:
    return sum(min(most, len(table.rows)) for table in tables) <= MOST_ROWS


def _joined(kind: Tables, tables: list[Table], columns: tuple[Column, ...]) -> Table:
    """Return the combined table without rows. Notes on some of the tables name these."""
    captions = {table.caption for table in tables}
    said = [
        (table.of, note)
        for table in tables
        for note in (table.notes if len(captions) == 1 else (table.caption, *table.notes))
    ]
    return replace(
        tables[0],
        title=kind.folded,
        caption=captions.pop() if len(captions) == 1 else "",
        columns=columns,
        rows=(),
        notes=tuple(shared_notes(said, every=len(tables))),
        cautions=tuple(dict.fromkeys(said for table in tables for said in table.cautions)),
    )


def _part(
    kind: Tables, tables: list[Table], table: Table, rows: Sequence[Row], every: int
) -> DocumentTable:
    """Add these rows, and a first note if there are more."""
    notes = table.notes
    if len(rows) < every:
        first = "The first rows of each" if OF in table.columns else "The first rows"
        notes = (f"{first}, {len(rows):,} of {every:,}; all: {_files(kind, tables)}.", *notes)
    made = replace(table, rows=tuple(rows), notes=notes)
    return DocumentTable(made, tuple(each.key for each in tables))


def _files(kind: Tables, tables: list[Table]) -> str:
    """Name the files with the complete tables."""
    if len(tables) == 1:
        return f"the report's file tables/{file_name(tables[0].key)}.csv"
    return f"the report's files tables/{kind.key}-….csv"

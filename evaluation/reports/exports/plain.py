"""A table as plain text, for a terminal."""

from collections.abc import Iterable

from evaluation.reports.tables.shown import heading, shown
from evaluation.reports.tables.table import Table


def table_text(table: Table) -> str:
    """Its title and its cells in columns."""
    header = [heading(column) for column in table.columns]
    cells = [
        [shown(column, cell).plain for column, cell in zip(table.columns, row, strict=True)]
        for row in table.rows
    ]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]

    def line(words: Iterable[str]) -> str:
        placed = [
            word.ljust(width) if column.kind == "text" else word.rjust(width)
            for word, width, column in zip(words, widths, table.columns, strict=True)
        ]
        return "  ".join(placed).rstrip()

    return "\n".join([table.title, line(header), *map(line, cells)]) + "\n"

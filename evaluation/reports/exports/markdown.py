"""Tables and the whole report as Markdown."""

import re
from collections.abc import Iterable
from string import ascii_lowercase

from evaluation.reports.exports.parts import document_parts
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.shown import groups, heading, shown
from evaluation.reports.tables.table import Cell, Column, Table, Value

SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
LIST = re.compile(r"^(\d*)([-+.)])(?=\s|$)")


def report_markdown(report: Report) -> str:
    """Return headline, tables, method, and the other tables in an appendix."""
    parts = [f"# Report: {escaped(report['study']['name'])}"]
    parts += ["\n".join(f"- {escaped(line['text'])}" for line in report["headline"])]
    tables = document_parts(report)
    parts += [table_markdown(part.table) for part in tables.body]
    if report["method"]:
        parts.append("## Method")
        parts += [
            f"**{escaped(part['title'])}.** {escaped(part['text'])}" for part in report["method"]
        ]
    if tables.appendix:
        parts += ["# Appendix", *(table_markdown(part.table) for part in tables.appendix)]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def table_markdown(table: Table) -> str:
    """Return the table under a heading, with its notes below it."""
    letters = reasons(table)
    lines = [
        _line([_title(column) for column in table.columns]),
        _line([":--" if column.kind == "text" else "--:" for column in table.columns]),
    ]
    lines += [
        _line([_cell(c, cell, letters) for c, cell in zip(table.columns, row, strict=True)])
        for row in table.rows
    ]
    notes = [f"{letter}: {escaped(reason)}" for reason, letter in letters.items()]
    notes += [escaped(note) for note in (*table.cautions, *table.notes)]
    parts = [
        f"## {escaped(table.title)}",
        escaped(table.caption),
        "\n".join(lines),
        "\n".join(f"- {note}" for note in notes),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _title(column: Column) -> str:
    return escaped(f"{column.group}: {heading(column)}" if column.group else heading(column))


def _cell(column: Column, cell: Cell, letters: dict[str, str]) -> str:
    found = shown(column, cell)
    if found.reason:
        return f"{found.text} ({letters[found.reason]})"
    return escaped(found.plain)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escaped(text: str) -> str:
    """Return the text as Markdown in one line."""
    line = SIGNS.sub(r"\\\1", " ".join(text.split()))
    return LIST.sub(r"\1\\\2", line)


# For a terminal -----------------------------------------------------------------------------------


def table_text(table: Table) -> str:
    """Return the title and the cells in columns, with groups of columns above their titles."""
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

    above, first = list[str](), 0
    for title, count in groups(table):
        last = first + count
        span = sum(widths[first:last]) + 2 * (count - 1)
        widths[last - 1] += max(0, len(title) - span)
        above.append(title.ljust(max(span, len(title))))
        first = last
    over = ["  ".join(above).rstrip()] if above else []
    return "\n".join([table.title, *over, line(header), *map(line, cells)]) + "\n"


# Letters of reasons -------------------------------------------------------------------------------


def reasons(table: Table) -> dict[str, str]:
    """Return the letter of each reason, in order of appearance."""
    found = dict.fromkeys(
        cell.reason
        for row in table.rows
        for cell in row
        if isinstance(cell, Value) and cell.value is None and cell.reason
    )
    return {reason: letter(position) for position, reason in enumerate(found)}


def letter(position: int) -> str:
    """a, b, … z, aa, ab, …"""
    more, last = divmod(position, 26)
    return (letter(more - 1) if more else "") + ascii_lowercase[last]

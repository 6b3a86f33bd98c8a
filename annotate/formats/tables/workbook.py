"""Read the sheets of an Excel workbook row by row, with the results of formulas."""

from collections.abc import Iterator
from itertools import islice
from typing import IO, Any
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile, ZipFile
from zlib import error as DeflateError  # noqa: N812

from annotate.formats.json_values import value_problems
from annotate.formats.open_file import OpenFile
from annotate.formats.problems import Unreadable, listed, quoted
from annotate.formats.records import Problem, Where
from annotate.formats.tables.rows import Rows, at_row, json_value

ROWS_AT_ONCE = 64
INSIDE = "xl/workbook.xml"
TEXTS = "xl/sharedStrings.xml"
MOST_TEXTS = 200_000_000
"""Excel keeps the texts of all cells in one list, which must be in memory."""

_ERRORS = (
    BadZipFile, DeflateError, EOFError, KeyError, ValueError, TypeError, AttributeError, IndexError,
    NotImplementedError, OSError, ParseError, StopIteration,
)  # fmt: skip
"""Errors of openpyxl and zipfile on a broken workbook."""


def is_workbook(archive: ZipFile) -> bool:
    return INSIDE in archive.namelist()


def sheets(source: OpenFile, archive: ZipFile) -> Iterator[tuple[str, Rows]]:
    """Yield the visible sheets that are not empty. The first row names the columns."""
    texts = sum(each.file_size for each in archive.infolist() if each.filename == TEXTS)
    if texts > MOST_TEXTS:
        expected = f"a workbook with at most {MOST_TEXTS:,} bytes of text"
        advice = "Save the sheet as CSV, or write Parquet."
        raise Unreadable(Problem(Where(), expected, f"{texts:,}", advice))
    with source.path.open("rb") as file:
        first: list[str] = []
        for name, cells in _visible_sheets(file):
            rows = ((n, row) for n, row in enumerate(cells, 1) if any(c is not None for c in row))
            if names := next(rows, None):
                columns = _columns(*names)
                first = first or columns
                yield name, _rows(source, columns, rows, of=first)


def _rows(
    source: OpenFile,
    columns: list[str],
    rows: Iterator[tuple[int, tuple[Any, ...]]],
    *,
    of: list[str],
) -> Rows:
    if not {*columns} & {*of}:
        advice = "Hide or delete the sheet, or save it as a file of its own."
        yield Problem(
            Where(), f"columns of the first sheet ({listed(of)})", listed(columns), advice
        )
        return
    for number, cells in rows:
        where = at_row(number)
        if any(cell is not None for cell in cells[len(columns) :]):
            found = "a cell beyond the last of them"
            yield Problem(where, f"{len(columns)} columns as in the first row", found)
            continue
        row = {name: json_value(cell) for name, cell in zip(columns, cells, strict=False) if name}
        row = {name: row.get(name) for name in columns if name}
        problems = list(value_problems(row, where, source.limits))
        if problems:
            yield from problems
        else:
            yield where, row


def _visible_sheets(file: IO[bytes]) -> Iterator[tuple[str, Iterator[tuple[Any, ...]]]]:
    import openpyxl

    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    except _ERRORS as error:
        raise _broken(error) from None
    for sheet in shown:
        yield sheet.title, _cells(sheet)


def _cells(sheet: Any) -> Iterator[tuple[Any, ...]]:
    try:
        sheet.reset_dimensions()  # the declared size of a sheet may be wrong
        rows = sheet.iter_rows(values_only=True)
    except _ERRORS as error:
        raise _broken(error) from None
    while some := _next_rows(rows):
        yield from some


def _next_rows(rows: Iterator[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    try:
        return list(islice(rows, ROWS_AT_ONCE))
    except _ERRORS as error:
        raise _broken(error) from None


def _columns(number: int, cells: tuple[Any, ...]) -> list[str]:
    """Return the names in the first row; columns without a name are left out."""
    names = ["" if cell is None else str(json_value(cell)).strip() for cell in cells]
    while names and not names[-1]:
        names.pop()
    for name in names:
        if name and names.count(name) > 1:
            raise Unreadable(
                Problem(at_row(number), "each column once", f"the column {quoted(name)} twice")
            )
    return names


def _broken(error: BaseException) -> Unreadable:
    said = " ".join(str(error).split())[:200] or type(error).__name__
    found = f"one that cannot be read ({said})"
    return Unreadable(Problem(Where(), "an Excel workbook (.xlsx)", found, "Save it again."))

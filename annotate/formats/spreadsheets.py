"""CSV for spreadsheet programs, which execute a text such as `=1+1` as a formula.

An apostrophe is put before such a text, and an extra column marks the file. Reading the file
removes the apostrophes again, to restore every value.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator

from annotate.formats.writing import csv_line

SPREADSHEET = "spreadsheet"
"""The name of this form in requests, and the value in its column."""

COLUMN = "attest_form"
BYTE_ORDER_MARK = "\ufeff"
"""Excel recognises UTF-8 by it."""

_SEEMS_A_FORMULA = re.compile(
    r"""
    (?! [+-]? (?: [0-9]+ \.? [0-9]* | \.[0-9]+ ) (?: [eE] [+-]? [0-9]+ )? \Z )  # a number is none
    (?: '* [\t\r\n]                                        # what some programs leave out
      | [\s\x00-\x1f"'`‘’“”\u200b-\u200f\u2060\ufeff]*     # what they pass over
        [=+\-@\uff1d\uff0b\uff0d\uff20] )                  # also in their full-width shapes
    """,
    re.VERBOSE,
)


def escaped(cell: str) -> str:
    """Return the cell with an apostrophe if a program could take it for a formula."""
    return f"'{cell}" if _SEEMS_A_FORMULA.match(cell) else cell


def unescaped(cell: str) -> str:
    """Return the cell as it was before `escaped`. A text that looks like a formula still does
    after an apostrophe, so no cell loses an apostrophe of its own."""
    return cell[1:] if cell[:1] == "'" and _SEEMS_A_FORMULA.match(cell[1:]) else cell


def escaped_line(cells: Iterable[object]) -> str:
    """Return one row of a file that is never read again, without the marking column."""
    return csv_line([escaped(cell) if isinstance(cell, str) else cell for cell in cells])


def for_spreadsheets(lines: Iterable[str]) -> Iterator[str]:
    """Yield a CSV file's lines in this form. Each line is one row."""
    before, mark = BYTE_ORDER_MARK, COLUMN
    for line in lines:
        row = next(csv.reader(io.StringIO(line, newline="")))
        yield before + csv_line([*map(escaped, row), mark])
        before, mark = "", SPREADSHEET

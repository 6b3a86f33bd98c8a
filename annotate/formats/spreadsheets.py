"""CSV for spreadsheet programs, which take a text such as `=1+1` for a formula and run it.

An apostrophe stands before such a text, and a column of its own says that the file is written so:
reading it takes the apostrophes away again, so that every value comes back as it was.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator

from annotate.formats.writing import csv_line

READER = "spreadsheet"
"""How this form is asked for, and what its column holds."""

COLUMN = "attest_form"
BYTE_ORDER_MARK = "\ufeff"
"""By which Excel knows UTF-8."""

_SEEMS_A_FORMULA = re.compile(
    r"""
    (?! [+-]? (?: [0-9]+ \.? [0-9]* | \.[0-9]+ ) (?: [eE] [+-]? [0-9]+ )? \Z )  # a number is none
    (?: '* [\t\r\n]                                        # what some programs leave out
      | [\s\x00-\x1f"'`‘’“”\u200b-\u200f\u2060\ufeff]*     # what they pass over
        [=+\-@\uff1d\uff0b\uff0d\uff20] )                  # also in their full-width shapes
    """,
    re.VERBOSE,
)


def harmless(cell: str) -> str:
    """The cell with an apostrophe before it where a program could take it for a formula."""
    return f"'{cell}" if _SEEMS_A_FORMULA.match(cell) else cell


def original(cell: str) -> str:
    """What the cell was before `harmless`. What seems a formula still seems one after an
    apostrophe, so that no cell has lost one which it had of its own."""
    return cell[1:] if cell[:1] == "'" and _SEEMS_A_FORMULA.match(cell[1:]) else cell


def harmless_line(cells: Iterable[object]) -> str:
    """One row of a file that is never read back, without the column."""
    return csv_line([harmless(cell) if isinstance(cell, str) else cell for cell in cells])


def for_spreadsheets(lines: Iterable[str]) -> Iterator[str]:
    """A CSV file's lines, a row each, in this form."""
    before, mark = BYTE_ORDER_MARK, COLUMN
    for line in lines:
        row = next(csv.reader(io.StringIO(line, newline="")))
        yield before + csv_line([*map(harmless, row), mark])
        before, mark = "", READER

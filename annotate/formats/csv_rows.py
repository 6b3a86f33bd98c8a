"""Read CSV strictly: rows with their lines, each as wide as the header."""

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotate.formats.json_values import text_problem
from annotate.formats.limits import Limits
from annotate.formats.open_file import OpenFile, too_long
from annotate.formats.problems import Unreadable, listed, quoted
from annotate.formats.records import Problem, Where
from annotate.formats.spreadsheets import COLUMN, unescaped
from annotate.protocol.slices import DATASET

QUESTION_PREFIX = "question."
"""Prefix of the names of columns with metadata of the question."""

# The csv module's limit is per process. `_lines` has the effective limit, per reader.
csv.field_size_limit(2**31 - 1)


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a file."""

    columns: tuple[str, ...]

    def place(self, column: str) -> int:
        return self.columns.index(column)

    def others(self, wanted: Sequence[str]) -> tuple[tuple[int, str], ...]:
        """Return the columns that are not wanted but kept."""
        return tuple((i, name) for i, name in enumerate(self.columns) if name not in wanted)

    def question_columns(self) -> tuple[tuple[int, str], ...]:
        """Return the columns about the question, each with its key in the metadata."""
        keys = ((i, name.removeprefix(QUESTION_PREFIX), name) for i, name in self.others(()))
        return tuple((i, key) for i, key, name in keys if key and (key != name or key == DATASET))


def filled_cells(row: Sequence[str], columns: Sequence[tuple[int, str]]) -> dict[str, str]:
    """Return the non-empty cells of a row under some columns."""
    return {name: row[i] for i, name in columns if row[i]}


class CsvTable:
    """The rows of a CSV file. Call `header` first."""

    def __init__(self, source: OpenFile, separator: str = ",") -> None:
        self._limits: Limits = source.limits
        self._source = source
        self._taken = 0
        self._line = 1
        self._rows = csv.reader(self._lines(), strict=True, delimiter=separator)
        self._mark: int | None = None
        """Index of the column that marks a file written for spreadsheets."""

    def _lines(self) -> Iterator[str]:
        longest = self._limits.max_record_chars
        for line in self._source.lines():
            self._taken += len(line)
            if self._taken > longest:
                raise Unreadable(too_long(Where(line=self._line), self._limits))
            yield line

    def _next(self) -> list[str] | None:
        """Return the next row that is not blank, and set `_line` to where it starts."""
        while True:
            self._taken = 0
            self._line = self._rows.line_num + 1
            try:
                row = next(self._rows, None)
            except csv.Error as error:
                raise Unreadable(self._broken(str(error))) from None
            if row is None or row:
                return row

    def header(
        self, wanted: Sequence[str], *, only: bool = False, may: Sequence[str] = ()
    ) -> Header:
        """Return the header, which must have every wanted column. With `only`, all other columns
        must be in `may`."""
        row = self._next()
        expected = f"a header with the columns {', '.join(wanted)}"
        if row is None:
            raise Unreadable(Problem(Where(line=1), expected, "no header"))
        where = Where(line=self._line)
        if row.count(COLUMN) == 1:
            self._mark = row.index(COLUMN)
            row.remove(COLUMN)
        for name in row:
            if text_problem(name, where, self._limits):
                raise Unreadable(Problem(where, expected, f"a column named {quoted(name)}"))
            if row.count(name) > 1:
                raise Unreadable(Problem(where, expected, f"the column {quoted(name)} twice"))
        missing = [name for name in wanted if name not in row]
        extra = [name for name in row if name not in (*wanted, *may)] if only else []
        if missing or extra:
            faults = f"without {listed(missing)}" if missing else f"with {listed(extra)} as well"
            raise Unreadable(
                Problem(where, expected, f"the columns {listed(row)}, {faults}", _separator(row))
            )
        return Header(tuple(row))

    def rows(self, header: Header) -> Iterator[tuple[int, list[str]] | Problem]:
        """Yield each row with its line, or its problems."""
        width = len(header.columns) + (self._mark is not None)
        longest = self._limits.max_field_chars
        while (row := self._next()) is not None:
            if len(row) != width:
                yield Problem(
                    Where(line=self._line),
                    f"{width} columns as in the header",
                    f"{len(row)} columns",
                    "Put fields with a comma or a line break in quotation marks.",
                )
                continue
            if self._mark is not None:
                del row[self._mark]
                row = [unescaped(text) for text in row]
            fine = True
            for index, text in enumerate(row):
                if len(text) > longest or "\0" in text:
                    where = Where(line=self._line, field=header.columns[index])
                    if problem := text_problem(text, where, self._limits):
                        fine = False
                        yield problem
            if fine:
                yield self._line, row

    def _broken(self, message: str) -> Problem:
        advice = "A quotation mark within a quoted field is written twice."
        if "unexpected end" in message:
            found = "a quotation mark that is never closed"
        elif "expected after" in message:
            found = "a stray quotation mark"
        elif "new-line character" in message:
            found = "lines that end with a carriage return alone"
            advice = "Save the file with line feeds."
        else:
            found = message
        return Problem(Where(line=self._line), "valid CSV", found, advice)


def _separator(row: list[str]) -> str:
    """Return advice for a header that is one column because of another separator."""
    if len(row) == 1 and (";" in row[0] or "\t" in row[0]):
        return "Separate the columns with commas."
    return ""


def number_in(text: str, low: float, high: float) -> float | None:
    """Return a plain decimal number within bounds; None for any other text."""
    if "_" in text or not text.isascii() or text != text.strip():
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if low <= number <= high and math.isfinite(number) else None

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
from annotate.formats.spreadsheets import COLUMN, original
from annotate.protocol.slices import DATASET

OF_QUESTION = "question."
"""What a column's name begins with that says something of the question."""

# The module's own bound is per process; the bound that counts is in `_lines`, per reader.
csv.field_size_limit(2**31 - 1)


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a file: where each wanted one is, and what else there is."""

    columns: tuple[str, ...]

    def place(self, column: str) -> int:
        return self.columns.index(column)

    def others(self, wanted: Sequence[str]) -> tuple[tuple[int, str], ...]:
        """The columns that are not wanted but kept."""
        return tuple((i, name) for i, name in enumerate(self.columns) if name not in wanted)

    def of_questions(self) -> tuple[tuple[int, str], ...]:
        """The columns that say something of the question, each with its key among the metadata."""
        named = ((i, name.removeprefix(OF_QUESTION), name) for i, name in enumerate(self.columns))
        return tuple((i, key) for i, key, name in named if key and (key != name or key == DATASET))


def told(row: Sequence[str], columns: Sequence[tuple[int, str]]) -> dict[str, str]:
    """What a row says under some columns, where it says something."""
    return {name: row[i] for i, name in columns if row[i]}


class CsvTable:
    """The rows of a CSV file; taking the header is the first thing to do."""

    def __init__(self, source: OpenFile, separator: str = ",") -> None:
        self._limits: Limits = source.limits
        self._source = source
        self._taken = 0
        self._line = 1
        self._rows = csv.reader(self._lines(), strict=True, delimiter=separator)
        self._mark: int | None = None
        """Where the column stands that says that the file is written for spreadsheets."""

    def _lines(self) -> Iterator[str]:
        longest = self._limits.max_record_chars
        for line in self._source.lines():
            self._taken += len(line)
            if self._taken > longest:
                raise Unreadable(too_long(Where(line=self._line), self._limits))
            yield line

    def _next(self) -> list[str] | None:
        """The next row that is not blank; `_line` is then where it starts."""
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
        """The header, which must hold every wanted column.

        With `only` it holds no other than these and those that it `may`.
        """
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
        """Each row with its line, or what is wrong with it."""
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
                row = [original(text) for text in row]
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
    """Advice for a header that is one column because something else separates them."""
    if len(row) == 1 and (";" in row[0] or "\t" in row[0]):
        return "Separate the columns with commas."
    return ""


def number_in(text: str, low: float, high: float) -> float | None:
    """The plain decimal number that a text is, when it lies within bounds; else None."""
    if "_" in text or not text.isascii() or text != text.strip():
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if low <= number <= high and math.isfinite(number) else None

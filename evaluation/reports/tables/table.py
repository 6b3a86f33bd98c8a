"""Tables of a report: columns with a format, and rows of cells."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from evaluation.reports.shape.report import Report

Kind = Literal["text", "count", "share", "number", "bare", "p"]
"""The format of a column: text, whole numbers, shares in percent, numbers, numbers from -1 to 1
without the zero before the point, p values."""

Beside = Literal["", "sd", "interval"]
"""Shown after a number: standard deviation over runs or confidence interval."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column. Neighbours with the same `group` share it as a heading above theirs."""

    key: str
    title: str
    kind: Kind = "text"
    digits: int = 2
    beside: Beside = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A number with its error bar and signature, or the reason why it is undefined."""

    value: float | None
    reason: str = ""
    se: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    of: str = ""
    interval_reason: str = ""
    signature: str = ""
    bca_low: float | None = None
    bca_high: float | None = None
    sd: float | None = None

    @property
    def counted(self) -> str:
        """Return how many things the number is about, such as “30 responses”."""
        if self.n is None:
            return ""
        plural, *more = self.of.split(" ", 1)  # "pairs of raters"
        of = " ".join([plural.removesuffix("s"), *more]) if self.n == 1 else self.of
        return f"{self.n:,} {of}".rstrip()


Cell = str | int | Value | None
"""None where the row has no such value; it is shown as a dash."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table. `key` names its files and its place on the page.

    `notes` are shown below it. `cautions` about its judges go with its numbers into every file.
    `detail`: the page shows it folded, behind another table or a chart.
    `of`: its subject, where a kind has one table per item or judge; documents join those with the
    same columns.
    `shaded`: a matrix of numbers up to 1. The nearer a number is to 1, the stronger the colour
    behind it. Its headings are vertical.
    """

    key: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    detail: bool = False
    cautions: tuple[str, ...] = ()
    of: str = ""
    shaded: bool = False

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(
                    f"Table {self.key}: {len(row)} cells in a row of {len(self.columns)} columns."
                )


def value_of(number: Mapping[str, Any] | float | None, *, reason: str = "undefined") -> Cell:
    """Return the cell of a number of the report, with or without its interval.

    `reason` says why a bare number is missing.
    """
    if number is None:
        return Value(None, reason)
    if isinstance(number, int | float):
        return Value(float(number))
    return Value(
        number["value"],
        number.get("reason", ""),
        se=number.get("se"),
        low=number.get("low"),
        high=number.get("high"),
        n=number.get("n"),
        of=number.get("of", ""),
        interval_reason=number.get("interval_reason", ""),
        signature=number.get("signature", ""),
        bca_low=number.get("bca_low"),
        bca_high=number.get("bca_high"),
    )


@dataclass(frozen=True, slots=True)
class Field(Column):
    """A column and the source of its cells. A new column of a table is one field."""

    source: str | Callable[[Any], Any] = ""
    """A key of the row, or a function of the row. Without one it is the column's key."""

    named: Callable[[Report, str], str] | None = None
    """Turns a key into the title of an item, a judge or a system."""

    missing: str = "undefined"
    """Why a bare number is missing, where the row has no `reason`."""

    @property
    def column(self) -> Column:
        return Column(self.key, self.title, self.kind, self.digits, self.beside, self.group)

    def cell(self, report: Report, row: Any) -> Cell:
        """Return the row's cell, or None where the row has no such value."""
        reason = self.missing
        if callable(self.source):
            found = self.source(row)
            absent = found is None
        else:
            key = self.source or self.key
            absent = key not in row
            found = row.get(key)
            reason = row.get("reason") or reason
        if absent:
            return None
        if self.named is not None:
            return self.named(report, found)
        if self.kind in ("text", "count") or isinstance(found, Value):
            return found  # type: ignore[no-any-return]
        return value_of(found, reason=reason)


def tables_of_rows(
    report: Report,
    key: str,
    title: str,
    caption: str,
    fields: Iterable[Field],
    rows: Iterable[Any],
    notes: Iterable[str] = (),
    *,
    detail: bool = False,
    of: str = "",
    always: bool = False,
) -> list[Table]:
    """Return a table of these rows, or none without rows unless it is `always` shown."""
    fields, rows = tuple(fields), tuple(rows)
    if not (rows or always):
        return []
    return [
        Table(
            key,
            title,
            caption,
            tuple(field.column for field in fields),
            tuple(tuple(field.cell(report, row) for field in fields) for row in rows),
            tuple(notes),
            detail=detail,
            of=of,
        )
    ]


def shared_notes(said: Iterable[tuple[str, str]], every: int = 0) -> list[str]:
    """Return each note once, after its subjects. A note about all of `every` needs no subjects."""
    by_note: dict[str, list[str]] = {}
    for of, note in said:
        by_note.setdefault(note, []).append(of)
    return [
        note if len(of) == every else f"{'; '.join(of)}: {note}" for note, of in by_note.items()
    ]


def sorted_by(table: Table, column: int) -> Table:
    """Sort rows by a column, counted from 1; a negative column sorts from high to low.

    Rows without a number come last. An unknown column leaves the rows as they are.
    """
    place = abs(column) - 1
    if not 0 <= place < len(table.columns):
        return table
    known = [row for row in table.rows if _plain(row[place]) is not None]
    rest = [row for row in table.rows if _plain(row[place]) is None]
    known.sort(key=lambda row: _comparable(row[place]), reverse=column < 0)
    return replace(table, rows=(*known, *rest))


def _plain(cell: Cell) -> str | float | None:
    return cell.value if isinstance(cell, Value) else cell


def _comparable(cell: Cell) -> tuple[bool, float, str]:
    found = _plain(cell)
    return (True, 0.0, found.casefold()) if isinstance(found, str) else (False, found or 0.0, "")

"""The first rows of a table, with its columns and sample values."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from annotate.formats.limits import LONG_NAME_CHARS, Limits
from annotate.formats.open_file import OpenFile
from annotate.formats.problems import Unreadable
from annotate.formats.records import Problem
from annotate.formats.tables.cells import value_of
from annotate.formats.tables.mapping import MOST_COLUMNS
from annotate.formats.tables.opening import table_rows
from annotate.formats.tables.rows import Rows

ROWS = 200
CELLS_CHARS = 8_000_000
"""If rows are long, fewer of them are read."""

SAMPLES, SAMPLE_CHARS = 3, 160
MOST_VALUES, VALUE_CHARS = 12, 60


@dataclass(frozen=True, slots=True)
class SampledColumn:
    """A column with its first different values, and how many of the rows have one."""

    name: str
    samples: tuple[str, ...]
    filled: int
    rows: int
    values: tuple[str, ...] = ()
    """All different values of the rows, if they are few and short."""

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "samples": list(self.samples),
            "filled": self.filled,
            "rows": self.rows,
            "values": list(self.values),
        }


def first_rows(path: Path, limits: Limits) -> list[dict[str, Any]]:
    """Return the first good rows of a table. Errors are shown when it is read completely."""
    rows: list[dict[str, Any]] = []
    left = CELLS_CHARS
    try:
        for row in islice(_good(table_rows(OpenFile(path, limits))), ROWS):
            rows.append(row)
            left -= sum(len(cell) if isinstance(cell, str) else 100 for cell in row.values())
            if left < 0:
                break
    except Unreadable:
        pass
    return rows


def _good(rows: Rows) -> Iterable[dict[str, Any]]:
    return (found[1] for found in rows if not isinstance(found, Problem))


def columns_of(rows: list[dict[str, Any]]) -> list[SampledColumn]:
    """Return the columns in order of appearance. Unusual names become metadata."""
    names = dict.fromkeys(name for row in rows for name in row)
    usable = [name for name in names if 0 < len(name) <= LONG_NAME_CHARS and "\0" not in name]
    return [_column(name, rows) for name in usable[:MOST_COLUMNS]]


def _column(name: str, rows: list[dict[str, Any]]) -> SampledColumn:
    cells = [cell for row in rows if (cell := row.get(name)) not in (None, "", [])]
    different = dict.fromkeys(map(_sample, cells[:50]))
    values: dict[Any, None] = {}
    for cell in cells:
        text = value_of(cell)
        if not isinstance(text, str) or len(text) > VALUE_CHARS or len(values) > MOST_VALUES:
            break
        values[text] = None
    else:
        if len(values) <= MOST_VALUES:
            return SampledColumn(
                name, tuple(different)[:SAMPLES], len(cells), len(rows), tuple(values)
            )
    return SampledColumn(name, tuple(different)[:SAMPLES], len(cells), len(rows))


def _sample(cell: Any) -> str:
    text = cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)
    return text if len(text) <= SAMPLE_CHARS else f"{text[: SAMPLE_CHARS - 1]}…"

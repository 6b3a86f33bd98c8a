"""Tables and charts of results, as pages, programs and commands show them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypedDict

from evaluation.reports.numbers import in_words
from evaluation.statistics.ratings import Figure

DIGITS = 3


class ResultTable(TypedDict):
    """A table. Cells are texts, whole numbers, or figures (`value`, and the reason if there is
    none)."""

    title: str
    columns: list[str]
    rows: list[list[Any]]


class ResultChart(TypedDict):
    """A chart; `spec` is Vega-Lite, `description` is its text alternative."""

    title: str
    description: str
    spec: dict[str, Any]


def table(title: str, columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> ResultTable:
    """Return a table of rows; `columns` has the title of each key."""
    cells = [[with_reasons(row[key]) for key in columns] for row in rows]
    return {"title": title, "columns": list(columns.values()), "rows": cells}


def with_reasons(told: Any) -> Any:
    """Return a value with each figure as a dict of its value and reason."""
    if isinstance(told, Figure):
        return asdict(told)
    if isinstance(told, Mapping):
        return {name: with_reasons(value) for name, value in told.items()}
    if isinstance(told, list):
        return [with_reasons(value) for value in told]
    return told


def cell_text(cell: Any) -> str:
    """Return a cell in words; `reasons` lists below the table why numbers are missing."""
    if not isinstance(cell, Mapping):
        return f"{cell:,}" if isinstance(cell, int) else str(cell)
    if cell["value"] is None:
        return "undefined"
    text = in_words(cell["value"], DIGITS)
    if cell.get("low") is None:
        return text
    return f"{text} [{in_words(cell['low'], DIGITS)}, {in_words(cell['high'], DIGITS)}]"


def reasons(found: ResultTable) -> list[str]:
    """Return why cells have no number."""
    cells = (cell for row in found["rows"] for cell in row if isinstance(cell, Mapping))
    return list(dict.fromkeys(cell["reason"] for cell in cells if cell["value"] is None))


def printed(found: ResultTable) -> Iterator[str]:
    """Yield the lines of a table; none if it has no rows."""
    if not found["rows"]:
        return
    yield found["title"]
    cells = [found["columns"], *([cell_text(cell) for cell in row] for row in found["rows"])]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {line.rstrip()}"
    for reason in reasons(found):
        yield f"  undefined: {reason}"

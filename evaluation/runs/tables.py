"""Tables and charts of what was found about a study, as pages, programs and commands show them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypedDict

from evaluation.reports.numbers import in_words
from evaluation.statistics.ratings import Figure

DIGITS = 3


class MadeTable(TypedDict):
    """Cells are texts, whole numbers, or figures (`value`, and why there is none)."""

    title: str
    columns: list[str]
    rows: list[list[Any]]


class Drawn(TypedDict):
    """A chart beside the tables; `spec` is Vega-Lite, `description` for who cannot see it."""

    title: str
    description: str
    spec: dict[str, Any]


def table(title: str, columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> MadeTable:
    """A table of rows; `columns` says by their keys which of them it has, and how they are
    called."""
    cells = [[as_json(row[key]) for key in columns] for row in rows]
    return {"title": title, "columns": list(columns.values()), "rows": cells}


def as_json(told: Any) -> Any:
    """What is told with each figure as its value and, where it has none, the reason."""
    if isinstance(told, Figure):
        return asdict(told)
    if isinstance(told, Mapping):
        return {name: as_json(value) for name, value in told.items()}
    if isinstance(told, list):
        return [as_json(value) for value in told]
    return told


def said(cell: Any) -> str:
    """A cell as people read it; why there is no number is said below the table (`reasons`)."""
    if not isinstance(cell, Mapping):
        return f"{cell:,}" if isinstance(cell, int) else str(cell)
    if cell["value"] is None:
        return "undefined"
    text = in_words(cell["value"], DIGITS)
    if cell.get("low") is None:
        return text
    return f"{text} [{in_words(cell['low'], DIGITS)}, {in_words(cell['high'], DIGITS)}]"


def reasons(found: MadeTable) -> list[str]:
    """Why some cells have no number."""
    cells = (cell for row in found["rows"] for cell in row if isinstance(cell, Mapping))
    return list(dict.fromkeys(cell["reason"] for cell in cells if cell["value"] is None))


def printed(found: MadeTable) -> Iterator[str]:
    """The lines of a table; none where it has no rows."""
    if not found["rows"]:
        return
    yield found["title"]
    cells = [found["columns"], *([said(cell) for cell in row] for row in found["rows"])]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {line.rstrip()}"
    for reason in reasons(found):
        yield f"  undefined: {reason}"

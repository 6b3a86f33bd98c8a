"""Everything in a study as tables: each has a name and a function that writes it.

Other packages also register their tables here.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from annotate.formats.writing import csv_line
from annotate.models import Study, in_slices

TableWriter = Callable[[Study, Sequence[str]], Iterator[str] | None]
"""Returns the lines of a table for some slices of the questions; None if the study has no such
data."""


@dataclass(frozen=True, slots=True)
class ExportTable:
    name: str
    write: TableWriter
    is_escaped: bool
    """Whether its cells are always escaped for spreadsheets."""


TABLES: dict[str, ExportTable] = {}


def table(name: str, *, is_escaped: bool = False) -> Callable[[TableWriter], TableWriter]:
    """Register a function that writes a table of a study."""

    def named(write: TableWriter) -> TableWriter:
        TABLES[name] = ExportTable(name, write, is_escaped)
        return write

    return named


def rows(
    columns: Mapping[str, Any],
    found: QuerySet[Any],
    *,
    line: Callable[[list[Any]], str] = csv_line,
) -> Iterator[str]:
    """Yield a table of a query. `columns` maps names to paths or expressions."""
    yield line([*columns])
    for row in found.values_list(*columns.values()).iterator(chunk_size=2_000):
        yield line([_cell(one) for one in row])


def place_columns(response: str, unit: str = "") -> dict[str, str]:
    """Return the columns that identify a response, or its unit, with their paths."""
    named = {
        "system": f"{response}__system__name",
        "run": f"{response}__run",
        "question_id": f"{response}__question__external_id",
    }
    return {**named, "unit": f"{unit}__key"} if unit else named


def counted_filter(study: Study, slices: Sequence[str], response: str) -> Q:
    """Return the filter for rows of responses that count, in the slices."""
    counts = {
        f"{response}__study": study,
        f"{response}__live": True,
        f"{response}__upload__published_at__isnull": False,
    }
    return in_slices(study, slices, f"{response}__question") & Q(**counts)


def _cell(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else ""
    return value

"""All that a study holds, as tables: each is known by its name and a function that writes it.

What other packages keep of a study they register here, too.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from annotate.formats.writing import csv_line
from annotate.models import Study, in_slices

Writing = Callable[[Study, Sequence[str]], Iterator[str] | None]
"""The lines of a table of some slices of the questions; none where it has no such thing."""


@dataclass(frozen=True, slots=True)
class ExportTable:
    name: str
    write: Writing
    is_harmless: bool
    """Whether it is made for people, and always safe to open in a spreadsheet."""


TABLES: dict[str, ExportTable] = {}


def table(name: str, *, is_harmless: bool = False) -> Callable[[Writing], Writing]:
    """Has a function write a table of what a study holds."""

    def named(write: Writing) -> Writing:
        TABLES[name] = ExportTable(name, write, is_harmless)
        return write

    return named


def rows(
    columns: Mapping[str, Any],
    found: QuerySet[Any],
    *,
    line: Callable[[list[Any]], str] = csv_line,
) -> Iterator[str]:
    """A table of what is found: under each column's name, what its path leads to or its expression
    says."""
    yield line([*columns])
    for row in found.values_list(*columns.values()).iterator(chunk_size=2_000):
        yield line([_cell(one) for one in row])


def place(response: str, unit: str = "") -> dict[str, str]:
    """The columns that name a response, or a unit of it, and the paths that lead there."""
    named = {
        "system": f"{response}__system__name",
        "run": f"{response}__run",
        "question_id": f"{response}__question__external_id",
    }
    return {**named, "unit": f"{unit}__key"} if unit else named


def counting(study: Study, slices: Sequence[str], response: str) -> Q:
    """Of rows of responses: those of responses that count, in the slices."""
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

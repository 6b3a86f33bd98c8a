"""What is counted: each part is a function of some responses, known by its name."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Model

from annotate.models import Study
from annotate.services.counts.chunk import Add, CountedChunk

Count = Callable[[CountedChunk, Add], Iterable[Model] | None]


@dataclass(frozen=True, slots=True)
class CountedPart:
    """One part of what is counted."""

    version: int
    """That of how it is counted: with it changes what is kept."""

    count: Count
    rows: type[Model] | None
    """What it keeps beside sums: rows that name their response (`response_id`)."""


PARTS: dict[str, CountedPart] = {}
"""By name."""

Found = dict[str, dict[str, int]]
"""What a response comes to, by sum (`part:of`) and name."""


def counted(
    name: str, *, version: int, rows: type[Model] | None = None
) -> Callable[[Count], Count]:
    """Has what a function counts kept. It adds, for each response by itself, numbers to sums that
    begin with its name, and gives the rows that are kept of it."""

    def known(count: Count) -> Count:
        PARTS[name] = CountedPart(version, count, rows)
        return count

    return known


def counts_of(study: Study, responses: Collection[int]) -> tuple[dict[int, Found], list[Model]]:
    """What each of some responses comes to, and the rows of all; of one that is gone, nothing."""
    chunk = CountedChunk(study, responses)
    found: dict[int, Found] = {key: {} for key in chunk.responses}
    rows: list[Model] = []

    def add(response: int, part: str, of: int, name: str, number: int = 1) -> None:
        if not number:
            return
        into = found[response].setdefault(f"{part}:{of}", {})
        if name.startswith("^"):
            into[name] = max(into.get(name, number), number)
        else:
            into[name] = into.get(name, 0) + number

    if found:
        for part in PARTS.values():
            rows += part.count(chunk, add) or ()
    return found, rows


def kinds_of_rows() -> list[type[Any]]:
    """What is kept beside sums."""
    return [part.rows for part in PARTS.values() if part.rows is not None]

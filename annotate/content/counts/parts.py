"""The functions that count responses, registered by `counted`."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Model

from annotate.content.counts.responses import ResponseData
from annotate.models import Study

Add = Callable[..., None]
"""`add(response, part, of, name, number=1)` adds a number to the counts of a response. A name that
begins with `^` has the highest number instead of the sum."""

Count = Callable[[ResponseData, Add], Iterable[Model] | None]

Found = dict[str, dict[str, int]]
"""The counts of one response, by sum (`part:of`) and name."""


@dataclass(frozen=True, slots=True)
class CountedPart:
    """A registered function that counts responses."""

    version: int
    """Raise it when the function changes. All studies are then counted again."""

    count: Count
    rows: type[Model] | None
    """The model of the rows that it returns. They name their response (`response_id`)."""


PARTS: dict[str, CountedPart] = {}
"""By name."""


def counted(
    name: str, *, version: int, rows: type[Model] | None = None
) -> Callable[[Count], Count]:
    """Register a function that adds the counts of each response and returns its rows.

    The counts of a response must not depend on other responses, except on which response of a
    question is the first.
    """

    def register(count: Count) -> Count:
        PARTS[name] = CountedPart(version, count, rows)
        return count

    return register


def counts_of(study: Study, keys: Collection[int]) -> tuple[dict[int, Found], list[Model]]:
    """Return the counts of each response that exists, and the rows of all."""
    data = ResponseData(study, keys)
    found: dict[int, Found] = {key: {} for key in data.responses}
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
            rows += part.count(data, add) or ()
    return found, rows


def row_models() -> list[type[Any]]:
    return [part.rows for part in PARTS.values() if part.rows is not None]

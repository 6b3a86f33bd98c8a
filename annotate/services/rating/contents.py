"""What the questions of a task are made of: the units of its response and their passages.

Once written they stay as they are; units only come and go, are retired and stand again, and a
source that came without a text may get one. The desk's door tells which of them are there
(`models/told.py`) with the task itself, and what this process read of the response in just that
state need not be read again.
"""

from collections.abc import Callable, Collection, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Model, QuerySet

from annotate.models import BatchItem, Source, Unit
from annotate.models.remembered import Remembered

Read = TypeVar("Read", bound=Model)

MOST_CHARS = 8_000_000
"""Of all texts that are kept."""


@dataclass(frozen=True, slots=True)
class Contents:
    """Units, also those that are retired, which know those above them; and sources, which know
    their passages."""

    units: Sequence[Unit]
    sources: Sequence[Source]

    @property
    def chars(self) -> int:
        rows = 500 * (len(self.units) + len(self.sources))
        passages = sum(len(source.passage.text) for source in self.sources)
        return rows + passages + sum(len(unit.text) for unit in self.units)


def sources_of(response: int) -> QuerySet[Source]:
    """Return a response's sources, with their passages."""
    return Source.objects.filter(response=response).select_related("passage").order_by("n")


_KEPT = Remembered[Contents](MOST_CHARS, lambda found: found.chars)


def contents_of(item: BatchItem, only: Callable[[Unit], bool] | None = None) -> Contents:
    """What a task's response has; `only` some of its units. They are the caller's own."""
    response = item.response_id
    if not item.contents:
        found = _read(response)
        if only is None:
            return found
    else:
        found = _KEPT.of((response, item.contents), lambda: _read(response))
    units = [_like(unit) for unit in found.units if only is None or only(unit)]
    return Contents(_with_parents(units), [_with_passage(source) for source in found.sources])


def _read(response: int) -> Contents:
    units = Unit.objects.filter(response=response).order_by("pk")
    return Contents(_with_parents(units), [*sources_of(response)])


def _with_parents(units: Collection[Unit]) -> Sequence[Unit]:
    by_key = {unit.pk: unit for unit in units}
    for unit in units:
        if unit.parent_id in by_key:
            unit.parent = by_key[unit.parent_id]
    return list(units)


def _with_passage(source: Source) -> Source:
    found = _like(source)
    found.passage = _like(source.passage)
    return found


def _like(row: Read) -> Read:
    """The same row, that leads nowhere yet: what is learned of it stays with who asked."""
    return copy(row)

"""What a task is about: the units of its response and their passages."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from annotate.models import Source, Unit, hot_queries


@dataclass(frozen=True, slots=True)
class Contents:
    """Units, also retired ones, with their parents; and sources with their passages."""

    units: Sequence[Unit]
    sources: Sequence[Source]


def sources_of(response: int) -> QuerySet[Source]:
    """Return a response's sources, with their passages."""
    return Source.objects.filter(response=response).select_related("passage").order_by("n")


def units_of(response: int) -> list[Unit]:
    """Return the units of a response, with their parents."""
    units = hot_queries.units_of_response(response)
    by_key = {unit.pk: unit for unit in units}
    for unit in units:
        if unit.parent_id in by_key:
            unit.parent = by_key[unit.parent_id]
    return units


def contents_of(response: int) -> Contents:
    return Contents(units_of(response), list(sources_of(response)))

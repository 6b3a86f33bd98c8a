"""Two answers side by side, as the page of a task shows them: nobody is told whose they are."""

from collections.abc import Collection
from dataclasses import dataclass

from annotate.models import Response, Source, Study, Unit
from annotate.protocol.dimensions import Sight
from annotate.reading import answer
from annotate.reading.answer import ShownAnswer


@dataclass(frozen=True, slots=True)
class ShownSide:
    """One of the two answers, with the passages that may be opened beside it."""

    number: int
    shown: ShownAnswer
    sources: tuple[Source, ...]


def sides(
    study: Study, pair: Unit, sights: Collection[Sight], *, mirrored: bool
) -> tuple[ShownSide, ...]:
    """Answer 1 and Answer 2 of a pair, in the order in which this rater sees them."""
    assert pair.other is not None
    both = [pair.response, pair.other]
    ordered = both[::-1] if mirrored else both
    return tuple(_side(study, one, number, sights) for number, one in enumerate(ordered, 1))


def _side(study: Study, response: Response, number: int, sights: Collection[Sight]) -> ShownSide:
    units = list(response.units.order_by("pk"))
    cited = {unit.source_id for unit in units if unit.source_id is not None}
    sources: list[Source] = []
    if {"cited", "all"} & {*sights}:
        found = response.sources.select_related("passage").order_by("n")
        sources = [one for one in found if "all" in sights or one.pk in cited]
    shown = answer.of_response(response, units, study.citation_cap, study.language)
    return ShownSide(number, shown, tuple(sources))

"""Two answers side by side, as the page of a task shows them: nobody is told whose they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from annotate.content import shown_response
from annotate.content.shown_response import ShownAnswer
from annotate.models import Response, Source, Study, Unit


class SourcedPassage(Protocol):
    """A passage as a page shows it."""

    @property
    def source(self) -> Source: ...


@dataclass(frozen=True, slots=True)
class ShownSide:
    """One of the two answers, with the passages that may be opened beside it."""

    number: int
    shown: ShownAnswer
    passages: tuple[SourcedPassage, ...]


def sides(
    study: Study, pair: Unit, passages: Sequence[SourcedPassage], *, mirrored: bool
) -> tuple[ShownSide, ...]:
    """Answer 1 and Answer 2 of a pair, in the order in which this rater sees them, each with those
    of the passages that are its own."""
    assert pair.other is not None
    both = [pair.response, pair.other]
    ordered = both[::-1] if mirrored else both
    return tuple(_side(study, one, number, passages) for number, one in enumerate(ordered, 1))


def _side(
    study: Study, response: Response, number: int, passages: Sequence[SourcedPassage]
) -> ShownSide:
    units = list(response.units.order_by("pk"))
    own = tuple(one for one in passages if one.source.response_id == response.pk)
    shown = shown_response.of_response(response, units, study.citation_cap, study.language)
    return ShownSide(number, shown, own)

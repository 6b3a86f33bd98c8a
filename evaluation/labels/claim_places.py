"""The parser's claims at the places where people write theirs, of a study in the database."""

from collections.abc import Collection, Iterable

from django.db.models import QuerySet

from annotate.content.responses_by_label import among
from annotate.models import Judgment, Study, Unit
from annotate.protocol.dimensions import OF_CLAIMS, UnitKind, is_written
from annotate.protocol.places import CitationOfClaim, parsers_at


def judged_at(
    study: Study, kind: str, judged: Iterable[QuerySet[Judgment]], out: Collection[int]
) -> dict[int, int]:
    """The parser's unit at each place where people write a claim, where that one was judged and the
    place itself was not, but for what is left out. What is said of it is compared with what people
    say at the place, as in a report (`reports/answers.py`); of other kinds there is none."""
    if kind not in OF_CLAIMS:
        return {}
    places = _parsers_of(study)
    own: set[int] = set()
    for some in judged:
        there = some.filter(unit__in=among([*places, *places.values()]))
        own |= {*there.values_list("unit_id", flat=True)}.difference(out)
    return {place: unit for place, unit in places.items() if unit in own and place not in own}


def _parsers_of(study: Study) -> dict[int, int]:
    rows = Unit.objects.filter(
        kind=UnitKind.CLAIM_CITATION, response__study=study, response__live=True
    )
    claims: dict[int, int] = {}
    citations = []
    places = rows.order_by("pk").values_list(
        "pk", "key", "number", "parent_id", "parent__parent_id"
    )
    for unit, key, number, claim, statement in places:
        if number is not None and claim is not None and statement is not None:
            claims[claim] = statement
            citations.append(CitationOfClaim(unit, claim, number, is_written(key)))
    return parsers_at(claims, citations)

"""Lengths of the texts in which words are marked: the judged text, or the visible passages."""

from collections import defaultdict
from collections.abc import Sequence

from django.db.models import Q
from django.db.models.functions import Length

from annotate.content.responses_by_label import among
from annotate.models import Source, Study, Unit
from annotate.protocol.dimensions import Dimension, UnitKind
from evaluation.statistics.open_coefficients import Lengths

CITATIONS = (UnitKind.CITATION, UnitKind.CLAIM_CITATION)


def lengths_of(study: Study, dimension: Dimension, units: Sequence[int]) -> Lengths:
    """Return the lengths by unit and passage number, as `answers.first_outside` takes them."""
    if dimension.answer != "spans":
        return {}
    if dimension.marks == "text":
        text = "parent__text" if dimension.unit_kind in CITATIONS else "text"
        rows = Unit.objects.filter(pk__in=among(units)).order_by()
        return {unit: {0: length} for unit, length in rows.values_list("pk", Length(text))}
    found: dict[int, dict[int, int]] = defaultdict(dict)
    for unit, n, length in (_all if dimension.sight == "all" else _cited)(study, units):
        found[unit][n] = length
    return found


def _all(study: Study, units: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return unit, number and length of every passage of its response."""
    rows = Unit.objects.filter(pk__in=among(units)).order_by()
    of_response: dict[int, list[int]] = defaultdict(list)
    for unit, response in rows.values_list("pk", "response_id"):
        of_response[response].append(unit)
    sources = Source.objects.filter(response__in=among([*of_response])).order_by()
    return [
        (unit, n, length)
        for response, n, length in sources.values_list("response_id", "n", Length("passage__text"))
        for unit in of_response[response]
    ]


def _cited(study: Study, units: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return the same for passages that the unit or a part of it cites, within the study's cap."""
    wanted, cap = {*units}, study.citation_cap
    some = among(units)
    citing = Unit.objects.filter(
        Q(pk__in=some) | Q(parent__in=some) | Q(parent__parent__in=some),
        kind__in=CITATIONS,
        source__isnull=False,
    ).order_by()
    rows = citing.values_list(
        "pk", "parent_id", "parent__parent_id", "key", "source__n", Length("source__passage__text")
    )
    return [
        (unit, n, length)
        for *about, key, n, length in rows
        if cap is None or int(key.rpartition(".c")[2]) <= cap
        for unit in about
        if unit in wanted
    ]

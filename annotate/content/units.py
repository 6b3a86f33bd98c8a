"""Units of responses: read for a task, and created from whole responses when needed.

Pairs of responses and the claims of a question's reference are created when a batch, file or judge
first needs them. Their keys are numbered on. An outdated one is retired: its unit, key and
judgments stay and no longer count.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from annotate.formats.unit_keys import whole_unit_key
from annotate.models import Question, Response, Source, Study, Unit, hot_queries
from annotate.protocol.dimensions import OF_WHOLE, Dimension, UnitKind
from annotate.protocol.pairs import is_mirrored
from annotate.web.bulk import insert

BATCH = 2_000

WholeUnit = tuple[int, int | str]
"""A response, and the subject of its unit: the id of another response, or a claim's text."""


def stored_units(kind: UnitKind, responses: Collection[int]) -> dict[WholeUnit, tuple[int, int]]:
    """Return id and number of the units of a kind of some responses, including retired ones."""
    found: dict[WholeUnit, tuple[int, int]] = {}
    about = "other" if kind is UnitKind.PAIR else "text"
    ids = sorted(responses)
    for first in range(0, len(ids), BATCH):
        rows = Unit.objects.filter(kind=kind, response__in=ids[first : first + BATCH])
        for response, of, pk, number in rows.values_list("response", about, "pk", "ordinal"):
            found[response, of] = pk, number
    return found


def create_units(study: Study, kind: UnitKind, wanted: Sequence[WholeUnit]) -> dict[WholeUnit, int]:
    """Return the ids of these units. Create the missing ones.

    Lock the study within the caller's transaction, because no number may be used twice.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    responses = {response for response, _ in wanted}
    stored = stored_units(kind, responses)
    last: dict[int, int] = defaultdict(int)
    for (response, _), (_, number) in stored.items():
        last[response] = max(last[response], number)
    keys = {of: pk for of, (pk, _) in stored.items()}
    new = [of for of in dict.fromkeys(wanted) if of not in stored]
    for first in range(0, len(new), BATCH):
        some = new[first : first + BATCH]
        whole = dict(
            Unit.objects.filter(response__in={of[0] for of in some}, key="r").values_list(
                "response", "pk"
            )
        )
        rows = []
        for response, about in some:
            last[response] += 1
            rows.append(_row(kind, response, about, last[response], whole[response]))
        insert(rows)
        keys |= {of: row.pk for of, row in zip(some, rows, strict=True)}
    return {of: keys[of] for of in wanted}


def _row(kind: UnitKind, response: int, about: int | str, number: int, whole: int) -> Unit:
    return Unit(
        response_id=response,
        kind=kind.value,
        key=whole_unit_key(kind, number),
        parent_id=whole,
        ordinal=number,
        text=about if isinstance(about, str) else "",
        start=0,
        end=0,
        other_id=about if isinstance(about, int) else None,
    )


def update_pairs(others: QuerySet[Response]) -> None:
    """Retire or restore the pairs whose other response stopped counting or counts again."""
    pairs = Unit.objects.filter(other__in=others)
    pairs.filter(other__live=True, retired_at__isnull=False).update(retired_at=None)
    pairs.filter(other__live__isnull=True, retired_at__isnull=True).update(
        retired_at=timezone.now()
    )


def claims_of(references: Mapping[str, Any]) -> list[str]:
    """Return the distinct claims of a question's reference."""
    given = references.get("claims") or []
    return list(dict.fromkeys(text.strip() for text in given if text.strip()))


def texts_of(references: Mapping[str, Any]) -> list[str]:
    """Return the distinct texts of a question's reference answer."""
    answer = references.get("answer") or []
    notes = references.get("annotations") or []
    given = [answer] if isinstance(answer, str) else [*answer]
    given += [note["long_answer"] for note in notes]
    return list(dict.fromkeys(text.strip() for text in given if text.strip()))


def update_claims(study: Study, questions: Collection[int]) -> None:
    """Retire, restore and create claims of questions whose references have changed.

    New claims are created for the responses that have claims of the earlier references.
    """
    now = timezone.now()
    new: list[WholeUnit] = []
    for question in Question.objects.filter(pk__in=questions).only("references"):
        rows = Unit.objects.filter(
            kind=UnitKind.REFERENCE_CLAIM, response__in=Response.objects.filter(question=question)
        )
        current = claims_of(question.references)
        rows.filter(text__in=current, retired_at__isnull=False).update(retired_at=None)
        rows.exclude(text__in=current).filter(retired_at__isnull=True).update(retired_at=now)
        responses = rows.order_by().values_list("response", flat=True).distinct()
        new += [(response, text) for response in sorted(responses) for text in current]
    if new:
        create_units(study, UnitKind.REFERENCE_CLAIM, new)


def make_claims(study: Study, responses: Collection[int]) -> None:
    """Create missing units for the references' claims, within the caller's transaction."""
    rows = Response.objects.filter(pk__in=responses).order_by("pk")
    given = list(rows.values_list("pk", "question__references"))
    create_units(
        study,
        UnitKind.REFERENCE_CLAIM,
        [(response, text) for response, references in given for text in claims_of(references)],
    )


def is_mirrored_for(study: Study, rater: str, unit: Unit) -> bool | None:
    """Whether this rater sees the other answer of a pair first; None for other units."""
    other = unit.other
    if other is None:
        return None
    first = unit.response
    names = (first.question.external_id, first.system.name, first.run, other.system.name, other.run)
    return is_mirrored(study.seed, rater, *names)


def draft_units(
    response_id: int, dimensions: Sequence[Dimension], stored_units: Sequence[Unit]
) -> list[Unit]:
    """Return one unsaved unit of each kind that the dimensions ask about and that is missing."""
    asked = {dimension.unit_kind for dimension in dimensions}
    missing = [kind for kind in OF_WHOLE if kind in asked - {unit.kind for unit in stored_units}]
    if not missing:
        return []
    response = Response.objects.select_related("question").get(pk=response_id)
    whole = next(unit.pk for unit in stored_units if unit.key == "r")
    others = Response.objects.current().filter(question=response.question)
    other = others.exclude(system=response.system_id).order_by("pk").first()
    of = {
        UnitKind.PAIR: None if other is None else other.pk,
        UnitKind.REFERENCE_CLAIM: next(iter(claims_of(response.question.references)), None),
    }
    return [
        _row(kind, response_id, about, 1, whole)
        for kind in missing
        if (about := of[kind]) is not None
    ]


@dataclass(frozen=True, slots=True)
class Contents:
    """Units with their parents, including retired ones, and sources with their passages."""

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

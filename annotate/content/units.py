"""Units that are made of whole responses when something asks about them: pairs of two systems'
responses, and the claims of a question's reference.

Their keys go on counting. What is past is retired: its unit, key and judgments stay, and count no
more.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from annotate.formats.unit_keys import whole_unit_key
from annotate.models import Question, Response, Study, Unit
from annotate.protocol.dimensions import OF_WHOLE, Dimension, UnitKind
from annotate.protocol.pairs import is_mirrored
from annotate.web.bulk import insert

BATCH = 2_000

Of = tuple[int, int | str]
"""A response, and what makes a unit with it: the key of another response, or a claim's text."""


def present(kind: UnitKind, responses: Collection[int]) -> dict[Of, tuple[int, int]]:
    """The units of a kind that some responses have, retired ones too: key and number of each."""
    found: dict[Of, tuple[int, int]] = {}
    about = "other" if kind is UnitKind.PAIR else "text"
    ids = sorted(responses)
    for first in range(0, len(ids), BATCH):
        rows = Unit.objects.filter(kind=kind, response__in=ids[first : first + BATCH])
        for response, of, pk, number in rows.values_list("response", about, "pk", "ordinal"):
            found[response, of] = pk, number
    return found


def make(study: Study, kind: UnitKind, wanted: Sequence[Of]) -> dict[Of, int]:
    """The keys of these units; those that are not there yet are made. Two who do so at once wait
    here, within the caller's transaction, so that no number is taken twice."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    responses = {response for response, _ in wanted}
    here = present(kind, responses)
    last: dict[int, int] = defaultdict(int)
    for (response, _), (_, number) in here.items():
        last[response] = max(last[response], number)
    keys = {of: pk for of, (pk, _) in here.items()}
    new = [of for of in dict.fromkeys(wanted) if of not in here]
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


def settle_pairs(others: "QuerySet[Response]") -> None:
    """Some responses count no more, or again: so do the pairs in which they are the other one."""
    pairs = Unit.objects.filter(other__in=others)
    pairs.filter(other__live=True, retired_at__isnull=False).update(retired_at=None)
    pairs.filter(other__live__isnull=True, retired_at__isnull=True).update(
        retired_at=timezone.now()
    )


def claims_of(references: Mapping[str, Any]) -> list[str]:
    """The claims of a question's reference, each once."""
    given = references.get("claims") or []
    return list(dict.fromkeys(text.strip() for text in given if text.strip()))


def texts_of(references: Mapping[str, Any]) -> list[str]:
    """The texts of a question's reference answer."""
    answer = references.get("answer") or []
    notes = references.get("annotations") or []
    given = [answer] if isinstance(answer, str) else [*answer]
    given += [note["long_answer"] for note in notes]
    return list(dict.fromkeys(text.strip() for text in given if text.strip()))


def settle_claims(study: Study, questions: Collection[int]) -> None:
    """Some questions have other references. Claims that are none of these count no more, one that
    stands there again does, and new ones are asked about where others of the question were."""
    now = timezone.now()
    new: list[Of] = []
    for question in Question.objects.filter(pk__in=questions).only("references"):
        rows = Unit.objects.filter(
            kind=UnitKind.REFERENCE_CLAIM, response__in=Response.objects.filter(question=question)
        )
        stands = claims_of(question.references)
        rows.filter(text__in=stands, retired_at__isnull=False).update(retired_at=None)
        rows.exclude(text__in=stands).filter(retired_at__isnull=True).update(retired_at=now)
        asked = rows.order_by().values_list("response", flat=True).distinct()
        new += [(response, text) for response in sorted(asked) for text in stands]
    if new:
        make(study, UnitKind.REFERENCE_CLAIM, new)


def make_claims(study: Study, responses: Collection[int]) -> None:
    """The claims of references as units of these responses, where they are none yet; within the
    caller's transaction."""
    rows = Response.objects.filter(pk__in=responses).order_by("pk")
    given = list(rows.values_list("pk", "question__references"))
    make(
        study,
        UnitKind.REFERENCE_CLAIM,
        [(response, text) for response, references in given for text in claims_of(references)],
    )


def drawn_side(study: Study, rater: str, unit: Unit) -> bool | None:
    """Whether this rater sees the other answer of a pair first; None of what is no pair."""
    other = unit.other
    if other is None:
        return None
    first = unit.response
    names = (first.question.external_id, first.system.name, first.run, other.system.name, other.run)
    return is_mirrored(study.seed, rater, *names)


def drafted(response_id: int, dimensions: Sequence[Dimension], here: Sequence[Unit]) -> list[Unit]:
    """Units that a form would be about and that are not made yet, one of each kind, unsaved."""
    asked = {dimension.unit_kind for dimension in dimensions}
    lacking = [kind for kind in OF_WHOLE if kind in asked - {unit.kind for unit in here}]
    if not lacking:
        return []
    response = Response.objects.select_related("question").get(pk=response_id)
    whole = next(unit.pk for unit in here if unit.key == "r")
    others = Response.objects.current().filter(question=response.question)
    other = others.exclude(system=response.system_id).order_by("pk").first()
    of = {
        UnitKind.PAIR: None if other is None else other.pk,
        UnitKind.REFERENCE_CLAIM: next(iter(claims_of(response.question.references)), None),
    }
    return [
        _row(kind, response_id, about, 1, whole)
        for kind in lacking
        if (about := of[kind]) is not None
    ]

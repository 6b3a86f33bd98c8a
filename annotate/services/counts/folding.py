"""Taking what has changed into the sums: the old counts of a response out, the new ones in.

One transaction removes what was noted of some responses, then reads them: what others commit in
between has noted them again. The sums of one study are changed by one at a time.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from hashlib import sha256
from json import dumps
from typing import Any

from django.db import transaction
from django.db.models import BigIntegerField, Exists, F, Max, QuerySet
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast
from django.utils import timezone

from annotate import jobs
from annotate.jobs.sending import tell as send
from annotate.models import Changed, Counting, Response, ResponseCounts, Study, Sum
from annotate.services.bulk import insert, insert_selected
from annotate.services.counts.parts import PARTS, Found, counts_of, kinds_of_rows

AT_ONCE = 200
"""Changed responses that whoever looks counts; a worker takes so many at a time."""

TASK = "annotate.keep_counts"


def basis_of(study: Study) -> str:
    """A digest of what all counts of a study rest on."""
    versions = sorted((name, part.version) for name, part in PARTS.items())
    asked = (study.dimensions, study.form, study.derived, study.citation_cap)
    return sha256(dumps((versions, asked)).encode()).hexdigest()


def is_due(study: Study) -> bool:
    """Whether anything is to be counted."""
    noted = Exists(Changed.objects.filter(study_id=study.pk))
    return _known(study).values_list(noted).first() != (False,)


def is_known(study: Study) -> bool:
    """Whether what changes is noted: its counts rest on what they should."""
    return _known(study).exists()


def _known(study: Study) -> QuerySet[Counting]:
    return Counting.objects.filter(pk=study.pk, basis=basis_of(study))


def fold(study: Study, most: int, *, last: bool = False) -> int:
    """Count changed responses again, the ones that changed first or `last`; returns how many."""
    with transaction.atomic():
        hold(study)
        noted = Changed.objects.filter(study_id=study.pk)
        order = noted.order_by("-pk" if last else "pk").values_list("response_id", flat=True)
        keys = [*dict.fromkeys(order[: 4 * most])][:most]
        if not keys:
            return 0
        noted.filter(response_id__in=keys).delete()
        _take_in(study, keys)
    return len(keys)


def hold(study: Study) -> None:
    """Lock the sums of a study; where they rest on something else by now, note all of it."""
    locked = Counting.objects.select_for_update().filter(pk=study.pk)
    counting = locked.first()
    if counting is None:
        Counting.objects.bulk_create([Counting(pk=study.pk)], ignore_conflicts=True)
        counting = locked.get()
    basis = basis_of(study)
    if counting.basis == basis:
        return
    _note_all(study)
    Counting.objects.filter(pk=study.pk).update(basis=basis)


def start_over(study: Study) -> None:
    """Let go of what is kept, and have everything counted."""
    with transaction.atomic():
        hold(study)
        kinds: list[Any] = [ResponseCounts, Sum, *kinds_of_rows()]
        for model in kinds:
            model.objects.filter(study_id=study.pk).delete()
        _note_all(study)


def _note_all(study: Study) -> None:
    own = {"study_id": F("study_id"), "response_id": F("pk")}
    insert_selected(Changed, own, Response.objects.filter(study=study).order_by())
    known = ResponseCounts.objects.filter(study_id=study.pk)
    gone = known.exclude(response_id__in=Response.objects.filter(study=study).values("pk"))
    insert_selected(Changed, own, gone.order_by())


def _take_in(study: Study, keys: Collection[int]) -> None:
    new, rows = counts_of(study, keys)
    old: dict[int, Found] = dict(
        ResponseCounts.objects.filter(pk__in=keys).values_list("pk", "counts")
    )
    kept = [
        ResponseCounts(response_id=key, study_id=study.pk, counts=counts)
        for key, counts in new.items()
        if counts != old.get(key)
    ]
    ResponseCounts.objects.bulk_create(
        kept, update_conflicts=True, unique_fields=["response_id"], update_fields=["counts"]
    )
    if gone := old.keys() - new.keys():
        ResponseCounts.objects.filter(pk__in=gone).delete()
    for kind in kinds_of_rows():
        _replace(kind, keys, [row for row in rows if isinstance(row, kind)])
    _change(study, *_differences((old.get(key, {}), new.get(key, {})) for key in keys))


def _replace(kind: type[Any], keys: Collection[int], rows: Iterable[Any]) -> None:
    """Write what is kept of each response whose rows are others than before."""
    names = [field.attname for field in kind._meta.concrete_fields if field.attname != "id"]
    new, old = (defaultdict[int, list[Any]](list) for _ in range(2))
    for row in rows:
        new[row.response_id].append(row)
    for row in kind.objects.filter(response_id__in=keys).order_by("pk"):
        old[row.response_id].append([getattr(row, name) for name in names])
    apart = [
        key
        for key in keys
        if old.get(key, []) != [[getattr(row, name) for name in names] for row in new.get(key, [])]
    ]
    kind.objects.filter(response_id__in=apart).delete()
    insert([row for key in apart for row in new.get(key, [])])


Changes = dict[str, dict[str, int]]
Highest = dict[str, dict[str, tuple[int | None, int | None]]]
"""Of names with `^` the highest that went and the highest that came."""


def _differences(pairs: Iterable[tuple[Found, Found]]) -> tuple[Changes, Highest]:
    changes: Changes = defaultdict(lambda: defaultdict(int))
    highest: Highest = defaultdict(dict)
    for old, new in pairs:
        for place in old.keys() | new.keys():
            before, after = old.get(place, {}), new.get(place, {})
            if before == after:
                continue
            for name in before.keys() | after.keys():
                if not name.startswith("^"):
                    changes[place][name] += after.get(name, 0) - before.get(name, 0)
                    continue
                went, came = highest[place].get(name, (None, None))
                highest[place][name] = (
                    max((one for one in (went, before.get(name)) if one is not None), default=None),
                    max((one for one in (came, after.get(name)) if one is not None), default=None),
                )
    return changes, highest


def _change(study: Study, changes: Changes, highest: Highest) -> None:
    places = {
        place: (part, int(of))
        for place in changes.keys() | highest.keys()
        for part, _, of in (place.partition(":"),)
    }
    parts, each = ({*one} for one in zip(*places.values(), strict=True)) if places else ((), ())
    near = Sum.objects.filter(study_id=study.pk, part__in=parts, of__in=each)
    there = {f"{row.part}:{row.of}": row for row in near}
    rows = {
        place: there.get(place) or Sum(study_id=study.pk, part=part, of=of, counts={})
        for place, (part, of) in places.items()
    }
    for place, names in changes.items():
        counts = rows[place].counts
        for name, number in names.items():
            counts[name] = counts.get(name, 0) + number
            if not counts[name]:
                del counts[name]
    for place, ends in highest.items():
        for name, (went, came) in ends.items():
            _set_highest(study, place, name, rows[place].counts, went, came)
    if empty := [row.pk for row in rows.values() if row.pk and not row.counts]:
        Sum.objects.filter(pk__in=empty).delete()
    Sum.objects.bulk_create(
        [Sum(study_id=study.pk, part=row.part, of=row.of, counts=row.counts)
         for row in rows.values() if row.counts],
        update_conflicts=True, unique_fields=["study_id", "part", "of"], update_fields=["counts"],
    )  # fmt: skip


def _set_highest(
    study: Study, place: str, name: str, counts: dict[str, int], went: int | None, came: int | None
) -> None:
    """The highest number: where it may have gone, it is looked for among what is kept."""
    present = counts.get(name)
    if present is not None and went == present and (came is None or came < present):
        own = ResponseCounts.objects.filter(study_id=study.pk, counts__has_key=place)
        number = Cast(KeyTextTransform(name, KeyTransform(place, "counts")), BigIntegerField())
        found = own.aggregate(highest=Max(number))["highest"]
    else:
        found = max((one for one in (present, came) if one is not None), default=None)
    if found is None:
        counts.pop(name, None)
    else:
        counts[name] = found


# Workers -----------------------------------------------------------------------------------------


def catch_up(study: Study) -> int:
    """Count everything that waits; returns how many responses."""
    total = 0
    while number := fold(study, AT_ONCE):
        total += number
    return total


def tell(study: Study) -> None:
    """Have a worker count what waits, if none was told a moment ago."""
    now = timezone.now()
    Counting.objects.bulk_create([Counting(pk=study.pk)], ignore_conflicts=True)
    told = Counting.objects.filter(pk=study.pk).exclude(told_at__gt=now - jobs.PATIENCE)
    if told.update(told_at=now):
        send(TASK, "default", study.pk)


@jobs.swept
def look_after_counts(now: datetime) -> None:
    """Have counted what waits although nobody looks, and let go of what is of no study any more."""
    noted = Changed.objects.order_by().values_list("study_id", flat=True).distinct()
    studies = Study.every.in_bulk([*noted])
    for study in studies.values():
        tell(study)
    for key in {*noted} - studies.keys():
        forget(key)


def forget(study_id: int) -> None:
    """Let go of all that is kept of a study that is no more."""
    kinds: list[Any] = [Changed, ResponseCounts, Sum, *kinds_of_rows()]
    for model in kinds:
        model.objects.filter(study_id=study_id).delete()
    Counting.objects.filter(pk=study_id).delete()

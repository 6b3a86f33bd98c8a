"""Taking what has changed into the sums: the old counts of a response out, the new ones in.

One transaction removes what was noted of some responses, then reads them: what others commit in
between has noted them again. The sums of one study are changed by one at a time.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from hashlib import sha256
from json import dumps, loads
from typing import Any

from django.db import connection, transaction
from django.db.models import BigIntegerField, Exists, F, Max, Model
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast
from django.utils import timezone

from annotate import jobs
from annotate.jobs.sending import tell as send
from annotate.models import Changed, Counting, Response, ResponseCounts, Study, Sum
from annotate.services.bulk import insert, insert_selected, put
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
    counting = Counting.objects.filter(pk=study.pk, basis=basis_of(study))
    return counting.values_list(noted, flat=True).first() is not False


def is_known(study: Study) -> bool:
    """Whether what changes is noted: its counts rest on what they should."""
    return Counting.objects.filter(pk=study.pk, basis=basis_of(study)).exists()


def fold(study: Study, most: int, *, last: bool = False) -> int:
    """Count changed responses again, the ones that changed first or `last`; returns how many."""
    with transaction.atomic():
        hold(study)
        changed = Changed.objects.filter(study_id=study.pk)
        noted = changed.order_by("-pk" if last else "pk").values_list("response_id", flat=True)
        keys = [*dict.fromkeys(noted[: 4 * AT_ONCE])][:most]
        if not keys:
            return 0
        changed.filter(response_id__in=keys).delete()
        _take_in(study, keys)
    return len(keys)


def hold(study: Study) -> None:
    """Lock the sums of a study; where they rest on something else by now, note all of it."""
    counting, _ = Counting.objects.select_for_update().get_or_create(pk=study.pk)
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
    rows_before = ResponseCounts.objects.filter(pk__in=keys)
    old: dict[int, Found] = dict(rows_before.values_list("pk", "counts"))
    put(
        [
            ResponseCounts(
                response_id=key, study_id=study.pk, counts=counts, highest=_highest_of(counts)
            )
            for key, counts in new.items()
            if counts != old.get(key)
        ],
        at=["response_id"],
    )
    if gone := old.keys() - new.keys():
        ResponseCounts.objects.filter(pk__in=gone).delete()
    for kind in kinds_of_rows():
        _replace(kind, keys, [row for row in rows if isinstance(row, kind)])
    _change(study, *_differences((old.get(key, {}), new.get(key, {})) for key in keys))


def _highest_of(counts: Found) -> int | None:
    every = (each for names in counts.values() for each in names.items())
    return max((number for name, number in every if name.startswith("^")), default=None)


def _replace(kind: type[Model], keys: Collection[int], rows: Iterable[Any]) -> None:
    """Write what is kept of each response whose rows are others than before."""
    fields = [field.attname for field in kind._meta.concrete_fields]
    names = [name for name in fields if name != "id"]
    place = names.index("response_id")
    kept = kind._default_manager.filter(response_id__in=keys)
    new, old, written = (defaultdict[int, list[Any]](list) for _ in range(3))
    for row in rows:
        written[row.response_id].append(row)
        new[row.response_id].append(tuple([getattr(row, name) for name in names]))
    for row in kept.order_by("pk").values_list(*names):
        old[row[place]].append(row)
    if apart := [key for key in keys if old.get(key) != new.get(key)]:
        kept.filter(response_id__in=apart).delete()
        insert([row for key in apart for row in written[key]])


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


def _sums(study: Study, places: Collection[tuple[str, int]]) -> Iterator[Sum]:
    """What is kept of these sums."""
    if not places:
        return
    table = connection.ops.quote_name(Sum._meta.db_table)
    those = ", ".join(["(%s, %s)"] * len(places))
    values = [study.pk, *[one for place in places for one in place]]
    with connection.cursor() as cursor:
        cursor.execute(
            f'SELECT id, part, "of", counts FROM {table} '  # noqa: S608 (own names)
            f'WHERE study_id = %s AND (part, "of") IN (VALUES {those})',
            values,
        )
        for key, part, of, counts in cursor.fetchall():
            yield Sum(pk=key, study_id=study.pk, part=part, of=of, counts=loads(counts))


def _change(study: Study, changes: Changes, highest: Highest) -> None:
    places = {
        place: (part, int(of))
        for place in changes.keys() | highest.keys()
        for part, _, of in (place.partition(":"),)
    }
    there = {f"{row.part}:{row.of}": row for row in _sums(study, [*places.values()])}
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
    put([row for row in rows.values() if row.counts], at=["study_id", "part", "of"])


def _set_highest(
    study: Study, place: str, name: str, counts: dict[str, int], went: int | None, came: int | None
) -> None:
    """The highest number: where it may have gone, it is looked for among what is kept."""
    present = counts.get(name)
    if present is not None and went == present and (came is None or came < present):
        found = _looked_for(study, place, name)
    else:
        found = max((one for one in (present, came) if one is not None), default=None)
    if found is None:
        counts.pop(name, None)
    else:
        counts[name] = found


def _looked_for(study: Study, place: str, name: str) -> int | None:
    """The highest number in any response: those are looked at first that have high ones, until no
    other can have a higher one."""
    number = Cast(KeyTextTransform(name, KeyTransform(place, "counts")), BigIntegerField())
    own = ResponseCounts.objects.filter(study_id=study.pk)
    found: int | None = own.filter(highest=None).aggregate(found=Max(number))["found"]
    rows = own.filter(highest__isnull=False).order_by("-highest")
    for highest, one in rows.values_list("highest", number).iterator(chunk_size=50):
        if found is not None and found >= highest:
            break
        if one is not None and (found is None or one > found):
            found = one
    return found


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

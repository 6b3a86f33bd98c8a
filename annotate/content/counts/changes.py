"""Apply changed responses to the sums of their study.

One transaction deletes the records of some changed responses, and reads the responses after that: a
change that commits in between leaves a new record. A lock on the study's `Counting` row lets one
process at a time change the sums.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from json import dumps
from typing import Any

from django.db import transaction
from django.db.models import BigIntegerField, Exists, F, Model
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast
from django.utils import timezone

from annotate.content.counts.parts import PARTS, Found, counts_of, row_models
from annotate.models import Changed, Counting, Response, ResponseCounts, Study, Sum
from annotate.web.bulk import insert, insert_selected, upsert
from annotate.work import jobs
from annotate.work.jobs.sending import send_message as send

AT_ONCE = 200
"""The most responses that a page, or one transaction of a worker, counts again."""

TASK = "annotate.keep_counts"


def basis_of(study: Study) -> str:
    """Return a digest of what the counts depend on besides rows: code versions and settings."""
    versions = sorted((name, part.version) for name, part in PARTS.items())
    settings = (study.dimensions, study.form, study.derived, study.citation_cap)
    return sha256(dumps((versions, settings)).encode()).hexdigest()


def has_changes(study: Study) -> bool:
    """Whether a response must be counted again."""
    changed = Exists(Changed.objects.filter(study_id=study.pk))
    counting = Counting.objects.filter(pk=study.pk, basis=basis_of(study))
    return counting.values_list(changed, flat=True).first() is not False


def apply_changes(study: Study, limit: int, *, newest_first: bool = False) -> int:
    """Count changed responses again and return how many."""
    with transaction.atomic():
        lock(study)
        changed = Changed.objects.filter(study_id=study.pk)
        rows = changed.order_by("-pk" if newest_first else "pk")
        recorded = rows.values_list("response_id", flat=True)[: 4 * AT_ONCE]
        keys = [*dict.fromkeys(recorded)][:limit]
        if not keys:
            return 0
        changed.filter(response_id__in=keys).delete()
        _count_again(study, keys)
    return len(keys)


def lock(study: Study) -> None:
    """Lock the study's sums. If they have another basis, mark all responses as changed."""
    counting, _ = Counting.objects.select_for_update().get_or_create(pk=study.pk)
    basis = basis_of(study)
    if counting.basis != basis:
        mark_all_changed(study)
        Counting.objects.filter(pk=study.pk).update(basis=basis)


def mark_all_changed(study: Study) -> None:
    """Record all responses of a study as changed, also deleted ones that are still counted."""
    own = {"study_id": F("study_id"), "response_id": F("pk")}
    responses = Response.objects.filter(study=study).order_by()
    insert_selected(Changed, own, responses)
    counted = ResponseCounts.objects.filter(study_id=study.pk)
    deleted = counted.exclude(response_id__in=responses.values("pk"))
    insert_selected(Changed, own, deleted.order_by())


def reset(study: Study) -> None:
    """Delete the study's counts and mark all its responses as changed."""
    with transaction.atomic():
        lock(study)
        _delete_kept(study.pk)
        mark_all_changed(study)


def _count_again(study: Study, keys: Collection[int]) -> None:
    new, rows = counts_of(study, keys)
    stored = ResponseCounts.objects.filter(pk__in=keys)
    old: dict[int, Found] = dict(stored.values_list("pk", "counts"))
    if deleted := old.keys() - new.keys():
        stored.filter(pk__in=deleted).delete()
    upsert(
        [
            ResponseCounts(
                response_id=key, study_id=study.pk, counts=counts, highest=_highest_in(counts)
            )
            for key, counts in new.items()
            if counts != old.get(key)
        ],
        at=["response_id"],
    )
    for model in row_models():
        _replace_rows(model, keys, [row for row in rows if isinstance(row, model)])
    _update_sums(study, [(old.get(key, {}), new.get(key, {})) for key in keys])


def _highest_in(counts: Found) -> int | None:
    """The highest of a response's maxima, by which `_highest_of` finds another response."""
    every = (each for names in counts.values() for each in names.items())
    return max((number for name, number in every if name.startswith("^")), default=None)


def _replace_rows(model: type[Model], keys: Collection[int], rows: Iterable[Any]) -> None:
    """Replace the rows of each response whose rows have changed."""
    names = [field.attname for field in model._meta.concrete_fields if field.attname != "id"]
    stored = model._default_manager.filter(response_id__in=keys)
    old, new, to_write = (defaultdict[int, list[Any]](list) for _ in range(3))
    for values in stored.order_by("pk").values_list(*names):
        old[values[names.index("response_id")]].append(values)
    for row in rows:
        new[row.response_id].append(tuple([getattr(row, name) for name in names]))
        to_write[row.response_id].append(row)
    if changed := [key for key in keys if old.get(key) != new.get(key)]:
        stored.filter(response_id__in=changed).delete()
        insert([row for key in changed for row in to_write[key]])


def _update_sums(study: Study, changes: Sequence[tuple[Found, Found]]) -> None:
    """Subtract the old counts of each response from the sums, and add the new ones."""
    sums = _sums_at(
        study,
        {
            place
            for old, new in changes
            for place in old.keys() | new.keys()
            if old.get(place) != new.get(place)
        },
    )
    lost = set[tuple[str, str]]()
    for old, new in changes:
        for place in sums.keys() & (old.keys() | new.keys()):
            counts, before, after = sums[place].counts, old.get(place, {}), new.get(place, {})
            for name in before.keys() | after.keys():
                if name.startswith("^"):
                    if _lowers(counts, name, before.get(name), after.get(name)):
                        lost.add((place, name))
                else:
                    number = counts.get(name, 0) + after.get(name, 0) - before.get(name, 0)
                    _set(counts, name, number or None)
    for place, name in lost:
        _set(sums[place].counts, name, _highest_of(study, place, name))
    if empty := [row.pk for row in sums.values() if row.pk and not row.counts]:
        Sum.objects.filter(pk__in=empty).delete()
    upsert([row for row in sums.values() if row.counts], at=["study_id", "part", "of"])


def _sums_at(study: Study, places: Collection[str]) -> dict[str, Sum]:
    """Return the sums of these names (`part:of`); unsaved ones where the study has none."""
    keys = [(part, int(of)) for part, _, of in (place.partition(":") for place in places)]
    rows = Sum.objects.filter(
        study_id=study.pk, part__in={part for part, _ in keys}, of__in={of for _, of in keys}
    )
    found = {(row.part, row.of): row for row in rows}
    return {
        f"{part}:{of}": found.get((part, of)) or Sum(study_id=study.pk, part=part, of=of, counts={})
        for part, of in keys
    }


def _set(counts: dict[str, int], name: str, number: int | None) -> None:
    if number is None:
        counts.pop(name, None)
    else:
        counts[name] = number


def _lowers(counts: dict[str, int], name: str, before: int | None, after: int | None) -> bool:
    """Raise a maximum, or return True if this response held it and no longer does."""
    highest = counts.get(name)
    if after is not None and (highest is None or after >= highest):
        counts[name] = after
        return False
    return before is not None and before == highest


def _highest_of(study: Study, place: str, name: str) -> int | None:
    """Find a maximum among all responses, those with the highest numbers first."""
    number = Cast(KeyTextTransform(name, KeyTransform(place, "counts")), BigIntegerField())
    rows = ResponseCounts.objects.filter(study_id=study.pk, highest__isnull=False)
    found: int | None = None
    by_highest = rows.order_by("-highest").values_list("highest", number)
    for highest, one in by_highest.iterator(chunk_size=50):
        if found is not None and found >= highest:
            break
        if one is not None and (found is None or one > found):
            found = one
    return found


# Workers -----------------------------------------------------------------------------------------


def catch_up(study: Study) -> int:
    """Count all changed responses again and return how many."""
    total = 0
    while number := apply_changes(study, AT_ONCE):
        total += number
    return total


def schedule(study: Study) -> None:
    """Send a worker to catch up, unless one was sent a moment ago."""
    now = timezone.now()
    Counting.objects.bulk_create([Counting(pk=study.pk)], ignore_conflicts=True)
    idle = Counting.objects.filter(pk=study.pk).exclude(told_at__gt=now - jobs.PATIENCE)
    if idle.update(told_at=now):
        send(TASK, "default", study.pk)


@jobs.swept
def sweep(now: datetime) -> None:
    """Schedule all studies with changes, and delete the counts of deleted studies."""
    changed = {*Changed.objects.order_by().values_list("study_id", flat=True).distinct()}
    studies = Study.every.in_bulk(changed)
    for study in studies.values():
        schedule(study)
    for key in changed - studies.keys():
        delete_counts(key)


def delete_counts(study_id: int) -> None:
    """Delete everything kept of a study."""
    Changed.objects.filter(study_id=study_id).delete()
    _delete_kept(study_id)
    Counting.objects.filter(pk=study_id).delete()


def _delete_kept(study_id: int) -> None:
    kinds: list[Any] = [ResponseCounts, Sum, *row_models()]
    for model in kinds:
        model.objects.filter(study_id=study_id).delete()

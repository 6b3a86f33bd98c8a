"""Pause, exclude and readmit raters, always with a reason.

A paused rater gets no new tasks. Excluding a rater also frees their tasks at once. Their finished
ratings stay but no longer count (`places.counting`), so that other raters replace them. A
readmitted rater counts again, even if others have rated in the meantime.
"""

from django.db import transaction
from django.db.models import Count, F

from annotate.models import PEOPLE, Assignment, Batch, BatchItem, Judge, StandingChange, User
from annotate.rating import assignments, places
from annotate.web import audit
from annotate.web.errors import Refused

REASON_CHARS = 2_000


def refuse_excluded(judge: Judge) -> None:
    """Refuse any work of an excluded rater, including practice."""
    if judge.rater.standing == Judge.Standing.EXCLUDED:
        raise Refused("The study's researchers have ended your part in it.")


def change_standing(
    judge: Judge, standing: Judge.Standing, *, reason: str, by: User | None = None
) -> int | None:
    """Pause, exclude or readmit a rater. Return the number of freed tasks.

    Return None if the standing does not change.
    """
    reason = reason.strip()[:REASON_CHARS]
    if not reason:
        raise Refused("Give a reason: it is kept with the change.")
    if judge.kind not in PEOPLE:
        raise Refused("Only raters can be paused or excluded.")
    with transaction.atomic():
        locked = Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
        freed = _write(locked, standing, reason=reason, by=by)
    judge.standing = locked.standing
    return freed


def pause_by_rule(judge: Judge, reason: str) -> bool:
    """Pause an active rater. Return whether the rater was active."""
    with transaction.atomic():
        locked = Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
        if locked.standing != Judge.Standing.ACTIVE:
            return False
        _write(locked, Judge.Standing.PAUSED, reason=reason, by=None)
    judge.standing = Judge.Standing.PAUSED
    return True


def _write(locked: Judge, standing: Judge.Standing, *, reason: str, by: User | None) -> int | None:
    if locked.standing == standing:
        return None
    StandingChange.objects.create(judge=locked, standing=standing, reason=reason, by=by)
    audit.note("standing-changed", locked, by=by, before=locked.standing, after=standing)
    locked.standing = standing
    locked.save(update_fields=["standing"])
    freed = 0
    if standing == Judge.Standing.EXCLUDED:
        held = locked.assignments.filter(state=Assignment.State.ACTIVE).order_by()
        for batch in Batch.objects.filter(pk__in=held.values("batch")):
            freed += assignments.give_all_back(batch, locked)
    return freed


def surplus(judge: Judge) -> int:
    """Return how many of the judge's finished tasks have more ratings than wanted."""
    own = judge.assignments.filter(
        state=Assignment.State.DONE, item__is_gold=False, batch__purpose=Batch.Purpose.WORK
    )
    done = places.counting(
        Assignment.objects.filter(
            state=Assignment.State.DONE, item__in=BatchItem.objects.filter(assignments__in=own)
        )
    )
    return (
        done.order_by()
        .values("item")
        .annotate(n=Count("pk"))
        .filter(n__gt=F("batch__raters_per_item"))
        .count()
    )

"""The places of an item and the leases on its tasks.

An item has as many places as its batch wants ratings. A finished assignment holds a place, and
so does one with a running lease. Gold and practice items have room for everybody. Only people hold
places. Researchers who write gold answers do not, and neither do excluded raters, whose ratings
are requested again.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import (
    Count,
    Exists,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.models import PEOPLE, Assignment, Batch, BatchItem, Enrolment, Judge, still_counts

DONE, ACTIVE, RETURNED = Assignment.State.DONE, Assignment.State.ACTIVE, Assignment.State.RETURNED


def counting(assignments: "QuerySet[Assignment]") -> "QuerySet[Assignment]":
    """Keep assignments whose ratings count: those of people who are not excluded."""
    return assignments.filter(judge__kind__in=PEOPLE).exclude(
        judge__standing=Judge.Standing.EXCLUDED
    )


def holding(now: datetime) -> Q:
    """Match assignments that hold a place."""
    return Q(state=DONE) | Q(state=ACTIVE, lease_until__gt=now)


def full_items(batch: Any, raters: Any, held: Q) -> "QuerySet[Assignment, int]":
    """Return ids of the batch's items with at least `raters` assignments that match `held`."""
    return (
        counting(Assignment.objects.filter(held, batch=batch))
        .order_by()
        .values("item")
        .annotate(n=Count("pk"))
        .filter(n__gte=raters)
        .values_list("item", flat=True)
    )


def items_to_rate(batch: Batch) -> "QuerySet[BatchItem]":
    """Return the batch's items that still count, without gold."""
    return batch.items.filter(still_counts(), is_gold=False)


def open_items(batch: Any, judge: Any, raters: Any, now: Any) -> "QuerySet[BatchItem]":
    """Return items that the judge has not had and that have a free place."""
    seen = Assignment.objects.filter(judge=judge, batch=batch).values("item")
    taken = Q(pk__in=seen) | Q(pk__in=full_items(batch, raters, holding(now)))
    return BatchItem.objects.filter(still_counts(), ~taken, batch=batch, is_gold=False)


def open_items_among(some: Any, judge: Any, raters: Any, now: Any) -> "QuerySet[BatchItem]":
    """Return `open_items` among a few items, each checked by a subquery."""
    held = counting(Assignment.objects.filter(holding(now), item=OuterRef("pk"))).order_by()
    number = held.values("item").annotate(n=Count("pk")).values("n")
    seen = Assignment.objects.filter(judge=judge, item=OuterRef("pk"))
    return BatchItem.objects.annotate(
        held=Coalesce(Subquery(number, output_field=IntegerField()), 0)
    ).filter(still_counts(), ~Exists(seen), pk__in=some, is_gold=False, held__lt=raters)


def is_limited(batch: Batch, item: BatchItem) -> bool:
    return not (batch.is_practice or item.is_gold)


def lock_item(item_id: int) -> BatchItem:
    return BatchItem.objects.select_for_update(no_key=True).get(pk=item_id)


def count_held_by_others(assignment: Assignment, now: datetime, *, runs: bool) -> int:
    """Return how many others hold a place in the task's item.

    With a running lease (`runs`), only others' finished tasks count.
    """
    held = Q(state=DONE) if runs else holding(now)
    others = Assignment.objects.filter(held, item=assignment.item_id).exclude(pk=assignment.pk)
    return counting(others).count()


# Leases ---------------------------------------------------------------------------------------

MARGIN = timedelta(seconds=10)
"""Leases with less time left are renewed under the item's lock, because they may expire
meanwhile."""


def has_left(batch: Batch, judge: Judge) -> bool:
    """Whether a crowd participant has left and not come back."""
    left = Enrolment.objects.filter(
        batch=batch, participant__user=judge.user_id, left_at__isnull=False
    )
    return judge.user_id is not None and left.exists()


def is_lease_fresh(assignment: Assignment) -> bool:
    """Whether the lease was just given or renewed."""
    whole = timedelta(minutes=assignment.batch.lease_minutes)
    runs_to = timezone.now() + whole
    return assignment.state == ACTIVE and runs_to - assignment.lease_until < min(MARGIN, whole / 4)


def keep_lease(assignment: Assignment) -> bool:
    """Renew the lease. Return False if it expired and others have taken all places."""
    if renew_lease(assignment):
        return True
    if has_left(assignment.batch, assignment.judge):
        return False
    mine = Assignment.objects.filter(pk=assignment.pk, state=ACTIVE)
    until = timezone.now() + timedelta(minutes=assignment.batch.lease_minutes)
    with transaction.atomic():
        item = lock_item(assignment.item_id)
        now = timezone.now()
        is_lost = False
        # Only the place of an expired lease may have been taken.
        if is_limited(assignment.batch, item) and not mine.filter(lease_until__gt=now).exists():
            held = count_held_by_others(assignment, now, runs=False)
            is_lost = held >= assignment.batch.raters_per_item
        if is_lost or not mine.update(lease_until=until, seen_at=now):
            transaction.set_rollback(True)  # unlocks the item
            return False
    assignment.lease_until = until
    return True


SHARED_FIELDS = ("state", "lease_until", "seen_at", "passages_at", "done_at")
"""Fields of a task that other requests change."""


def renew_lease(assignment: Assignment) -> bool:
    """Renew a lease that still runs for a while, and reload what others changed of the task."""
    now = timezone.now()
    until = now + timedelta(minutes=assignment.batch.lease_minutes)
    mine = Assignment.objects.filter(pk=assignment.pk, state=ACTIVE, lease_until__gt=now + MARGIN)
    if not mine.update(lease_until=until, seen_at=now):
        return False
    assignment.state, assignment.done_at = ACTIVE, None
    assignment.lease_until, assignment.seen_at = until, now
    if assignment.batch.fixes_first:
        assignment.refresh_from_db(fields=["passages_at"])
    return True


def renew_or_reload(assignment: Assignment) -> bool:
    """Return whether the lease was renewed. Reload what others changed in either case."""
    if renew_lease(assignment):
        return True
    reload_changes(assignment)
    return False


def reload_changes(assignment: Assignment) -> None:
    assignment.refresh_from_db(fields=SHARED_FIELDS)

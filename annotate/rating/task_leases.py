"""The lease of a task: how long its place is held for whoever does it, and who has left."""

from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotate.models import Assignment, Batch, Enrolment, Judge
from annotate.rating.places import ACTIVE, held_by_others, limited, lock_item

MARGIN = timedelta(seconds=10)
"""A lease that runs out within it is renewed under the item's lock: it may be over by then."""


def has_left(batch: Batch, judge: Judge) -> bool:
    """Whether somebody from a crowd platform stopped taking part, and did not come back since."""
    return judge.user_id is not None and left_by(batch, judge.user_id).exists()


def left_by(batch: Batch, user: int) -> "QuerySet[Enrolment]":
    return Enrolment.objects.filter(batch=batch, participant__user=user, left_at__isnull=False)


def is_fresh(assignment: Assignment) -> bool:
    """Whether the lease was given or renewed a moment ago."""
    whole = timedelta(minutes=assignment.batch.lease_minutes)
    runs_to = timezone.now() + whole
    return assignment.state == ACTIVE and runs_to - assignment.lease_until < min(MARGIN, whole / 4)


def keep(assignment: Assignment) -> bool:
    """Renew the lease. False where it ran out and others have taken all the places since."""
    if renew(assignment):
        return True
    now = timezone.now()
    until = now + timedelta(minutes=assignment.batch.lease_minutes)
    mine = Assignment.objects.filter(pk=assignment.pk, state=ACTIVE)
    if has_left(assignment.batch, assignment.judge):
        return False
    with transaction.atomic():
        item = lock_item(assignment.item_id)
        now = timezone.now()
        is_lost = False
        # A place that is still held is nobody else's; one that lapsed may be.
        if limited(assignment.batch, item) and not mine.filter(lease_until__gt=now).exists():
            held = held_by_others(assignment, now, runs=False)
            is_lost = held >= assignment.batch.raters_per_item
        if is_lost or not mine.update(lease_until=until, seen_at=now):
            transaction.set_rollback(True)  # lets go of the item
            return False
    assignment.lease_until = until
    return True


CHANGING = ("state", "lease_until", "seen_at", "passages_at", "done_at")
"""What other requests change of a task."""


def renew(assignment: Assignment) -> bool:
    """Renew the lease, where it still runs for a while, and learn what others changed of the task
    since it was read."""
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


def renew_or_read(assignment: Assignment) -> bool:
    """Whether the lease was renewed; what others changed of the task is known in any case."""
    is_renewed = renew(assignment)
    if not is_renewed:
        learn_changes(assignment)
    return is_renewed


def learn_changes(assignment: Assignment) -> None:
    """Read again what other requests change of a task."""
    assignment.refresh_from_db(fields=CHANGING)

"""Noticing what was left lying: with its message, or with its worker."""

from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils import timezone

from annotate.work.jobs.kinds import KINDS, SWEEPS, Kind, W
from annotate.work.jobs.leased import LEASE, PATIENCE
from annotate.work.jobs.leases import bury
from annotate.work.jobs.sending import send_row
from annotate.work.jobs.workers import Worker, is_dead_here


def look_after() -> None:
    """Have done what nobody does although it is to be done, of every kind."""
    now = timezone.now()
    for kind in KINDS.values():
        look_after_rows(kind, now)
    for look in SWEEPS:
        look(now)


def look_after_rows(kind: Kind[W], now: datetime, **only: object) -> None:
    """The same for the rows of a kind, or some of them."""
    bury_all(kind, kind.held.filter(lease_until__lt=now, **only))
    if kind.since is not None:
        for row in kind.waiting.filter(**only).select_related(*kind.related):
            if row.sent_at is None or row.sent_at < silent_before(now, kind.since(row)):
                send_row(kind, row)


def bury_all(kind: Kind[W], dead: QuerySet[W]) -> None:
    """Let others have the work of workers that are gone."""
    for row in dead:
        if bury(kind, row):
            send_row(kind, row)


def silent_before(now: datetime, since: datetime) -> datetime:
    """A message that was sent before this is taken for lost, where nothing moved since a moment.

    One that was sent again is given as long as all waiting before, so that work which only waits
    behind other work for hours fills the queue with a handful of messages and not with thousands.
    """
    return min(now - PATIENCE, since + (now - since) / 2)


def free_what_died_here(name: str, began: datetime) -> None:
    """A worker began: what those before it on this machine held when they died, it frees.

    One before it may have had its name, as the first process of a container has; what it holds
    itself by now was taken later.
    """
    gone: set[str] = set()
    for kind in KINDS.values():
        gone |= set(filter(is_dead_here, kind.held.values_list("worker", flat=True)))
        namesake = Q(worker=name, lease_until__lt=began + LEASE)
        bury_all(kind, kind.held.filter(namesake | Q(worker__in=gone)))
    Worker.objects.filter(name__in=gone).delete()
    look_after()

"""Noticing what was left lying: with its message, or with its worker."""

from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from annotate.jobs.kinds import KINDS, SWEEPS, Kind, W
from annotate.jobs.leased import PATIENCE
from annotate.jobs.leases import bury
from annotate.jobs.sending import send_row
from annotate.jobs.workers import Worker, is_dead_here


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


def free_what_died_here(name: str) -> None:
    """A worker starts: what those before it on this machine held when they died, it frees."""
    gone: set[str] = set()
    for kind in KINDS.values():
        names = set(kind.held.values_list("worker", flat=True))
        gone |= {other for other in names if other == name or is_dead_here(other)}
        bury_all(kind, kind.held.filter(worker__in=gone))
    Worker.objects.filter(name__in=gone - {name}).delete()
    look_after()

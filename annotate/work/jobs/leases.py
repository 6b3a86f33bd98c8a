"""Leases: one worker at a time holds a job, for as long as it gives signs of life.

Sweeps find jobs whose worker died or whose message was lost.
"""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from threading import Event, Thread
from typing import Any, Generic

from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from annotate.work.jobs.kinds import KINDS, SWEEPS, Kind, W
from annotate.work.jobs.leased import EVERY, LEASE, MOST_DEATHS, PATIENCE
from annotate.work.jobs.sending import send_row
from annotate.work.jobs.workers import Worker, is_dead_here, this_worker
from annotate.work.telemetry import LEASES_LOST

log = logging.getLogger(__name__)

STILL_THERE = (
    f"The worker was killed {MOST_DEATHS} times during this job, and as often while removing its "
    "unfinished rows. Attest does not try again, the rows are hidden, and conflicting jobs wait. "
    "Ask your administrator to check the worker's log and give it more memory. Then cancel this "
    "job to remove the rows."
)
"""The error of a job whose unfinished rows could not be removed."""


class LeaseLost(Exception):  # noqa: N818
    """Another worker took over. This one must not write any more."""


@dataclass(slots=True)
class Holding(Generic[W]):
    """A job whose lease this process holds. The row is as it was when claimed."""

    kind: Kind[W]
    row: W
    progress: dict[str, Any] = field(default_factory=dict)
    """Progress fields, written with each renewal of the lease."""

    token: str = field(init=False)
    state: str = field(init=False)

    def __post_init__(self) -> None:
        self.token, self.state = self.row.lease_token, self.row.state

    @property
    def mine(self) -> QuerySet[W]:
        """The row while this lease holds; empty afterwards."""
        return self.kind.held.filter(pk=self.row.pk, lease_token=self.token, state=self.state)

    def keep(self) -> bool:
        """Renew the lease. Return whether it still holds."""
        return bool(self.mine.update(lease_until=timezone.now() + LEASE, **self.progress))

    def renew(self) -> None:
        """Renew the lease, or raise `LeaseLost`.

        At the start of a transaction, it keeps the job until the end of the transaction.
        """
        if not self.keep():
            raise LeaseLost

    def finish(self, state: str, **fields: object) -> None:
        """Set the new state and end the lease."""
        if not self._end(state, **{"finished_at": timezone.now(), **fields}):
            raise LeaseLost

    def requeue(self, **fields: object) -> bool:
        """Let other workers have the job. Return whether the lease still held."""
        waiting = next(waits for waits, works in self.kind.steps.items() if works == self.state)
        return self._end(waiting, sent_at=None, **fields)

    def release(self) -> bool:
        """Requeue the job without counting the attempt."""
        return self.requeue(attempts=self.row.attempts - 1)

    def _end(self, state: str, **fields: object) -> bool:
        return bool(self.mine.update(state=state, lease_token="", lease_until=None, **fields))

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Renew the lease from a thread during the block, which may be long."""
        over = Event()

        def renew() -> None:
            while not over.wait(EVERY.total_seconds()):
                try:
                    self.keep()
                except (DatabaseError, InterfaceError):
                    log.warning("a lease could not be renewed now")
                connection.close()

        thread = Thread(target=renew, name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def claim(kind: Kind[W], key: int, *, worker: str = "") -> Holding[W] | None:
    """Claim a waiting job, or one whose worker died. Return None if there is none.

    Locks leave out the key, so that rows that refer to the locked ones can be read.
    """
    for dead in kind.held.filter(pk=key, lease_until__lt=timezone.now()):
        handle_death(kind, dead)
    with transaction.atomic():
        kind.lock(key)
        rows = kind.waiting.select_for_update(of=("self",), no_key=True)
        row = rows.select_related(*kind.related).filter(pk=key).first()
        if row is None or not kind.may_begin(row):
            return None
        row.state = kind.steps[row.state]
        row.worker = worker or this_worker()
        row.attempts += 1
        _set_lease(row, timezone.now())
        for name, value in kind.afresh.items():
            setattr(row, name, value)
        fields = ["state", "worker", "attempts", "lease_token", "lease_until", *kind.afresh]
        row.save(update_fields=fields)
    return Holding(kind, row)


def retry_stuck(kind: Kind[W], key: int) -> None:
    """Allow as many attempts again to remove the rows that dead workers left."""
    stuck = kind.rows.filter(pk=key, lease_until=None, deaths__gte=kind.lets_die)
    stuck.update(deaths=MOST_DEATHS, error="")


def _set_lease(row: W, now: datetime) -> None:
    row.lease_token, row.lease_until = secrets.token_hex(16), now + LEASE


def handle_death(kind: Kind[W], dead: W) -> bool:
    """Count a worker's death. Return whether others can now claim the job.

    After three deaths, the job fails. If unfinished rows are left, it waits until a person asks
    (`retry_stuck`), so that others know about them. In one transaction, take the lease over,
    unless it has been renewed since, so that a death is counted once and nobody cancels the job in
    between.
    """
    still = Holding(kind, dead).mine.filter(lease_until=dead.lease_until)
    _set_lease(dead, timezone.now())
    with transaction.atomic():
        if not still.update(
            deaths=F("deaths") + 1, lease_token=dead.lease_token, lease_until=dead.lease_until
        ):
            return False
        dead.deaths += 1
        log.warning("%s %s: its worker is dead (%s)", kind.task, dead.pk, dead.worker)
        LEASES_LOST.labels(kind.task).inc()
        holding = Holding(kind, dead)
        if dead.deaths < kind.lets_die:
            return holding.requeue()
        if kind.leaves:
            holding.requeue(error=STILL_THERE)
            return False
        holding.finish("failed", error=kind.died)
        kind.fails(dead)
    kind.given_up(dead)
    return False


def sweep() -> None:
    """Sweep all kinds: handle deaths and send lost messages again."""
    now = timezone.now()
    for kind in KINDS.values():
        sweep_rows(kind, now)
    for look in SWEEPS:
        look(now)


def sweep_rows(kind: Kind[W], now: datetime, **only: object) -> None:
    """Sweep the rows of one kind, optionally only some."""
    handle_deaths(kind, kind.held.filter(lease_until__lt=now, **only))
    if kind.since is not None:
        for row in kind.waiting.filter(**only).select_related(*kind.related):
            if row.sent_at is None or row.sent_at < silent_before(now, kind.since(row)):
                send_row(kind, row)


def handle_deaths(kind: Kind[W], dead: QuerySet[W]) -> None:
    """Let others have the jobs of dead workers."""
    for row in dead:
        if handle_death(kind, row):
            send_row(kind, row)


def silent_before(now: datetime, since: datetime) -> datetime:
    """Messages sent before this time count as lost, if nothing moved since `since`.

    The interval doubles with each message. A job that waits for hours behind others therefore gets
    few messages.
    """
    return min(now - PATIENCE, since + (now - since) / 2)


def free_dead_workers(name: str, began: datetime) -> None:
    """Free the jobs of dead workers of this machine when a worker starts.

    A dead worker may have had the same name, like the first process of a container. Leases of this
    worker are later.
    """
    gone: set[str] = set()
    for kind in KINDS.values():
        gone |= set(filter(is_dead_here, kind.held.values_list("worker", flat=True)))
        namesake = Q(worker=name, lease_until__lt=began + LEASE)
        handle_deaths(kind, kind.held.filter(namesake | Q(worker__in=gone)))
    Worker.objects.filter(name__in=gone).delete()
    sweep()

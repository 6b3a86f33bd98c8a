"""Holding work: one worker at a time, for as long as it gives signs of life."""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from threading import Event, Thread
from typing import Any, Generic

from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from annotate.work.jobs.kinds import Kind, W
from annotate.work.jobs.leased import EVERY, LEASE, MOST_DEATHS
from annotate.work.jobs.workers import this_worker
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
    """Another worker took over, so this one must write nothing more."""


@dataclass(slots=True)
class Holding(Generic[W]):
    """Work that is ours for the time being. The row is as it was when we got it."""

    kind: Kind[W]
    row: W
    noted: dict[str, Any] = field(default_factory=dict)
    """How far it has come: fields that are written whenever the lease is renewed."""

    token: str = field(init=False)
    state: str = field(init=False)

    def __post_init__(self) -> None:
        self.token, self.state = self.row.lease_token, self.row.state

    @property
    def mine(self) -> QuerySet[W]:
        """The row while it is ours; none afterwards."""
        return self.kind.held.filter(pk=self.row.pk, lease_token=self.token, state=self.state)

    def keep(self) -> bool:
        """Hold it for longer; whether it is still ours."""
        return bool(self.mine.update(lease_until=timezone.now() + LEASE, **self.noted))

    def renew(self) -> None:
        """Hold it for longer, and stop where it is not ours. Begins a transaction that writes: the
        work then stays ours to its end."""
        if not self.keep():
            raise LeaseLost

    def finish(self, state: str, **fields: object) -> None:
        """End the step: the new state, and no lease."""
        if not self._let_go(state, **{"finished_at": timezone.now(), **fields}):
            raise LeaseLost

    def put_back(self, **fields: object) -> bool:
        """Let others have it; whether it was still ours."""
        waited = next(waits for waits, works in self.kind.steps.items() if works == self.state)
        return self._let_go(waited, sent_at=None, **fields)

    def release(self) -> bool:
        """Put it back as if nobody had tried."""
        return self.put_back(attempts=self.row.attempts - 1)

    def _let_go(self, state: str, **fields: object) -> bool:
        return bool(self.mine.update(state=state, lease_token="", lease_until=None, **fields))

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Renew the lease from a thread until the work is over: it may tell nothing for long."""
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
    """Take work that waits, or whose worker died; none where there is nothing to take.

    Locks are taken without the key, which rows that refer to the locked ones may go on reading.
    """
    for dead in kind.held.filter(pk=key, lease_until__lt=timezone.now()):
        bury(kind, dead)
    with transaction.atomic():
        kind.lock(key)
        rows = kind.waiting.select_for_update(of=("self",), no_key=True)
        row = rows.select_related(*kind.related).filter(pk=key).first()
        if row is None or not kind.may_begin(row):
            return None
        row.state = kind.steps[row.state]
        row.worker = worker or this_worker()
        row.attempts += 1
        _take(row, timezone.now())
        for name, value in kind.afresh.items():
            setattr(row, name, value)
        row.save(
            update_fields=[
                "state",
                "worker",
                "attempts",
                "lease_token",
                "lease_until",
                *kind.afresh,
            ]
        )
    return Holding(kind, row)


def ask_once_more(kind: Kind[W], key: int) -> None:
    """Somebody asks for what could not be taken back: that may be tried as often again."""
    stuck = kind.rows.filter(pk=key, lease_until=None, deaths__gte=kind.lets_die)
    stuck.update(deaths=MOST_DEATHS, error="")


def _take(row: W, now: datetime) -> None:
    row.lease_token, row.lease_until = secrets.token_hex(16), now + LEASE


def bury(kind: Kind[W], dead: W) -> bool:
    """Count the death of a worker and let others have its work, or give it up after three; whether
    others can have it now. What the dead left stays waiting until a person asks (`ask_once_more`):
    it could not be taken back, and others must know that it is there.

    Whoever buries takes the lease over, if nobody has renewed it since it was looked at. All of it
    is one transaction: one death is counted once, and nobody cancels the work in between.
    """
    still = Holding(kind, dead).mine.filter(lease_until=dead.lease_until)
    _take(dead, timezone.now())
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
            return holding.put_back()
        if kind.leaves:
            holding.put_back(error=STILL_THERE)
            return False
        holding.finish("failed", error=kind.died)
        kind.fails(dead)
    kind.given_up(dead)
    return False

"""Doing work under a lease, and what follows where it breaks off."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from django.db import InterfaceError, OperationalError, connection

from annotate.work.jobs.kinds import Kind, W
from annotate.work.jobs.leased import EVERY, MOST_TRIES, PATIENCE
from annotate.work.jobs.leases import Holding, LeaseLost, claim
from annotate.work.jobs.sending import send_row
from annotate.work.jobs.workers import this_worker
from annotate.work.telemetry import ERRORS, under

log = logging.getLogger(__name__)

Fail = Callable[[Holding[W], Exception], object]

BROKEN_OFF = (OperationalError, InterfaceError)
"""The database went away, or was busy for long."""

RETRY_EVERY = EVERY.total_seconds() / 5
"""More often than anybody looks for work whose lease ran out."""

MOST_RETRIES = int(20 * PATIENCE.total_seconds() / RETRY_EVERY)


def work(
    kind: Kind[W],
    key: int,
    do: Callable[[Holding[W]], object],
    *,
    fail: Fail[W],
    interrupted: Callable[[Holding[W]], object] = Holding.release,
    worker: str = "",
) -> bool:
    """Claim the work, do it and keep its lease meanwhile; whether it was ours.

    `do` ends it. Where it cannot, `fail` does; `interrupted` is for a process that is stopped.
    """
    holding = claim(kind, key, worker=worker)
    if holding is None:
        return False
    about = under(task_id=f"{kind.task} {key}", study_id=kind.study_of(holding.row))
    with about, holding.kept():
        began = time.monotonic()
        try:
            do(holding)
            log.info("%s %s: done in %.1f s", kind.task, key, time.monotonic() - began)
        except LeaseLost:
            _say_lost(holding)
        except BROKEN_OFF as problem:
            _when_it_answers(holding, partial(_try_later, holding, problem, fail))
        except Exception as problem:  # noqa: BLE001 (`fail` says what it was)
            _when_it_answers(holding, partial(_fail, holding, problem, fail))
        except (KeyboardInterrupt, SystemExit):
            with suppress(LeaseLost):
                interrupted(holding)
            raise
    return True


def _fail(holding: Holding[W], problem: Exception, fail: Fail[W]) -> None:
    holding.renew()  # what was taken over, or removed, did not fail
    ERRORS.labels(holding.kind.task).inc()
    fail(holding, problem)


def _try_later(holding: Holding[W], problem: Exception, fail: Fail[W]) -> None:
    """Have it tried again: the database is no fault of the work."""
    log.warning("%s %s: %s", holding.kind.task, holding.row.pk, problem)
    if holding.row.attempts >= MOST_TRIES:
        _fail(holding, problem, fail)
    elif holding.put_back():
        send_row(holding.kind, holding.row)


def _when_it_answers(holding: Holding[W], act: Callable[[], None]) -> None:
    """As soon as the database answers: a worker waits for it, since its death would be counted if
    the lease ran out. Elsewhere somebody waits for this process."""
    for _ in range(MOST_RETRIES):
        try:
            act()
            return
        except LeaseLost:
            _say_lost(holding)
            return
        except BROKEN_OFF as problem:
            log.warning("%s %s: %s", holding.kind.task, holding.row.pk, problem)
        if not this_worker():
            return
        connection.close()
        time.sleep(RETRY_EVERY)


def _say_lost(holding: Holding[W]) -> None:
    log.warning("%s %s: taken over by another, or removed", holding.kind.task, holding.row.pk)

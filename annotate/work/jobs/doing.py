"""Do a job under a lease, and handle its interruption."""

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

CONNECTION_ERRORS = (OperationalError, InterfaceError)
"""The database connection was lost, or the database was busy for long."""

RETRY_EVERY = EVERY.total_seconds() / 5
"""Seconds; shorter than the interval between sweeps."""

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
    """Claim the job, do it and renew its lease meanwhile. Return whether it was claimed.

    `do` finishes the job, and `fail` handles its exceptions. `interrupted` is called when the
    process is stopped.
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
            _log_lost(holding)
        except CONNECTION_ERRORS as problem:
            _when_database_answers(holding, partial(_try_later, holding, problem, fail))
        except Exception as problem:  # noqa: BLE001 (`fail` reports it)
            _when_database_answers(holding, partial(_fail, holding, problem, fail))
        except (KeyboardInterrupt, SystemExit):
            with suppress(LeaseLost):
                interrupted(holding)
            raise
    return True


def _fail(holding: Holding[W], problem: Exception, fail: Fail[W]) -> None:
    holding.renew()  # raises LeaseLost if the job was taken over or removed
    ERRORS.labels(holding.kind.task).inc()
    fail(holding, problem)


def _try_later(holding: Holding[W], problem: Exception, fail: Fail[W]) -> None:
    """Requeue the job, since the database is not the job's fault."""
    log.warning("%s %s: %s", holding.kind.task, holding.row.pk, problem)
    if holding.row.attempts >= MOST_TRIES:
        _fail(holding, problem, fail)
    elif holding.requeue():
        send_row(holding.kind, holding.row)


def _when_database_answers(holding: Holding[W], act: Callable[[], None]) -> None:
    """Act when the database answers.

    A worker waits for it, because an expired lease counts as a death. Elsewhere a person waits for
    this process, so it does not.
    """
    for _ in range(MOST_RETRIES):
        try:
            act()
            return
        except LeaseLost:
            _log_lost(holding)
            return
        except CONNECTION_ERRORS as problem:
            log.warning("%s %s: %s", holding.kind.task, holding.row.pk, problem)
        if not this_worker():
            return
        connection.close()
        time.sleep(RETRY_EVERY)


def _log_lost(holding: Holding[W]) -> None:
    log.warning("%s %s: taken over by another, or removed", holding.kind.task, holding.row.pk)

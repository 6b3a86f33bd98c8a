"""What workers do for runs and reports.

The messages only say where to look: services decide and write.
"""

import logging
import os
import time
from threading import Event, Thread
from typing import Any

from celery import Task, shared_task
from celery.signals import celeryd_init, worker_ready, worker_shutdown
from django.conf import settings
from django.db import DatabaseError, connection

from evaluation.reporting import lifecycle as reports
from evaluation.running import queue as run_queue

log = logging.getLogger(__name__)

BEAT_EVERY = settings.ATTEST_PATIENCE_SECONDS / 6
LOOK_EVERY = settings.ATTEST_PATIENCE_SECONDS / 2

NAME = "ATTEST_THIS_WORKER"
"""Where a worker's name stands for the processes that it starts: they work in its name."""

_leaving = Event()


@shared_task(name="evaluation.plan_run", bind=True)
def plan_run(self: "Task[Any, Any]", run_id: int) -> None:
    from evaluation.running.leases import held
    from evaluation.running.plans import plan

    plan(run_id, worker=_name(self), hold=held)


@shared_task(name="evaluation.work_on_shard", bind=True)
def work_on_shard(self: "Task[Any, Any]", shard_id: int) -> None:
    from evaluation.running.leases import held
    from evaluation.running.shards import work

    work(shard_id, worker=_name(self), hold=held)


@shared_task(name="evaluation.build_report", bind=True)
def build_report(self: "Task[Any, Any]", report_id: int) -> None:
    from evaluation.running.leases import held

    reports.build(report_id, worker=_name(self), hold=held)


@shared_task(name="evaluation.draw_report", bind=True)
def draw_report(self: "Task[Any, Any]", report_id: int) -> None:
    from evaluation.reporting.charts import draw

    draw(report_id)


@celeryd_init.connect
def take_a_name(sender: Any = None, **_: object) -> None:
    os.environ[NAME] = run_queue.worker_name(str(sender))


@worker_ready.connect
def live(sender: Any = None, **_: object) -> None:
    """Say again and again that this worker is alive, and look for what others left lying."""
    queues = list(sender.app.amqp.queues.consume_from)
    Thread(target=_live, args=(os.environ[NAME], queues), name="runs", daemon=True).start()


@worker_shutdown.connect
def leave(sender: Any = None, **_: object) -> None:
    _leaving.set()
    try:
        run_queue.leave(os.environ[NAME])
        connection.close()
    except DatabaseError:
        log.warning("could not say that this worker stops")


def _live(name: str, queues: list[str]) -> None:
    freed = False
    looked_at = time.monotonic()
    while not _leaving.is_set():
        try:
            if not run_queue.beat(name):
                run_queue.arrive(name, queues)
            if not freed:
                run_queue.free_what_died_here(name)
                reports.free_what_died_here(name)
                freed = True
            elif time.monotonic() - looked_at >= LOOK_EVERY:
                looked_at = time.monotonic()
                run_queue.look_after()
                reports.look_after()
        except Exception:
            log.exception("cannot look for lost work now")
        connection.close()
        _leaving.wait(BEAT_EVERY)


def _name(task: "Task[Any, Any]") -> str:
    return os.environ.get(NAME, "") or str(task.request.hostname or "")

"""What workers do for runs. The messages only say where to look: services decide and write."""

import logging
import time
from threading import Thread
from typing import Any

from celery import Task, shared_task
from celery.signals import worker_ready, worker_shutdown
from django.db import DatabaseError, connection

from evaluation.services import run_queue

log = logging.getLogger(__name__)

BEAT_EVERY = 5
LOOK_EVERY = 15


@shared_task(name="evaluation.plan_run", bind=True)
def plan_run(self: "Task[Any, Any]", run_id: int) -> None:
    from evaluation.services.run_plans import plan

    plan(run_id, worker=_name(self))


@shared_task(name="evaluation.work_on_shard", bind=True)
def work_on_shard(self: "Task[Any, Any]", shard_id: int) -> None:
    from evaluation.services.leases import held
    from evaluation.services.shards import work

    work(shard_id, worker=_name(self), hold=held)


@worker_ready.connect
def live(sender: Any = None, **_: object) -> None:
    """Say again and again that this worker is alive, and look for what others left lying."""
    name = str(getattr(sender, "hostname", "worker"))
    app = sender.app
    queues = list(app.amqp.queues.consume_from)
    Thread(target=_live, args=(name, queues), name="runs", daemon=True).start()


@worker_shutdown.connect
def leave(sender: Any = None, **_: object) -> None:
    try:
        run_queue.leave(str(getattr(sender, "hostname", "worker")))
        connection.close()
    except DatabaseError:
        log.warning("could not say that this worker stops")


def _live(name: str, queues: list[str]) -> None:
    arrived = False
    looked_at = time.monotonic()
    while True:
        try:
            if not arrived:
                run_queue.arrive(name, queues)
                arrived = True
            elif not run_queue.beat(name):
                arrived = False
                continue
            if time.monotonic() - looked_at >= LOOK_EVERY:
                looked_at = time.monotonic()
                run_queue.look_after()
        except Exception:
            log.exception("cannot look for lost work now")
        connection.close()
        time.sleep(BEAT_EVERY)


def _name(task: "Task[Any, Any]") -> str:
    return str(task.request.hostname or "")

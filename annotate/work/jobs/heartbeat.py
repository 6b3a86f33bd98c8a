"""A worker's heartbeat: a thread that reports that it is alive, and sweeps.

Modules that define tasks import this, so that each worker has a heartbeat.
"""

import logging
import os
from collections.abc import Callable
from datetime import datetime
from functools import partial
from threading import Event, Thread
from typing import Any

from celery.signals import celeryd_init, worker_ready, worker_shutdown
from celery.utils.nodenames import default_nodename, gethostname, nodename
from django.db import DatabaseError, connection
from django.utils import timezone

from annotate.work.jobs import workers
from annotate.work.jobs.leased import EVERY
from annotate.work.jobs.leases import free_dead_workers, sweep

log = logging.getLogger(__name__)

_leaving = Event()


@celeryd_init.connect
def set_worker_name(sender: Any = None, instance: Any = None, **_: object) -> None:
    """Name the worker after its process if it has no name. RabbitMQ needs unique names."""
    if instance is not None and sender == default_nodename(""):
        instance.hostname = sender = nodename(f"celery-{os.getpid()}", gethostname())
    os.environ[workers.NAME] = workers.worker_name(str(sender))


@worker_ready.connect
def start(sender: Any = None, **_: object) -> None:
    queues = list(sender.app.amqp.queues.consume_from)
    args = (workers.this_worker(), queues, sender.controller.concurrency, timezone.now())
    Thread(target=_beat, args=args, name="heartbeat", daemon=True).start()


@worker_shutdown.connect
def leave(**_: object) -> None:
    _leaving.set()
    try:
        workers.leave(workers.this_worker())
        connection.close()
    except DatabaseError:
        log.warning("could not report that this worker stops")


def _beat(name: str, queues: list[str], places: int, began: datetime) -> None:
    sweep_now: Callable[[], None] = partial(free_dead_workers, name, began)
    failed = False
    while not _leaving.is_set():
        try:
            if not workers.beat(name):
                workers.arrive(name, queues, places=places)
            # After a database error, interrupted workers requeue their jobs first.
            if not failed:
                sweep_now()
                sweep_now = sweep
            failed = False
        except Exception:
            log.exception("cannot sweep for lost jobs now")
            failed = True
        connection.close()
        _leaving.wait(EVERY.total_seconds())

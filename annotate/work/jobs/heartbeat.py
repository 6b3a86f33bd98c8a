"""A worker's heart: one thread that says that it is alive and looks for what was left lying.

Whoever defines tasks imports this, so that each worker has one.
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
from annotate.work.jobs.sweeping import free_what_died_here, look_after

log = logging.getLogger(__name__)

_leaving = Event()


@celeryd_init.connect
def take_a_name(sender: Any = None, instance: Any = None, **_: object) -> None:
    """Where nobody names it, its process does: RabbitMQ refuses two nodes of one name."""
    if instance is not None and sender == default_nodename(""):
        instance.hostname = sender = nodename(f"celery-{os.getpid()}", gethostname())
    os.environ[workers.NAME] = workers.worker_name(str(sender))


@worker_ready.connect
def live(sender: Any = None, **_: object) -> None:
    queues = list(sender.app.amqp.queues.consume_from)
    told = (workers.this_worker(), queues, sender.controller.concurrency, timezone.now())
    Thread(target=_live, args=told, name="heart", daemon=True).start()


@worker_shutdown.connect
def leave(**_: object) -> None:
    _leaving.set()
    try:
        workers.leave(workers.this_worker())
        connection.close()
    except DatabaseError:
        log.warning("could not say that this worker stops")


def _live(name: str, queues: list[str], places: int, began: datetime) -> None:
    look: Callable[[], None] = partial(free_what_died_here, name, began)
    troubled = False
    while not _leaving.is_set():
        try:
            if not workers.beat(name):
                workers.arrive(name, queues, places=places)
            # Where the database was away, those whose work it broke off put it back first.
            if not troubled:
                look()
                look = look_after
            troubled = False
        except Exception:
            log.exception("cannot look for lost work now")
            troubled = True
        connection.close()
        _leaving.wait(EVERY.total_seconds())

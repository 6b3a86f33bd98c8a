"""The workers: processes that regularly report that they are alive."""

import os
import re
import socket
import sys
from collections.abc import Iterable
from datetime import timedelta

from celery import current_app
from django.db import models
from django.utils import timezone

from annotate.work.jobs.leased import PATIENCE

NAME = "ATTEST_THIS_WORKER"
"""The environment variable with the worker's name, which its child processes inherit."""


class Worker(models.Model):
    """A worker process that was recently alive, and the queues that it serves."""

    name = models.CharField(max_length=200, unique=True)
    queues = models.JSONField(default=list)
    places = models.PositiveSmallIntegerField(default=1)
    """How many tasks it does at a time."""

    since = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_alive(self) -> bool:
        return timezone.now() - self.seen_at < PATIENCE


def worker_name(node: str) -> str:
    """Return a name that is unique for the process. Celery allows several of one name."""
    return f"{node} on {socket.gethostname()}, process {os.getpid()}"


def this_worker() -> str:
    """Return the worker that this process belongs to; empty outside of workers."""
    return os.environ.get(NAME, "")


def is_dead_here(name: str) -> bool:
    """Whether the name is of a worker of this machine that no longer runs."""
    found = re.search(r" on (\S+), process (\d+)$", name)
    if found is None or found[1] != socket.gethostname():
        return False
    try:
        os.kill(int(found[2]), 0)
    except OSError as problem:
        return isinstance(problem, ProcessLookupError)
    return False


def arrive(name: str, queues: Iterable[str], *, places: int = 1) -> None:
    """Register a worker."""
    now = timezone.now()
    fields = {"queues": sorted(queues), "places": places, "since": now, "seen_at": now}
    Worker.objects.update_or_create(name=name, defaults=fields)
    Worker.objects.filter(seen_at__lt=now - timedelta(days=1)).delete()


def beat(name: str) -> bool:
    """Report that a worker is alive. Return whether it is registered."""
    return bool(Worker.objects.filter(name=name).update(seen_at=timezone.now()))


def leave(name: str) -> None:
    Worker.objects.filter(name=name).delete()


def living() -> list[Worker]:
    return [worker for worker in Worker.objects.all() if worker.is_alive]


def serving(queue: str) -> list[Worker]:
    """Return the living workers that serve a queue."""
    return [worker for worker in living() if queue in worker.queues]


def places(queue: str) -> int:
    """Return how many tasks of a queue run at a time.

    One without workers; no limit where callers do the tasks themselves.
    """
    if current_app.conf.task_always_eager:
        return sys.maxsize
    return sum(worker.places for worker in serving(queue)) or 1

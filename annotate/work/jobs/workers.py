"""Which workers there are: each is a process that says again and again that it is alive."""

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
"""Where a worker's name stands for the processes that it starts: they work in its name."""


class Worker(models.Model):
    """A worker process that said lately that it is alive, and which queues it serves."""

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
        """Whether it was heard of lately."""
        return timezone.now() - self.seen_at < PATIENCE


def worker_name(node: str) -> str:
    """What a worker is called: two may have one name for Celery, but not one process."""
    return f"{node} on {socket.gethostname()}, process {os.getpid()}"


def this_worker() -> str:
    """The worker that this process belongs to; empty elsewhere."""
    return os.environ.get(NAME, "")


def is_dead_here(name: str) -> bool:
    """Whether a worker of this machine is known not to run any more."""
    found = re.search(r" on (\S+), process (\d+)$", name)
    if found is None or found[1] != socket.gethostname():
        return False
    try:
        os.kill(int(found[2]), 0)
    except OSError as problem:
        return isinstance(problem, ProcessLookupError)
    return False


def arrive(name: str, queues: Iterable[str], *, places: int = 1) -> None:
    """A worker is there."""
    now = timezone.now()
    told = {"queues": sorted(queues), "places": places, "since": now, "seen_at": now}
    Worker.objects.update_or_create(name=name, defaults=told)
    Worker.objects.filter(seen_at__lt=now - timedelta(days=1)).delete()


def beat(name: str) -> bool:
    """A worker is alive; whether it is still known."""
    return bool(Worker.objects.filter(name=name).update(seen_at=timezone.now()))


def leave(name: str) -> None:
    """A worker stops."""
    Worker.objects.filter(name=name).delete()


def living() -> list[Worker]:
    """All that are alive."""
    return [worker for worker in Worker.objects.all() if worker.is_alive]


def serving(queue: str) -> list[Worker]:
    """Those of them that serve a queue."""
    return [worker for worker in living() if queue in worker.queues]


def places(queue: str) -> int:
    """How many tasks of a queue are done at a time; one where nobody is there yet to do them, and
    all where each is done by whoever asks for it."""
    if current_app.conf.task_always_eager:
        return sys.maxsize
    return sum(worker.places for worker in serving(queue)) or 1

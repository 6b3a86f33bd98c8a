"""Telling workers where to look. Whether there is work, the database says: so a message that is
lost is sent again, and one that arrives twice finds nothing to do."""

import logging
from collections.abc import Iterable

from celery import current_app
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotate.work.jobs.kinds import Kind, W
from annotate.work.telemetry import known

log = logging.getLogger(__name__)

NOTED_AT_ONCE = 200
"""Messages that are sent before it is noted that they are."""


def send(kind: Kind[W], queue: str, keys: Iterable[int], *, task: str = "") -> bool:
    """A message for each row, by its key, noted in the rows; whether the queue took them all.

    `task` is given where it is not the kind's own.
    """
    waiting = list(keys)
    for first in range(0, len(waiting), NOTED_AT_ONCE):
        sent = []
        for key in waiting[first : first + NOTED_AT_ONCE]:
            try:
                tell(task or kind.task, queue, key)
            except (OperationalError, OSError):
                log.warning("the queue cannot be reached; what waits is sent again later")
                break
            sent.append(key)
        kind.rows.filter(pk__in=sent).update(sent_at=timezone.now())
        if len(sent) < len(waiting[first : first + NOTED_AT_ONCE]):
            return False
    return True


def send_row(kind: Kind[W], row: W) -> bool:
    """A message for one row."""
    return send(kind, kind.queue(row), [row.pk])


def tell(task: str, queue: str, key: int) -> None:
    """Put one message into the queue; by name, since those who ask know no tasks."""
    if current_app.conf.task_always_eager:  # where there is no queue, it is done here
        current_app.loader.import_default_modules()
        current_app.tasks[task].apply((key,))
    else:
        asked = {"asked_in": known().get("request_id", "")}  # for the worker's log
        current_app.send_task(task, [key], queue=queue, retry=False, headers=asked)

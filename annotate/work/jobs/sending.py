"""Send messages about waiting jobs, and choose the next job.

The database holds the jobs. A lost message is sent again, and a duplicate finds nothing to do. A
message says that a kind has a job, but not which one: a worker takes a job of the study with the
fewest running jobs and, among those, of the study whose last job finished first. Many jobs of one
study therefore do not delay another study's.
"""

import logging
from collections.abc import Iterable, Iterator

from celery import current_app
from django.db.models import Count, Max, Min, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotate.work.jobs.kinds import Kind, W
from annotate.work.telemetry import known

log = logging.getLogger(__name__)

CHUNK = 200
"""Messages that are sent before their rows are updated."""


def send(kind: Kind[W], queue: str, keys: Iterable[int], *, task: str = "") -> bool:
    """Send a message for each row, and record it. Return whether the queue took them all.

    `task` overrides the kind's own.
    """
    waiting = list(keys)
    for first in range(0, len(waiting), CHUNK):
        sent = []
        for key in waiting[first : first + CHUNK]:
            try:
                send_message(task or kind.task, queue, key)
            except (OperationalError, OSError):
                log.warning("the queue cannot be reached; messages are sent again later")
                break
            sent.append(key)
        kind.rows.filter(pk__in=sent).update(sent_at=timezone.now())
        if len(sent) < len(waiting[first : first + CHUNK]):
            return False
    return True


def send_row(kind: Kind[W], row: W) -> bool:
    return send(kind, kind.queue(row), [row.pk])


def send_message(task: str, queue: str, key: int) -> None:
    """Send one message. Tasks are named, because senders do not import them."""
    if current_app.conf.task_always_eager:  # without a queue, the task runs here
        current_app.loader.import_default_modules()
        current_app.tasks[task].apply((key,))
    else:
        headers = {"asked_in": known().get("request_id", "")}  # for the worker's log
        current_app.send_task(task, [key], queue=queue, retry=False, headers=headers)


TRIED = 10
"""Rows tried per study, since the first may have to wait for another."""


def in_turn(kind: Kind[W], told: int, **only: object) -> Iterator[int]:
    """Yield ids to try: the next rows of each study in turn, and the message's row at last.

    The message's row may be claimable without waiting. `only` filters rows of a kind with several
    queues.
    """
    study, waiting = kind.related[0], kind.waiting.filter(**only)
    for one in _studies(kind, study, waiting):
        yield from waiting.filter(**{study: one}).values_list("pk", flat=True)[:TRIED]
    yield told


def _studies(kind: Kind[W], study: str, waiting: QuerySet[W]) -> list[int]:
    """Return the studies with waiting jobs, the next one first."""
    first = dict(waiting.order_by().values_list(study).annotate(first=Min("pk")))
    rows = kind.rows.filter(**{f"{study}__in": list(first)}).order_by().values_list(study)
    busy = dict(rows.filter(lease_until__gt=timezone.now()).annotate(count=Count("pk")))
    last = dict(rows.filter(finished_at__isnull=False).annotate(last=Max("finished_at")))
    return sorted(first, key=lambda one: (busy.get(one, 0), one in last, last.get(one), first[one]))

"""Have slow figures computed by a worker, and store them with their date."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.utils import timezone

from annotate.work.jobs.sending import send_message
from evaluation.models.agreements import Refreshed

COMPUTED_NOW = "it is being computed"

PAUSE, TIMES = timedelta(minutes=1), 20
"""The minimum pause between two computations, and as a multiple of the last one's duration."""


def request_refresh(known: Refreshed, task: str, of: int) -> None:
    """Ask a worker to compute, unless one was asked recently or the last result is new.

    If tasks run at once, the result is read again.
    """
    now = timezone.now()
    pause = max(PAUSE, TIMES * timedelta(seconds=known.seconds))
    if _is_since(known.told_at, now - PAUSE) or _is_since(known.made_at, now - pause):
        return
    told = type(known)._default_manager.filter(pk=known.pk).exclude(told_at__gt=now - PAUSE)
    if told.exclude(made_at__gt=now - pause).update(told_at=now):
        send_message(task, "default", of)
        known.refresh_from_db()


def _is_since(at: datetime | None, since: datetime) -> bool:
    return at is not None and at > since


@contextmanager
def refreshing(known: Refreshed, state: str, field: str) -> Iterator[None]:
    """Store the result of the block with the state that was read before it."""
    start = time.monotonic()
    yield
    known.state, known.made_at = state, timezone.now()
    known.seconds = time.monotonic() - start
    known.save(update_fields=[field, "state", "made_at", "seconds"])

"""Having computed by a worker what takes long, and keeping it with its date."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.utils import timezone

from annotate.work.jobs.sending import tell
from evaluation.models.refreshed import Refreshed

COMPUTED_NOW = "it is being computed"

PAUSE, TIMES = timedelta(minutes=1), 20
"""So long at least, and so many times as long as it took, until it is computed again."""


def have_refreshed(known: Refreshed, task: str, of: int) -> None:
    """Tell a worker, if none was told a moment ago and it is not too soon; where tasks are done at
    once, what it found is there afterwards."""
    now = timezone.now()
    pause = max(PAUSE, TIMES * timedelta(seconds=known.seconds))
    if _is_since(known.told_at, now - PAUSE) or _is_since(known.made_at, now - pause):
        return
    told = type(known)._default_manager.filter(pk=known.pk).exclude(told_at__gt=now - PAUSE)
    if told.exclude(made_at__gt=now - pause).update(told_at=now):
        tell(task, "default", of)
        known.refresh_from_db()


def _is_since(at: datetime | None, since: datetime) -> bool:
    return at is not None and at > since


@contextmanager
def refreshing(known: Refreshed, state: str, field: str) -> Iterator[None]:
    """While it is computed anew. The state was read first: what changes meanwhile makes it
    outdated."""
    start = time.monotonic()
    yield
    known.state, known.made_at = state, timezone.now()
    known.seconds = time.monotonic() - start
    known.save(update_fields=[field, "state", "made_at", "seconds"])

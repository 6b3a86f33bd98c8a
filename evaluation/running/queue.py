"""Telling workers where to look, and noticing what was left lying.

A message only says where to look; whether there is work, the database says. So a message that is
lost is sent again, and one that arrives twice finds nothing to do.
"""

import logging
import os
import re
import socket
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Max, Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from evaluation.models import Run, Shard, Worker

log = logging.getLogger(__name__)

PATIENCE = timedelta(seconds=settings.ATTEST_PATIENCE_SECONDS)
"""After so long without a sign of life, a message is taken for lost."""

LEASE = 2 * PATIENCE
"""So long work is kept for a worker that gives no sign of life."""

NOTED_AT_ONCE = 200
"""Messages that are sent before it is noted that they are."""

MOST_ATTEMPTS = 3
"""A shard whose worker died so often is not tried again by itself."""

DIED = (
    f"Its worker was killed {MOST_ATTEMPTS} times while it worked on this part, perhaps since the "
    "memory did not suffice. Look at the worker's log, then try the failed parts again."
)


def send_plan(run: Run) -> bool:
    """Have a run planned."""
    from evaluation.tasks import plan_run

    return send(run.queue, plan_run, [run.pk], Run.objects.filter(pk=run.pk))


def send_shards(run: Run, shards: Iterable[int]) -> bool:
    """Have some shards worked on; whether the queue took the messages."""
    from evaluation.tasks import work_on_shard

    return send(run.queue, work_on_shard, shards, Shard.objects.filter(run=run))


def send(queue: str, task: object, keys: Iterable[int], rows: object) -> bool:
    """A message for each row, by its key; when they were sent is noted in the rows."""
    waiting = list(keys)
    for first in range(0, len(waiting), NOTED_AT_ONCE):
        sent = []
        taken = True
        for key in waiting[first : first + NOTED_AT_ONCE]:
            try:
                task.apply_async([key], queue=queue, retry=False)  # type: ignore[attr-defined]
            except (OperationalError, OSError):
                log.warning("the queue cannot be reached; what waits is sent again later")
                taken = False
                break
            sent.append(key)
        rows.filter(pk__in=sent).update(sent_at=timezone.now())  # type: ignore[attr-defined]
        if not taken:
            return False
    return True


def look_after() -> None:
    """Send again what was lost: with its message, or with its worker. End what was interrupted."""
    now = timezone.now()
    give_back(Shard.objects.filter(state=Shard.State.WORKING, lease_until__lt=now))
    unplanned = Run.objects.filter(state=Run.State.PLANNING)
    for run in unplanned.filter(Q(lease_until__isnull=True) | Q(lease_until__lt=now)):
        if run.sent_at is None or run.sent_at < _silent_before(now, run.created_at):
            send_plan(run)
    for run in Run.objects.filter(state=Run.State.RUNNING):
        shards = run.shards.all()
        if shards.filter(state=Shard.State.WORKING, lease_until__gte=now).exists():
            continue  # the others are only waiting for their turn
        moved = shards.aggregate(last=Max("finished_at"))["last"]
        if moved is not None and moved >= now - PATIENCE:
            continue
        since = max(filter(None, [moved, run.resumed_at, run.started_at]), default=now)
        silent = Q(sent_at__isnull=True) | Q(sent_at__lt=_silent_before(now, since))
        lost = shards.filter(silent, state=Shard.State.WAITING).order_by("number")
        send_shards(run, list(lost.values_list("pk", flat=True)))
        if not shards.filter(state__in=[Shard.State.WAITING, Shard.State.WORKING]).exists():
            _settle(run.pk)  # its last part was written, and then the worker died
    for run in Run.objects.filter(state=Run.State.CANCELLED, discards=True):
        if run.shards.filter(state=Shard.State.DONE).exists():
            from evaluation.running.runs import discard

            discard(run)


def give_back(shards: object) -> int:
    """Let others have the shards whose worker is known to be gone; how many."""
    count = 0
    for shard in shards.select_related("run"):  # type: ignore[attr-defined]
        deaths = shard.deaths + 1
        again = deaths < MOST_ATTEMPTS
        held = Shard.objects.filter(
            pk=shard.pk, state=Shard.State.WORKING, lease_token=shard.lease_token
        )
        freed = held.update(
            state=Shard.State.WAITING if again else Shard.State.FAILED,
            deaths=deaths,
            lease_token="",
            lease_until=None,
            sent_at=None,
            error="" if again else DIED,
            finished_at=None if again else timezone.now(),
        )
        count += freed
        if freed and again and shard.run.state == Run.State.RUNNING:
            send_shards(shard.run, [shard.pk])
        elif freed and not again:
            _settle(shard.run_id)
    return count


def _settle(run_id: int) -> None:
    from evaluation.running.shards import settle

    settle(run_id)


def _silent_before(now: datetime, since: datetime) -> datetime:
    """A message that was sent before this is taken for lost, where nothing moved since a moment.

    One that was sent again is given as long as all waiting before, so that work which only waits
    behind other work for hours fills the queue with a handful of messages and not with thousands.
    """
    return min(now - PATIENCE, since + (now - since) / 2)


# Workers ----------------------------------------------------------------------------------------


def arrive(name: str, queues: Iterable[str]) -> None:
    """A worker is there."""
    now = timezone.now()
    Worker.objects.update_or_create(
        name=name, defaults={"queues": sorted(queues), "since": now, "seen_at": now}
    )
    Worker.objects.filter(seen_at__lt=now - timedelta(days=1)).delete()


def free_what_died_here(name: str) -> None:
    """A worker starts: what those before it on this machine held when they died, it frees."""
    working = Shard.objects.filter(state=Shard.State.WORKING)
    planning = Run.objects.filter(state=Run.State.PLANNING, lease_until__isnull=False)
    names = {*working.values_list("worker", flat=True), *planning.values_list("worker", flat=True)}
    gone = [other for other in names if other == name or is_dead_here(other)]
    give_back(working.filter(worker__in=gone))
    planning.filter(worker__in=gone).update(lease_until=None, sent_at=None)
    Worker.objects.filter(name__in=[other for other in gone if other != name]).delete()
    look_after()


def worker_name(node: str) -> str:
    """What a worker is called: two may have one name for Celery, but not one process."""
    return f"{node} on {socket.gethostname()}, process {os.getpid()}"


def is_dead_here(name: str) -> bool:
    """Whether a worker of this machine is known not to run any more."""
    found = re.search(r" on (\S+), process (\d+)$", name)
    if found is None or found[1] != socket.gethostname():
        return False
    try:
        os.kill(int(found[2]), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def beat(name: str) -> bool:
    """A worker is alive; whether it is still known."""
    return bool(Worker.objects.filter(name=name).update(seen_at=timezone.now()))


def leave(name: str) -> None:
    """A worker stops."""
    Worker.objects.filter(name=name).delete()


def serving(queue: str) -> list[Worker]:
    """The living workers that serve a queue."""
    return [one for one in Worker.objects.all() if one.is_alive and queue in one.queues]

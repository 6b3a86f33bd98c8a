"""Telling workers where to look, and noticing what was left lying.

A message only says where to look; whether there is work, the database says. So a message that is
lost is sent again, and one that arrives twice finds nothing to do.
"""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from evaluation.models import Run, Shard, Worker

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)
PATIENCE = timedelta(seconds=30)
"""After so long without a sign of life, a message is taken for lost."""

MOST_ATTEMPTS = 3
"""A shard whose worker died so often is not tried again by itself."""

DIED = (
    f"Its worker was killed {MOST_ATTEMPTS} times while it worked on this part, perhaps since the "
    "memory did not suffice. Look at the worker's log, then try the failed parts again."
)


def send_plan(run: Run) -> bool:
    """Have a run planned."""
    from evaluation.tasks import plan_run

    return _send(run.queue, plan_run, [run.pk], Run.objects.filter(pk=run.pk))


def send_shards(run: Run, shards: Iterable[int]) -> bool:
    """Have some shards worked on; whether the queue took the messages."""
    from evaluation.tasks import work_on_shard

    return _send(run.queue, work_on_shard, shards, Shard.objects.filter(run=run))


def _send(queue: str, task: object, keys: Iterable[int], rows: object) -> bool:
    sent = []
    taken = True
    for key in keys:
        try:
            task.apply_async([key], queue=queue, retry=False)  # type: ignore[attr-defined]
        except (OperationalError, OSError):
            log.warning("the queue cannot be reached; what waits is sent again later")
            taken = False
            break
        sent.append(key)
    for first in range(0, len(sent), 500):
        some = sent[first : first + 500]
        rows.filter(pk__in=some).update(sent_at=timezone.now())  # type: ignore[attr-defined]
    return taken


def look_after() -> None:
    """Send again what was lost: with its message, or with its worker."""
    now = timezone.now()
    give_back(Shard.objects.filter(state=Shard.State.WORKING, lease_until__lt=now))
    unplanned = Run.objects.filter(state=Run.State.PLANNING).filter(_silent(now))
    for run in unplanned.filter(Q(lease_until__isnull=True) | Q(lease_until__lt=now)):
        send_plan(run)
    for run in Run.objects.filter(state=Run.State.RUNNING):
        shards = run.shards.all()
        recent = shards.filter(
            Q(state=Shard.State.WORKING, lease_until__gte=now) | Q(finished_at__gte=now - PATIENCE)
        )
        # As long as something moves, the others are only waiting for their turn.
        if not recent.exists():
            lost = shards.filter(state=Shard.State.WAITING).filter(_silent(now))
            send_shards(run, list(lost.values_list("pk", flat=True)))


def give_back(shards: object) -> int:
    """Let others have the shards whose worker is known to be gone; how many."""
    count = 0
    for shard in shards.select_related("run"):  # type: ignore[attr-defined]
        again = shard.attempts < MOST_ATTEMPTS
        held = Shard.objects.filter(
            pk=shard.pk, state=Shard.State.WORKING, lease_token=shard.lease_token
        )
        freed = held.update(
            state=Shard.State.WAITING if again else Shard.State.FAILED,
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
            from evaluation.services.shards import settle

            settle(shard.run_id)
    return count


def _silent(now: datetime) -> Q:
    return Q(sent_at__isnull=True) | Q(sent_at__lt=now - PATIENCE)


# Workers ----------------------------------------------------------------------------------------


def arrive(name: str, queues: Iterable[str]) -> None:
    """A worker starts: what one of its name was working on was left lying when that one died."""
    now = timezone.now()
    Worker.objects.update_or_create(
        name=name, defaults={"queues": sorted(queues), "since": now, "seen_at": now}
    )
    Worker.objects.filter(seen_at__lt=now - timedelta(days=1)).delete()
    give_back(Shard.objects.filter(state=Shard.State.WORKING, worker=name))
    Run.objects.filter(state=Run.State.PLANNING, worker=name).update(lease_until=None, sent_at=None)
    look_after()


def beat(name: str) -> bool:
    """A worker is alive; whether it is still known."""
    return bool(Worker.objects.filter(name=name).update(seen_at=timezone.now()))


def leave(name: str) -> None:
    """A worker stops."""
    Worker.objects.filter(name=name).delete()


def serving(queue: str) -> list[Worker]:
    """The living workers that serve a queue."""
    return [one for one in Worker.objects.all() if one.is_alive and queue in one.queues]

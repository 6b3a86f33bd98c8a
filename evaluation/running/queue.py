"""Planning and parts of runs as work for workers: when they are work, and what was left lying."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone

from annotate import jobs
from annotate.jobs import MOST_DEATHS, PATIENCE
from evaluation.models import Run, Shard


def settle(run_id: int) -> None:
    """End a run that has no shard left to do."""
    with transaction.atomic():
        run = Run.objects.select_for_update(no_key=True).filter(pk=run_id).first()
        if run is None or run.state not in {Run.State.RUNNING, Run.State.PAUSED}:
            return
        open_states = [Shard.State.WAITING, Shard.State.WORKING]
        if run.shards.filter(state__in=open_states).exists():
            return
        failed = run.shards.filter(state=Shard.State.FAILED)
        count = failed.count()
        first = failed.first()
        run.state = Run.State.FAILED if count else Run.State.DONE
        run.error = "" if first is None else first.error
        run.error_place = "" if first is None else _place(count, run.shards.count(), first)
        run.finished_at = timezone.now()
        run.save(update_fields=["state", "error", "error_place", "finished_at"])


def _place(failed: int, all_of_them: int, first: Shard) -> str:
    where = f"{failed} of {all_of_them} parts failed; this was part {first.number}"
    return f"{where}, {first.error_place}" if first.error_place else where


PLANNED_WHERE = "while it was planned"

PLAN = jobs.Kind(
    model=Run,
    task="evaluation.plan_run",
    steps={Run.State.PLANNING: Run.State.PLANNING},
    queue=lambda run: run.queue,
    since=lambda run: run.created_at,
    given_up=lambda run: Run.objects.filter(pk=run.pk).update(error_place=PLANNED_WHERE),
    died=(
        f"Its worker was killed {MOST_DEATHS} times while it planned this run, perhaps since the "
        "memory did not suffice for the model. Look at the worker's log, then try again."
    ),
)

PART = jobs.Kind(
    model=Shard,
    task="evaluation.work_on_shard",
    steps={Shard.State.WAITING: Shard.State.WORKING},
    queue=lambda shard: shard.run.queue,
    related=("run__study",),
    afresh={"phase": "", "answered": 0, "total": 0, "error": "", "error_place": ""},
    may_begin=lambda shard: shard.run.state == Run.State.RUNNING,
    given_up=lambda shard: settle(shard.run_id),
    died=(
        f"Its worker was killed {MOST_DEATHS} times while it worked on this part, perhaps since "
        "the memory did not suffice. Look at the worker's log, then try the failed parts again."
    ),
)


def send_shards(run: Run, shards: Iterable[int]) -> bool:
    """Have some shards worked on; whether the queue took the messages."""
    return jobs.send(PART, run.queue, shards)


@jobs.swept
def look_after_runs(now: datetime) -> None:
    """Send again what nobody works on. While somebody does, the other parts of the run are only
    waiting for their turn."""
    for run in Run.objects.filter(state=Run.State.RUNNING):
        shards = run.shards.all()
        if shards.filter(state=Shard.State.WORKING, lease_until__gte=now).exists():
            continue
        moved = shards.aggregate(last=Max("finished_at"))["last"]
        if moved is not None and moved >= now - PATIENCE:
            continue
        since = max(filter(None, [moved, run.resumed_at, run.started_at]), default=now)
        silent = Q(sent_at__isnull=True) | Q(sent_at__lt=jobs.silent_before(now, since))
        lost = shards.filter(silent, state=Shard.State.WAITING).order_by("number")
        send_shards(run, list(lost.values_list("pk", flat=True)))
        settle(run.pk)  # where its last part was written, and then the worker died

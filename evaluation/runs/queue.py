"""Queue planning and parts of runs, take turns between studies, and recover lost messages.

Workers receive only as many messages as they have free slots, one study after the other: a study
with ten thousand parts delays no other study by more than one part.
"""

from collections import Counter
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone

from annotate.studies.webhooks import notify
from annotate.web import audit
from annotate.work import jobs
from annotate.work.jobs import PATIENCE
from evaluation.models import ModelBatch, Run, Shard
from evaluation.models.calls import waits_for_batch


def settle(run_id: int) -> None:
    """End a run without unfinished parts."""
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
        tell_end(run)


def tell_end(run: Run, state: str = "") -> None:
    """Send the webhook event of a run that is done or failed."""
    event = "run.failed" if (state or run.state) == Run.State.FAILED else "run.done"
    notify(run.study_id, event, run=run.pk, judge=run.judge_name, signature=run.signature)


BUDGET_SPENT = "It has spent its budget. Give it a higher one to have it go on."


def pause_spent(run: Run) -> None:
    running = Run.objects.filter(pk=run.pk, state=Run.State.RUNNING)
    if running.update(state=Run.State.PAUSED, error=BUDGET_SPENT, error_place=""):
        audit.note("run-paused", run)


def _place(failed: int, total: int, first: Shard) -> str:
    where = f"{failed} of {total} parts failed; this was part {first.number}"
    return f"{where}, {first.error_place}" if first.error_place else where


def _is_out(shard: Shard) -> bool:
    """Return whether calls that the part needs are in an open batch."""
    return shard.batches.filter(state__in=ModelBatch.OPEN).exists()


WHILE_PLANNED = "while it was planned"

PLAN = jobs.Kind(
    model=Run,
    task="evaluation.plan_run",
    steps={Run.State.PLANNING: Run.State.PLANNING},
    queue=lambda run: run.queue,
    asked_for=(Run.State.PLANNING, Run.State.RUNNING),
    fails=lambda run: tell_end(run, Run.State.FAILED),
    given_up=lambda run: Run.objects.filter(pk=run.pk).update(error_place=WHILE_PLANNED),
    advice="Check the worker's log, then try again.",
)

PART = jobs.Kind(
    model=Shard,
    task="evaluation.work_on_shard",
    steps={Shard.State.WAITING: Shard.State.WORKING},
    queue=lambda shard: shard.run.queue,
    related=("run__study",),
    afresh={"phase": "", "answered": 0, "total": 0, "error": "", "error_place": ""},
    may_begin=lambda shard: shard.run.state == Run.State.RUNNING and not _is_out(shard),
    given_up=lambda shard: settle(shard.run_id),
    advice="Check the worker's log, then retry the failed parts.",
)


Rows = QuerySet[Any]


def _rows(queue: str) -> list[tuple[jobs.Kind[Any], Rows, str]]:
    """Return the open work of a queue, plans before parts, with the lookup of its study."""
    plans = Run.objects.filter(state=Run.State.PLANNING, queue=queue).order_by("pk")
    parts = Shard.objects.filter(
        ~waits_for_batch(),
        state__in=[Shard.State.WAITING, Shard.State.WORKING],
        run__state=Run.State.RUNNING,
        run__queue=queue,
    ).order_by("run_id", "number")
    return [(PLAN, plans, "study"), (PART, parts, "run__study")]


UNSENT = Q(sent_at=None, lease_until=None)


def under_way(queue: str) -> Counter[int]:
    """Count the messages sent and the work in progress, by study."""
    counts: Counter[int] = Counter()
    for _, rows, study in _rows(queue):
        sent = rows.exclude(UNSENT).order_by().values_list(study)
        counts.update(dict(sent.annotate(count=Count("pk"))))
    return counts


def send_next(queue: str) -> bool:
    """Send messages for the free slots; return whether the queue accepted them. The study with
    the least work under way is next; of equals the one that waited longer."""
    places = jobs.places(queue)
    busy = under_way(queue)
    room = places - busy.total()
    if room <= 0:
        return True
    waiting = _waiting(queue, room)
    last_sent = dict(
        Run.objects.filter(queue=queue, study__in=waiting, sent_at__isnull=False)
        .order_by()
        .values_list("study")
        .annotate(last=Max("sent_at"))
    )
    most = _most(queue, places)
    while room and (candidates := [one for one in waiting if waiting[one] and busy[one] < most]):
        study = min(
            candidates, key=lambda one: (busy[one], one in last_sent, last_sent.get(one), one)
        )
        kind, key, run = waiting[study].pop(0)
        if not jobs.send(kind, queue, [key]):
            return False
        last_sent[study] = timezone.now()
        Run.objects.filter(pk=run).update(sent_at=last_sent[study])
        busy[study] += 1
        room -= 1
    return True


def _waiting(queue: str, most: int) -> dict[int, list[tuple[jobs.Kind[Any], int, int]]]:
    """Return unsent work by study: its kind, key and run."""
    waiting: dict[int, list[tuple[jobs.Kind[Any], int, int]]] = {}
    for kind, rows, study in _rows(queue):
        unsent = rows.filter(UNSENT)
        of_run = "pk" if kind is PLAN else "run"
        for key in unsent.order_by().values_list(study, flat=True).distinct():
            keys = unsent.filter(**{study: key}).values_list("pk", of_run)[:most]
            waiting.setdefault(key, []).extend((kind, *each) for each in keys)
    return waiting


def _most(queue: str, places: int) -> int:
    """Return how many slots one study may use. A silent server must not block all slots of
    OUTSIDE."""
    return max(1, places - 1) if queue == Run.Queue.OUTSIDE else places


@jobs.swept
def resend_lost_work(now: datetime) -> None:
    """Send lost messages again, and work whose turn has come."""
    for run in Run.objects.filter(state=Run.State.PLANNING, lease_until=None):
        if run.sent_at and run.sent_at < jobs.silent_before(now, run.created_at):
            Run.objects.filter(pk=run.pk, sent_at=run.sent_at).update(sent_at=None)
    for run in Run.objects.filter(state=Run.State.RUNNING):
        _forget_lost(run, now)
        settle(run.pk)  # the worker may have died after the last part
    for queue in Run.Queue.values:
        send_next(queue)


def _forget_lost(run: Run, now: datetime) -> None:
    """Mark messages as lost: later ones are in work, or nothing has moved for long."""
    shards = run.shards.all()
    sent = shards.filter(state=Shard.State.WAITING, sent_at__isnull=False)
    working = shards.filter(state=Shard.State.WORKING, lease_until__gte=now)
    if working.exists():
        begun = working.aggregate(last=Max("sent_at"))["last"] or run.created_at
        sent.filter(sent_at__lt=min(begun, now - PATIENCE)).update(sent_at=None)
        return
    moved = shards.aggregate(last=Max("finished_at"))["last"]
    if moved is not None and moved >= now - PATIENCE:
        return
    since = max(filter(None, [moved, run.resumed_at, run.started_at]), default=now)
    sent.filter(sent_at__lt=jobs.silent_before(now, since)).update(sent_at=None)

"""How far a rater has come in a batch, how fast they go, and an honest guess at what is left."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.db.models import Q, Sum
from django.utils import timezone

from annotate.models import Assignment, Batch, Judge, Judgment, still_counts
from annotate.services.rating.assignments import DONE, full_items

RECENT = 20
"""Tasks that the pace is taken from."""

ENOUGH = 3
"""Fewer finished tasks say nothing about the pace."""


@dataclass(frozen=True, slots=True)
class Pace:
    """What is shown above a task. `left` counts what is still free for this rater, at most;
    `number` is that of the task that is open, 0 without one."""

    number: int
    done: int
    today: int
    left: int
    seconds_per_task: float | None
    is_limited: bool

    @property
    def total(self) -> int:
        """At most so many tasks; never fewer than the task that is open, which others may have
        filled meanwhile."""
        return max(self.done + self.left, self.number)

    @property
    def minutes_left(self) -> int | None:
        """At the present pace, for all that is left; none before the pace is known."""
        if self.seconds_per_task is None:
            return None
        return max(1, round(self.left * self.seconds_per_task / 60)) if self.left else 0


def pace_of(batch: Batch, judge: Judge, task: Assignment | None = None) -> Pace:
    """`task` is the one that is open, if any."""
    mine = Assignment.objects.filter(batch=batch, judge=judge)
    done = list(mine.filter(state=DONE).order_by("-done_at").values_list("item_id", "done_at"))
    today = timezone.localdate()
    left = _left(batch, judge)
    if batch.tasks_per_rater is not None:
        left = min(left, max(0, batch.tasks_per_rater - len(done)))
    return Pace(
        number=0 if task is None else _number(task, [at for _, at in done]),
        done=len(done),
        today=sum(1 for _, at in done if at is not None and timezone.localdate(at) == today),
        left=left,
        seconds_per_task=_seconds(batch, judge, [item for item, _ in done[:RECENT]]),
        is_limited=batch.tasks_per_rater is not None,
    )


def _number(task: Assignment, done: Sequence[datetime | None]) -> int:
    """Among the rater's tasks as they were finished; one that is not comes next."""
    if task.done_at is None:
        return len(done) + 1
    return sum(at is not None and at <= task.done_at for at in done)


def seconds_worked(batch: Batch, judges: Collection[int]) -> dict[int, float]:
    """By judge, the time that their answers to the batch's questions took; idle time left out."""
    rows = Judgment.objects.filter(batch.about, judge__in=judges, dimension__in=batch.dimensions)
    sums = rows.order_by().values("judge").annotate(total=Sum("seconds"))
    return {key: total or 0.0 for key, total in sums.values_list("judge", "total")}


def _left(batch: Batch, judge: Judge) -> int:
    """Items that this rater can still be given, if nobody else takes them first."""
    finished = batch.assignments.filter(judge=judge).exclude(state=Assignment.State.ACTIVE)
    if batch.is_practice:
        items = batch.items.filter(still_counts())
    else:
        # Gold counts as if it were all to come: the sum must not tell which tasks were gold.
        free = ~Q(pk__in=full_items(batch, Q(state=DONE)))
        wanted = Q(is_gold=False) & free
        if batch.gold_percent:
            wanted |= Q(is_gold=True)
        items = batch.items.filter(still_counts(), wanted)
    return items.exclude(pk__in=finished.values("item")).count()


def _seconds(batch: Batch, judge: Judge, items: Sequence[int]) -> float | None:
    """The median of the time that the latest tasks took, idle time left out."""
    if len(items) < ENOUGH:
        return None
    rows = Judgment.objects.filter(judge=judge, seconds__isnull=False)
    is_single = batch.granularity == Batch.Granularity.UNIT
    task = "unit" if is_single else "unit__response"
    rows = rows.filter(**{f"{task}__batch_items__in": items})
    sums = rows.values_list(task).annotate(total=Sum("seconds")).values_list("total", flat=True)
    totals = [total for total in sums if total]
    return median(totals) if len(totals) >= ENOUGH else None

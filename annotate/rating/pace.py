"""How far a rater has come in a batch, how fast they go, and an honest guess at what is left."""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from statistics import fmean, median

from django.core.cache import caches
from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from annotate.models import PEOPLE, Assignment, Batch, Judge, Judgment, Study, still_counts
from annotate.rating.places import ACTIVE, DONE, full_items
from annotate.rating.task_order import LARGE

RECENT = 20
"""Tasks that the pace is taken from."""

LATEST = 200
"""Answers that a study's pace is taken from."""

SECONDS = 60
"""How long the number of a batch's items is cached."""

ENOUGH = 3
"""Fewer finished tasks say nothing about the pace."""


@dataclass(frozen=True, slots=True)
class Pace:
    """What is shown above a task. `left` counts what is still free for this rater, at most;
    `number` is that of the task that is open, 0 without one."""

    number: int
    previous: int | None
    """The task that was finished last, before the one that is open."""

    done: int
    today: int
    left: int
    seconds_per_task: float | None
    is_limited: bool
    earned: Decimal | None = None
    """Pay for the work in this batch; None where it counts no pay."""

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
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    until = timezone.now() if task is None or task.done_at is None else task.done_at
    finished = _finished(batch, judge).aggregate(
        done=Count("pk"),
        today=Count("pk", filter=Q(done_at__gte=midnight)),
        before=Count("pk", filter=Q(done_at__lte=until)),
    )
    done = finished["done"]
    earlier = _finished(batch, judge).filter(done_at__lt=until).order_by("-done_at")
    left = _left(batch, judge, done)
    if batch.tasks_per_rater is not None:
        left = min(left, max(0, batch.tasks_per_rater - done))
    return Pace(
        # Among the rater's tasks as they were finished; one that is not comes next.
        number=0 if task is None else finished["before"] if task.done_at is not None else done + 1,
        previous=earlier.values_list("pk", flat=True).first(),
        done=done,
        today=finished["today"],
        left=left,
        seconds_per_task=_seconds(batch, judge) if done >= ENOUGH else None,
        is_limited=batch.tasks_per_rater is not None,
        earned=batch.pay_for(seconds_worked(batch, [judge.pk]).get(judge.pk, 0))
        if batch.pay_per_hour is not None
        else None,
    )


def _finished(batch: Batch, judge: Judge) -> QuerySet[Assignment]:
    return Assignment.objects.filter(batch=batch, judge=judge, state=DONE)


def seconds_worked(batch: Batch, judges: Collection[int]) -> dict[int, float]:
    """By judge, the time that their answers to the batch's questions took; idle time left out."""
    rows = Judgment.objects.filter(batch.about, judge__in=judges, dimension__in=batch.dimensions)
    sums = rows.order_by().values("judge").annotate(total=Sum("seconds"))
    return {key: total or 0.0 for key, total in sums.values_list("judge", "total")}


def seconds_per_answer(study: Study) -> float | None:
    """Return the mean time of the study's latest answers by raters; None with too few. It is up to
    `SECONDS` old."""

    def read() -> float:
        raters = study.judges.filter(kind__in=PEOPLE).exclude(standing=Judge.Standing.EXCLUDED)
        timed = Judgment.objects.filter(judge__in=list(raters), seconds__gt=0).order_by("-pk")
        latest = [each or 0.0 for each in timed.values_list("seconds", flat=True)[:LATEST]]
        return fmean(latest) if len(latest) >= ENOUGH else 0.0

    return caches["process"].get_or_set(f"pace-of-study:{study.pk}", read, SECONDS) or None


def _left(batch: Batch, judge: Judge, done: int) -> int:
    """Items that this rater can still be given, if nobody else takes them first. In a large batch
    no more than that: of their own tasks, those count that cannot be among the full ones."""
    number, free = _whole(batch)
    if number > LARGE and not batch.is_practice:
        return max(0, free - max(0, done - (number - free)))
    items = batch.items.filter(still_counts())
    if not batch.is_practice:
        items = items.filter(_free(batch))
    mine = Assignment.objects.filter(~Q(state=ACTIVE), batch=batch, judge=judge)
    return items.exclude(pk__in=mine.values("item")).count()


def _whole(batch: Batch) -> tuple[int, int]:
    """Count the items of a batch that still count, and those of them that are not full. A large
    batch takes longer to count than its page, so the numbers are up to `SECONDS` old."""

    def count() -> tuple[int, int]:
        items = batch.items.filter(still_counts())
        number = items.count()
        return number, items.filter(_free(batch)).count() if number > LARGE else number

    key = f"items-of-batch:{batch.pk}:{batch.created_at.timestamp()}:{batch.raters_per_item}"
    return caches["process"].get_or_set(key, count, SECONDS) or count()


def _free(batch: Batch) -> Q:
    """Match items that still need ratings. Gold always does: the number must not tell which tasks
    were gold."""
    full = full_items(batch, batch.raters_per_item, Q(state=DONE))
    wanted = Q(is_gold=False) & ~Q(pk__in=full)
    return wanted | Q(is_gold=True) if batch.gold_percent else wanted


def _seconds(batch: Batch, judge: Judge) -> float | None:
    """The median of the time that the latest tasks took, idle time left out."""
    task = "unit" if batch.granularity == Batch.Granularity.UNIT else "unit__response"
    latest = _finished(batch, judge).order_by("-done_at").values("item")[:RECENT]
    rows = Judgment.objects.filter(judge=judge, seconds__isnull=False)
    rows = rows.filter(**{f"{task}__batch_items__in": latest})
    sums = rows.order_by().values(task).annotate(total=Sum("seconds"))
    totals = [total for total in sums.values_list("total", flat=True) if total]
    return median(totals) if len(totals) >= ENOUGH else None

"""A rater's progress and pace in a batch, and an estimate of the time left."""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from statistics import fmean, median

from django.core.cache import caches
from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from annotate.models import PEOPLE, Assignment, Batch, Judge, Judgment, Study, still_counts
from annotate.rating.assignments import LARGE
from annotate.rating.gold import GoldScore, score_in
from annotate.rating.places import ACTIVE, DONE, full_items
from annotate.rating.practice import current_round

RECENT = 20
"""Tasks from which the pace is computed."""

LATEST = 200
"""Answers from which a study's pace is computed."""

SECONDS = 60
"""How long counts and paces are cached."""

ENOUGH = 3
"""The pace is unknown with fewer finished tasks."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The numbers shown above a task.

    `left` is an upper bound of the tasks left for this rater. `number` is that of the open task, or
    0.
    """

    number: int
    previous: int | None
    """The last task finished before the open one."""

    done: int
    today: int
    left: int
    seconds_per_task: float | None
    is_limited: bool
    earned: Decimal | None = None
    """Pay for the work in this batch; None if it counts no pay."""

    @property
    def total(self) -> int:
        """The number of tasks, at least that of the open one, whose place others may have taken."""
        return max(self.done + self.left, self.number)

    @property
    def minutes_left(self) -> int | None:
        """Estimated minutes for all tasks left, or None if the pace is unknown."""
        if self.seconds_per_task is None:
            return None
        return max(1, round(self.left * self.seconds_per_task / 60)) if self.left else 0


def pace_of(batch: Batch, judge: Judge, task: Assignment | None = None) -> Pace:
    """Return a rater's pace. `task` is the open one, if any."""
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
        # Tasks are numbered in the order of finishing. An unfinished one is next.
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
    """Return the time that each judge's answers in the batch took, without idle time."""
    rows = Judgment.objects.filter(batch.about, judge__in=judges, dimension__in=batch.dimensions)
    sums = rows.order_by().values("judge").annotate(total=Sum("seconds"))
    return {key: total or 0.0 for key, total in sums.values_list("judge", "total")}


def seconds_per_answer(study: Study) -> float | None:
    """Return the mean seconds of the study's latest answers; None with too few. Cached."""

    def read() -> float:
        raters = study.judges.filter(kind__in=PEOPLE).exclude(standing=Judge.Standing.EXCLUDED)
        timed = Judgment.objects.filter(judge__in=list(raters), seconds__gt=0).order_by("-pk")
        latest = [each or 0.0 for each in timed.values_list("seconds", flat=True)[:LATEST]]
        return fmean(latest) if len(latest) >= ENOUGH else 0.0

    return caches["process"].get_or_set(f"pace-of-study:{study.pk}", read, SECONDS) or None


def _left(batch: Batch, judge: Judge, done: int) -> int:
    """Return how many items this rater can still get if nobody else takes them.

    In a large batch, this is an upper bound. It subtracts the rater's tasks that cannot be full.
    """
    number, free = _whole(batch)
    if number > LARGE and not batch.is_practice:
        return max(0, free - max(0, done - (number - free)))
    items = batch.items.filter(still_counts())
    if not batch.is_practice:
        items = items.filter(_free(batch))
    mine = Assignment.objects.filter(~Q(state=ACTIVE), batch=batch, judge=judge)
    return items.exclude(pk__in=mine.values("item")).count()


def _whole(batch: Batch) -> tuple[int, int]:
    """Count the batch's items, and the items that are not full.

    Cached, because counting a large batch takes longer than its page.
    """

    def count() -> tuple[int, int]:
        items = batch.items.filter(still_counts())
        number = items.count()
        return number, items.filter(_free(batch)).count() if number > LARGE else number

    key = f"items-of-batch:{batch.pk}:{batch.created_at.timestamp()}:{batch.raters_per_item}"
    return caches["process"].get_or_set(key, count, SECONDS) or count()


def _free(batch: Batch) -> Q:
    """Match items that need ratings. Gold always does, so that the count does not reveal it."""
    full = full_items(batch, batch.raters_per_item, Q(state=DONE))
    wanted = Q(is_gold=False) & ~Q(pk__in=full)
    return wanted | Q(is_gold=True) if batch.gold_percent else wanted


def _seconds(batch: Batch, judge: Judge) -> float | None:
    """Return the median time of the rater's latest tasks, without idle time."""
    task = "unit" if batch.granularity == Batch.Granularity.UNIT else "unit__response"
    latest = _finished(batch, judge).order_by("-done_at").values("item")[:RECENT]
    rows = Judgment.objects.filter(judge=judge, seconds__isnull=False)
    rows = rows.filter(**{f"{task}__batch_items__in": latest})
    sums = rows.order_by().values(task).annotate(total=Sum("seconds"))
    totals = [total for total in sums.values_list("total", flat=True) if total]
    return median(totals) if len(totals) >= ENOUGH else None


@dataclass(frozen=True, slots=True)
class OwnWork:
    """A rater's part in a batch. Practice has the last round's pace and the time of all."""

    batch: Batch
    pace: Pace
    seconds: float
    gold: GoldScore | None
    """The rater's gold score, if the batch shows it."""

    @property
    def minutes(self) -> float:
        return self.seconds / 60


def own_work(batch: Batch, judge: Judge) -> OwnWork:
    latest = current_round(batch, judge) if batch.is_practice else None
    everyone = [judge.pk, *judge.rounds.filter(batch=batch).values_list("trainee", flat=True)]
    shows_gold = batch.shows_gold_share and not batch.is_practice
    return OwnWork(
        batch=batch,
        pace=pace_of(batch, judge if latest is None else latest.trainee),
        seconds=sum(seconds_worked(batch, everyone).values()),
        gold=score_in(batch, judge) if shows_gold else None,
    )

"""The progress and pace of a batch during the work.

Pages poll it every few seconds. It adds the tasks in progress to the stored counts of
`annotate/content/study_counts.py`. Agreement is in `batch_agreement`, practice in
`practice_rounds`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from annotate.content import counts
from annotate.content.counts import Counts
from annotate.content.study_counts import microseconds, moment
from annotate.models import Assignment, Batch, Flag, Judge, still_counts
from annotate.rating.batches.overview import count_raters, tasks_by_ratings
from annotate.rating.places import ACTIVE, counting

AT_WORK = timedelta(minutes=10)
"""Raters seen within this time are at work."""

LEASES_SHOWN = 50
SOON = timedelta(days=365)
"""A forecast beyond this is not shown."""


# Progress ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bar:
    """The number of tasks with this number of complete ratings."""

    ratings: int
    tasks: int
    percent: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """When the batch will be finished at the present pace, or why that is unknown."""

    end: datetime | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """A batch of work at one moment."""

    at: datetime
    tasks: int
    bars: tuple[Bar, ...]
    done: int
    wanted: int
    raters: int
    at_work: tuple[str, ...]
    leases: tuple[Assignment, ...]
    lease_count: int
    last_hour: int
    per_hour: float | None
    forecast: Forecast
    skips: int
    flags: tuple[tuple[str, int], ...]
    unfinished: int
    """Answers in tasks that are not finished, which do not count."""

    excluded: int
    """Answers of excluded raters, which do not count."""

    gold: int
    """Finished ratings of gold items, which the other numbers leave out."""

    waiting: int
    """Changes that are not counted yet."""

    @property
    def percent(self) -> int:
        return 100 * self.done // self.wanted if self.wanted else 0


def _active(batch: Any, **more: Any) -> "QuerySet[Assignment]":
    """The present tasks of raters who count."""
    return counting(Assignment.objects.filter(batch=batch, state=ACTIVE, **more))


def _leases(batch: Batch, now: datetime) -> "QuerySet[Assignment]":
    rows = _active(batch, lease_until__gt=now).order_by("lease_until", "pk")
    return rows.select_related("judge", "item__response__question", "item__unit")[:LEASES_SHOWN]


def _done_since(batch: Batch, since: datetime) -> int:
    done = Assignment.objects.filter(batch=batch, item__is_gold=False, done_at__gt=since)
    return counting(done.filter(still_counts("item__"))).count()


def progress(batch: Batch) -> Progress:
    now = timezone.now()
    kept = counts.kept(batch.study)
    sums = kept.of("work", batch.pk)
    by_number = tasks_by_ratings(sums)
    tasks = sum(by_number.values())
    leases = _leases(batch, now)
    is_all = len(leases) < LEASES_SHOWN
    last_hour = _done_since(batch, now - timedelta(hours=1))
    ended, begun = moment(sums.get("^ended")), moment(_less(sums.get("^begun")))
    left = sum(max(0, batch.raters_per_item - n) * many for n, many in by_number.items())
    return Progress(
        at=now,
        tasks=tasks,
        bars=_bars(batch, by_number),
        done=sums["done"],
        wanted=tasks * batch.raters_per_item,
        raters=count_raters(sums),
        at_work=_at_work(batch, sums, now - AT_WORK),
        leases=tuple(leases),
        lease_count=len(leases) if is_all else _active(batch, lease_until__gt=now).count(),
        last_hour=last_hour,
        per_hour=_per_hour(batch, sums["done"], begun, ended, now),
        forecast=_forecast(batch, left, last_hour, now),
        skips=sums["skips"],
        flags=_flags(sums),
        unfinished=sums["unfinished"],
        excluded=sums["excluded"],
        gold=sums["gold"],
        waiting=kept.waiting,
    )


def _less(number: int | None) -> int | None:
    """Return the first moment: it is stored below 0, so that the highest value is the first."""
    return None if number is None else -number


def _at_work(batch: Batch, sums: Counts, since: datetime) -> tuple[str, ...]:
    """Return the names of raters seen since then, at a task or when they finished one."""
    ended = {
        int(name.removeprefix("^seen:"))
        for name, number in sums.items()
        if name.startswith("^seen:") and number > microseconds(since)
    }
    active = _active(batch, seen_at__gt=since).order_by()
    seen = ended | {*active.values_list("judge", flat=True)}
    names = Judge.objects.filter(pk__in=seen).order_by("name").values_list("name", flat=True)
    return tuple(names)


def _bars(batch: Batch, by_number: Mapping[int, int]) -> tuple[Bar, ...]:
    """Tasks by number of complete ratings."""
    tasks, highest = sum(by_number.values()), max([batch.raters_per_item, *by_number])
    return tuple(
        Bar(n, by_number.get(n, 0), 100 * by_number.get(n, 0) / tasks if tasks else 0.0)
        for n in range(highest + 1)
    )


def _per_hour(
    batch: Batch, done: int, begun: datetime | None, ended: datetime | None, now: datetime
) -> float | None:
    """Finished ratings per hour since the first task; None within the first minutes."""
    if begun is None or not done:
        return None
    end = now if batch.is_open or ended is None else ended
    hours = (end - begun).total_seconds() / 3600
    return done / hours if hours >= 0.05 else None


def _forecast(batch: Batch, left: int, last_hour: int, now: datetime) -> Forecast:
    if not left:
        return Forecast(None, "everything has all its ratings")
    if not batch.is_open:
        return Forecast(None, "the batch is not open")
    if not last_hour:
        return Forecast(None, "nothing was finished in the last hour")
    needed = timedelta(hours=min(left / last_hour, 10**6))
    if needed > SOON:
        return Forecast(None, "at the present pace it takes more than a year")
    return Forecast(now + needed)


def _flags(sums: Counts) -> tuple[tuple[str, int], ...]:
    """Open flags by reason, the most frequent first."""
    found = [
        (name.removeprefix("flag:"), number)
        for name, number in sums.items()
        if name.startswith("flag:")
    ]
    found.sort(key=lambda row: (-row[1], row[0]))
    return tuple((Flag.Reason(reason).label, number) for reason, number in found)

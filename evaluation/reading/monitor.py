"""A batch while people work in it: how far, and how fast.

Pages ask for it every few seconds, so that everything is counted by the database in a fixed
number of queries. How well people agree is in `batch_agreement`, practice in `practice_rounds`.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max, Min, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.models import PEOPLE, Assignment, Batch, Flag, Judge, Judgment, still_counts
from annotate.models.judging import COUNTS
from annotate.protocol.steps import OPEN_AGAIN
from annotate.services.rating.places import ACTIVE, DONE, counted, items_to_rate
from evaluation.reading.labels import in_batch, tasks_of

AT_WORK = timedelta(minutes=10)
"""Who was seen within this time is at work."""

LEASES_SHOWN = 50
SOON = timedelta(days=365)
"""A projection beyond this says nothing."""


# Progress ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bar:
    """How many tasks have this many complete ratings."""

    ratings: int
    tasks: int
    percent: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """When the batch will be finished at the present pace, or why nobody can tell."""

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
    """Answers in tasks that are not finished: they do not count either."""

    excluded: int
    """Answers of excluded raters: they do not count here."""

    gold: int
    """Finished ratings of gold items, which are not among the others."""

    @property
    def percent(self) -> int:
        return 100 * self.done // self.wanted if self.wanted else 0


def progress(batch: Batch) -> Progress:
    now = timezone.now()
    every = Assignment.objects.filter(batch=batch)
    found = counted(every)
    bars, tasks, left = _bars(batch)
    sums = found.aggregate(
        done=Count("pk", filter=still_counts("item__") & Q(state=DONE, item__is_gold=False)),
        gold=Count("pk", filter=Q(state=DONE, item__is_gold=True)),
        last_hour=Count(
            "pk",
            filter=Q(done_at__gt=now - timedelta(hours=1), item__is_gold=False)
            & still_counts("item__"),
        ),
        begun=Min("created_at"),
        ended=Max("done_at"),
        raters=Count("judge", distinct=True),
    )
    running = found.filter(state=ACTIVE, lease_until__gt=now)
    leases = running.select_related("judge", "item__response__question", "item__unit")
    at_work = found.filter(seen_at__gt=now - AT_WORK).exclude(state=Assignment.State.RETURNED)
    given = _answers(batch)
    return Progress(
        at=now,
        tasks=tasks,
        bars=bars,
        done=sums["done"],
        wanted=tasks * batch.raters_per_item,
        raters=sums["raters"],
        at_work=tuple(
            at_work.order_by("judge__name").values_list("judge__name", flat=True).distinct()
        ),
        leases=tuple(leases.order_by("lease_until", "pk")[:LEASES_SHOWN]),
        lease_count=running.count(),
        last_hour=sums["last_hour"],
        per_hour=_per_hour(batch, sums["done"], sums["begun"], sums["ended"], now),
        forecast=_forecast(batch, left, sums["last_hour"], now),
        skips=given["skips"],
        flags=_flags(batch),
        unfinished=given["unfinished"],
        excluded=given["excluded"],
        gold=sums["gold"],
    )


def _bars(batch: Batch) -> tuple[tuple[Bar, ...], int, int]:
    """Tasks by number of complete ratings, how many tasks there are, and ratings left to do."""
    finished = (
        counted(Assignment.objects.filter(item=OuterRef("pk"), state=DONE))
        .order_by()
        .values("item")
        .annotate(n=Count("pk"))
        .values("n")
    )
    # Few rows: one for each number of ratings.
    rows = (
        items_to_rate(batch)
        .order_by()
        .annotate(done=Coalesce(Subquery(finished), 0))
        .values("done")
        .annotate(n=Count("pk"))
        .values_list("done", "n")
    )
    by_number = dict(rows)
    tasks = sum(by_number.values())
    highest = max([batch.raters_per_item, *by_number])
    bars = tuple(
        Bar(n, by_number.get(n, 0), 100 * by_number.get(n, 0) / tasks if tasks else 0.0)
        for n in range(highest + 1)
    )
    left = sum(max(0, batch.raters_per_item - n) * count for n, count in by_number.items())
    return bars, tasks, left


def _per_hour(
    batch: Batch, done: int, begun: datetime | None, ended: datetime | None, now: datetime
) -> float | None:
    """Finished ratings per hour since the first task was given; none within the first minutes."""
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


def _answers(batch: Batch) -> dict[str, int]:
    excluded = Q(judge__standing=Judge.Standing.EXCLUDED)
    given = Judgment.objects.current().filter(judge__kind__in=PEOPLE)
    found: dict[str, int] = in_batch(given.filter(excluded | Q(value="")), batch).aggregate(
        skips=Count("pk", filter=COUNTS & Q(value="") & ~Q(skipped_reason__in=OPEN_AGAIN)),
        excluded=Count("pk", filter=excluded & ~Q(value="")),
    )
    return found | {"unfinished": _unfinished(batch)}


def _unfinished(batch: Batch) -> int:
    """Kept answers in tasks that are not done. Those are few: it begins with them, not with all
    answers."""
    by_unit = batch.granularity == Batch.Granularity.UNIT
    tasks = counted(Assignment.objects.filter(batch=batch)).exclude(state=DONE)
    places = set(tasks.values_list("judge", "item__unit" if by_unit else "item__response"))
    judges = {judge for judge, _ in places}
    subject = "unit" if by_unit else "unit__response"
    given = Judgment.objects.current().filter(
        batch.of_its_claims, judge__in=judges, dimension__in=batch.dimensions,
        **{f"{subject}__in": {place for _, place in places}},
    )  # fmt: skip
    rows = given.exclude(value="").order_by().values_list("judge", subject)
    return sum(row in places for row in rows.iterator(chunk_size=10_000))


def _flags(batch: Batch) -> tuple[tuple[str, int], ...]:
    """Flags that stand, by reason, the most frequent first."""
    rows = (
        Flag.objects.filter(batch.about, tasks_of(batch), withdrawn_at__isnull=True)
        .filter(judge__kind__in=PEOPLE)
        .exclude(judge__standing=Judge.Standing.EXCLUDED)
        .order_by()
        .values("reason")
        .annotate(n=Count("pk"))
        .order_by("-n", "reason")
        .values_list("reason", "n")
    )
    return tuple((Flag.Reason(reason).label, n) for reason, n in rows)

"""A batch while people work in it: how far, how fast, how well they agree.

Pages ask for it every few seconds, so that everything is counted by the database in a fixed
number of queries.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.cache import cache
from django.db.models import Count, Max, Min, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.models import PEOPLE, Assignment, Batch, Flag, Judge, Judgment, PracticeRound
from annotate.protocol.dimensions import Dimension
from annotate.protocol.steps import OPEN_AGAIN
from annotate.services.rating.assignments import ACTIVE, DONE, counted, items_to_rate
from evaluation.agreement.alpha import alpha, alphas, coincidences
from evaluation.agreement.fleiss import fleiss_kappa, rated_by_all
from evaluation.agreement.pairwise import observed_agreement
from evaluation.agreement.ratings import Figure, Key, Ratings, by_unit, undefined, with_several
from evaluation.agreement.scales import LOW_TO_HIGH, metric
from evaluation.reading.labels import in_batch, tasks_of, units_of, voting
from evaluation.stats.bootstrap import Interval, interval, per_cluster

AT_WORK = timedelta(minutes=10)
"""Who was seen within this time is at work."""

DRAWS = 500
"""Of the bootstrap: enough for two digits, quick enough to be asked for every minute."""

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
    """Answers in tasks that are not finished."""

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
        done=Count("pk", filter=Q(state=DONE, item__is_gold=False, item__response__live=True)),
        gold=Count("pk", filter=Q(state=DONE, item__is_gold=True)),
        last_hour=Count(
            "pk",
            filter=Q(done_at__gt=now - timedelta(hours=1), item__is_gold=False)
            & Q(item__response__live=True),
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
    counts = ~Q(judge__standing=Judge.Standing.EXCLUDED)
    given = Judgment.objects.current().filter(judge__kind__in=PEOPLE)
    found: dict[str, int] = in_batch(given.filter(~counts | Q(value="")), batch).aggregate(
        skips=Count("pk", filter=counts & Q(value="") & ~Q(skipped_reason__in=OPEN_AGAIN)),
        excluded=Count("pk", filter=~counts & ~Q(value="")),
    )
    return found | {"unfinished": _unfinished(batch)}


def _unfinished(batch: Batch) -> int:
    """Answers in tasks being rated. Those are few: it begins with them, not with all answers."""
    by_unit = batch.granularity == Batch.Granularity.UNIT
    held = Assignment.objects.filter(batch=batch, state=ACTIVE, judge__kind__in=PEOPLE)
    places = set(
        held.exclude(judge__standing=Judge.Standing.EXCLUDED).values_list(
            "judge", "item__unit" if by_unit else "item__response"
        )
    )
    judges = {judge for judge, _ in places}
    subject = "unit" if by_unit else "unit__response"
    given = Judgment.objects.current().filter(
        judge__in=judges, dimension__in=batch.dimensions,
        **{f"{subject}__in": {place for _, place in places}},
    )  # fmt: skip
    rows = given.exclude(value="").order_by().values_list("judge", subject)
    return sum(row in places for row in rows.iterator(chunk_size=10_000))


def _flags(batch: Batch) -> tuple[tuple[str, int], ...]:
    """Flags that stand, by reason, the most frequent first."""
    rows = (
        Flag.objects.filter(units_of(batch), tasks_of(batch), withdrawn_at__isnull=True)
        .filter(judge__kind__in=PEOPLE)
        .exclude(judge__standing=Judge.Standing.EXCLUDED)
        .order_by()
        .values("reason")
        .annotate(n=Count("pk"))
        .order_by("-n", "reason")
        .values_list("reason", "n")
    )
    return tuple((Flag.Reason(reason).label, n) for reason, n in rows)


# Agreement ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well the raters of a batch agree on one dimension."""

    dimension: Dimension
    units: int
    """Rated by two at least."""

    raters: int
    observed: Figure
    alpha: Figure
    interval: Interval


KEPT = 60
"""Seconds for which agreement is kept, as long as nobody answers or is excluded."""


def agreement(batch: Batch) -> list[Agreement]:
    """One row for each of the batch's dimensions, from all answers there are now."""
    place = f"agreement:{batch.pk}:{'.'.join(batch.dimensions)}"
    state = _state(batch)
    kept: tuple[object, list[Agreement]] | None = cache.get(place)
    if kept is not None and kept[0] == state:
        return kept[1]
    rows = _agreements(batch)
    cache.set(place, (state, rows), KEPT)
    return rows


def _state(batch: Batch) -> tuple[object, ...]:
    """What changes whenever agreement may: answers, tasks, responses that count, who votes."""
    voters = batch.study.judges.filter(kind__in=PEOPLE).exclude(standing=Judge.Standing.EXCLUDED)
    judges = tuple(voters.order_by("pk").values_list("pk", flat=True))
    given = Judgment.objects.current().filter(judge__in=judges)
    answers = given.aggregate(n=Count("pk"), last=Max("created_at"))
    tasks = Assignment.objects.filter(batch=batch).count()
    return judges, answers["n"], answers["last"], tasks


def _agreements(batch: Batch) -> list[Agreement]:
    # Who was given what is read on its own and compared here: a subquery for every answer takes
    # the database many times as long.
    single = batch.granularity == Batch.Granularity.UNIT
    given = set(
        Assignment.objects.filter(batch=batch).values_list(
            "judge_id", "item__unit_id" if single else "item__response_id"
        )
    )
    answers = Judgment.objects.current().filter(
        judge__in={judge for judge, _ in given},
        judge__kind__in=PEOPLE,
        dimension__in=batch.dimensions,
    )
    found: dict[str, list[tuple[Key, Key, str]]] = defaultdict(list)
    response_of: dict[Key, int] = {}
    for dimension, unit, response, judge, value in (
        voting(answers)
        .order_by()
        .values_list("dimension", "unit_id", "unit__response_id", "judge_id", "value")
        .iterator(chunk_size=20_000)
    ):
        if (judge, unit if single else response) in given and value in LOW_TO_HIGH[dimension]:
            found[dimension].append((unit, judge, value))
            response_of[unit] = response
    return [_agreement(d, by_unit(found[d.key]), response_of) for d in batch.dimension_list]


def _agreement(
    dimension: Dimension,
    ratings: Ratings,
    response_of: Mapping[Key, int],
) -> Agreement:
    several = with_several(ratings)
    scale = metric(dimension.key)
    per_unit = coincidences(several, LOW_TO_HIGH[dimension.key])
    whole = alpha(per_unit.sum(axis=0), scale)
    if whole.value is None:
        spread = Interval(None, None, whole.reason)
    else:
        sums = per_cluster(per_unit, [response_of[unit] for unit in several])
        spread = interval(sums, lambda some: alphas(some, scale), draws=DRAWS)
    return Agreement(
        dimension=dimension,
        units=len(several),
        raters=len({judge for votes in several.values() for judge in votes}),
        observed=observed_agreement(several),
        alpha=whole,
        interval=spread,
    )


# Practice ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kappa:
    """Fleiss' kappa of a round on one dimension, and over how many units."""

    dimension: Dimension
    value: Figure
    units: int


@dataclass(frozen=True, slots=True)
class Round:
    """The raters who went through a practice set for the n-th time."""

    number: int
    begun: int
    finished: int
    passed: int
    right: int
    asked: int
    kappas: tuple[Kappa, ...]

    @property
    def share_right(self) -> float | None:
        return self.right / self.asked if self.asked else None


@dataclass(frozen=True, slots=True)
class Practice:
    """A practice set: its rounds, and how many rounds of excluded raters are left out."""

    at: datetime
    rounds: tuple[Round, ...]
    excluded: int


def practice(batch: Batch) -> Practice:
    """Agreement over rounds, among those who finished each of them."""
    rounds = list(PracticeRound.objects.filter(batch=batch).select_related("judge"))
    kept = [one for one in rounds if one.judge.standing != Judge.Standing.EXCLUDED]
    number_of = {one.trainee_id: one.number for one in kept if one.finished_at is not None}
    answers = in_batch(Judgment.objects.current().filter(judge__round__batch=batch), batch)
    found: dict[tuple[int, str], list[tuple[Key, Key, str]]] = defaultdict(list)
    for trainee, dimension, unit, value in answers.exclude(value="").values_list(
        "judge_id", "dimension", "unit_id", "value"
    ):
        if trainee in number_of and value in LOW_TO_HIGH[dimension]:
            found[number_of[trainee], dimension].append((unit, trainee, value))
    by_number: dict[int, list[PracticeRound]] = defaultdict(list)
    for one in kept:
        by_number[one.number].append(one)
    return Practice(
        at=timezone.now(),
        rounds=tuple(
            _round(
                number,
                by_number[number],
                tuple(_kappa(d, by_unit(found[number, d.key])) for d in batch.dimension_list),
            )
            for number in sorted(by_number)
        ),
        excluded=len(rounds) - len(kept),
    )


def _round(number: int, some: Sequence[PracticeRound], kappas: tuple[Kappa, ...]) -> Round:
    finished = [one for one in some if one.finished_at is not None]
    return Round(
        number=number,
        begun=len(some),
        finished=len(finished),
        passed=sum(one.passed for one in finished),
        right=sum(one.right for one in finished),
        asked=sum(one.asked for one in finished),
        kappas=kappas,
    )


def _kappa(dimension: Dimension, ratings: Ratings) -> Kappa:
    """Over the units that everybody answered: Fleiss' kappa needs as many ratings of each."""
    shared = rated_by_all(ratings)
    if ratings and not shared:
        return Kappa(dimension, undefined("there is nothing that everybody answered"), 0)
    return Kappa(dimension, fleiss_kappa(shared, LOW_TO_HIGH[dimension.key]), len(shared))

"""The raters of a study and the page of one: amount and speed of work, agreement, gold accuracy.

Judgments of excluded raters count for nobody's agreement; their own is still shown. Votes are
compared (`evaluation/statistics/votes.py`), as in the report's table of raters. All sums are stored
(`agreement_counts.py`), except who has a task now.
"""

import re
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from typing import Any

from django.db.models import Max, QuerySet

from annotate.content import counts
from annotate.content.counts import Counts, KeptSums
from annotate.content.study_counts import moment
from annotate.models import (
    PEOPLE,
    Assignment,
    Batch,
    Flag,
    Judge,
    PracticeRound,
    StandingChange,
    Study,
)
from annotate.protocol.dimensions import Dimension
from annotate.rating.gold import GoldScore
from evaluation.labels.agreement_counts import EVERYBODY, ON, SHARE
from evaluation.labels.answer_kinds import kinds_of
from evaluation.labels.drift import Drift, drift
from evaluation.statistics.leave_one_out import Alike


@dataclass(slots=True)
class RaterRow:
    """One rater in the list."""

    judge: Judge
    answers: int = 0
    skips: int = 0
    tasks: int = 0
    seconds: float | None = None
    minutes: float = 0.0
    others: Alike = field(default_factory=Alike)
    gold: GoldScore = field(default_factory=GoldScore)
    contradictions: int = 0
    seen: datetime | None = None


def rater_rows(study: Study) -> list[RaterRow]:
    """Return every rater of a study, ordered by name."""
    judges = sorted(study.judges.filter(kind__in=PEOPLE), key=lambda judge: _natural(judge.name))
    kept = counts.kept(study)
    sums, times = kept.every("rater"), kept.every("times")
    seen = dict(
        _at_work(study).values("judge").annotate(at=Max("seen_at")).values_list("judge", "at")
    )
    return [
        _row(
            judge, sums.get(judge.pk, Counter()), times.get(judge.pk, Counter()), seen.get(judge.pk)
        )
        for judge in judges
    ]


def _at_work(study: Any) -> "QuerySet[Assignment]":
    """The tasks in progress."""
    batches = Batch.every.filter(study=study).values("pk")  # a join makes SQLite read too much
    active = Assignment.objects.filter(batch__in=batches, state=Assignment.State.ACTIVE)
    return active.order_by()


def row_of(kept: KeptSums, judge: Judge) -> RaterRow:
    """Return the row of one rater."""
    active = _at_work(judge.study).filter(judge=judge)
    seen = active.aggregate(at=Max("seen_at"))["at"]
    return _row(judge, kept.of("rater", judge.pk), kept.of("times", judge.pk), seen)


def _row(judge: Judge, sums: Counts, times: Counts, seen: datetime | None) -> RaterRow:
    ends = moment(sums.get("^last")), moment(sums.get("^seen")), seen
    return RaterRow(
        judge,
        answers=sums["answers"],
        skips=sums["skips"],
        tasks=sums["tasks"],
        seconds=median_of(times),
        minutes=sum(float(seconds) * number for seconds, number in times.items()) / 60,
        others=alike_of(sums),
        gold=GoldScore(sums["gold_asked"], sums["gold_right"]),
        contradictions=sums["contradictions"],
        seen=max(filter(None, ends), default=None),
    )


def alike_of(sums: Counts, on: str = "") -> Alike:
    """Return the agreement with others, on all questions or on one."""
    return Alike(sums[f"units{on}"], sums[f"comparisons{on}"], sums[f"shares{on}"] / SHARE)


def median_of(times: Counts) -> float | None:
    """Return the median of seconds from the number of times that each was taken."""
    every = sorted((float(seconds), number) for seconds, number in times.items())
    ends = [*accumulate(number for _, number in every)]
    if not every:
        return None
    middle = [every[bisect(ends, place)][0] for place in ((ends[-1] - 1) // 2, ends[-1] // 2)]
    return sum(middle) / 2


def total(rows: Sequence[RaterRow]) -> RaterRow:
    """Sum all raters: the mean over their comparisons, and no median of medians."""
    found = RaterRow(Judge(name="All raters"))
    for row in rows:
        found.answers += row.answers
        found.skips += row.skips
        found.tasks += row.tasks
        found.minutes += row.minutes
        found.contradictions += row.contradictions
        found.gold += row.gold
        found.others.join(row.others)
    found.seen = max((row.seen for row in rows if row.seen), default=None)
    return found


def _natural(name: str) -> list[tuple[int, str]]:
    """Order rater-2 before rater-10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def sort(rows: Sequence[RaterRow], by: str) -> list[RaterRow]:
    """Sort by a column, descending if it begins with a minus; unknown values come last."""
    key, down = by.removeprefix("-"), by.startswith("-")

    def place(row: RaterRow) -> float | None:
        if key == "others":
            return row.others.value
        if key == "gold":
            return row.gold.share
        if key == "seen":
            return None if row.seen is None else row.seen.timestamp()
        number: float | None = getattr(row, key)
        return number

    if key == "name":
        return list(rows)[::-1] if down else list(rows)
    known = [row for row in rows if place(row) is not None]
    unknown = [row for row in rows if place(row) is None]
    return [*sorted(known, key=lambda row: place(row) or 0.0, reverse=down), *unknown]


FLAGS_SHOWN = 50


@dataclass(frozen=True, slots=True)
class HitRate:
    """The number of hits among some cases."""

    of: int = 0
    hits: int = 0

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None

    @property
    def percent(self) -> float:
        return 100 * self.hits / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class RaterWork:
    """A rater's work on one dimension, or on all."""

    answers: int
    skips: int
    seconds: float | None
    others: Alike
    gold: HitRate


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """How often the rater chose or named this, and all other raters who count."""

    label: str
    own: int
    own_percent: float
    everybody: int
    everybody_percent: float


@dataclass(frozen=True, slots=True)
class Rater:
    """Everything that the page of one rater shows."""

    judge: Judge
    dimensions: tuple[tuple[Dimension, RaterWork], ...]
    total: RaterWork
    minutes: float
    contradictions: int
    skips: tuple[tuple[str, str, int], ...]
    choices: tuple[tuple[Dimension, tuple[ChoiceRow, ...]], ...]
    drift: Drift
    flags: tuple[Flag, ...]
    flag_count: int
    batches: tuple[tuple[Batch, int, int], ...]
    rounds: tuple[PracticeRound, ...]
    changes: tuple[StandingChange, ...]
    seen: datetime | None


def rater(judge: Judge) -> Rater:
    kept, protocol = counts.kept(judge.study), judge.study.protocol
    row, on = row_of(kept, judge), kept.of(ON, judge.pk)
    skips = sorted(
        ((key, reason, n) for (key, reason), n in _named(on, "skips")),
        key=lambda skip: (-skip[2], skip[0], skip[1]),
    )
    # The dimensions of the study, and others with answers, skips or gold.
    used = {key for of in ("answers", "units", "gold_asked") for (key,), _ in _named(on, of)}
    used |= {key for key, _, _ in skips} | {*judge.study.dimensions}
    wanted = protocol.of(used)
    flags = Flag.objects.filter(
        judge=judge, withdrawn_at__isnull=True, unit__response__system__deleted_at__isnull=True
    )
    shown = [*flags.select_related("unit__response").order_by("-pk")[:FLAGS_SHOWN]]
    times = _by_question(kept.of("times on", judge.pk))
    return Rater(
        judge=judge,
        dimensions=tuple((one, _work(on, times[one.key], one.key)) for one in wanted),
        total=_total(row),
        minutes=row.minutes,
        contradictions=row.contradictions,
        skips=tuple((protocol[key].title, reason, n) for key, reason, n in skips),
        choices=tuple(_choices(judge, wanted, on, kept.of(ON, EVERYBODY))),
        drift=drift(judge, kept, row.answers),
        flags=tuple(shown),
        flag_count=len(shown) if len(shown) < FLAGS_SHOWN else flags.count(),
        batches=tuple(_batches(on)),
        rounds=tuple(judge.rounds.select_related("batch").order_by("batch", "number")),
        changes=tuple(judge.standing_changes.select_related("by")),
        seen=row.seen,
    )


def _named(sums: Counts, of: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the rest of each name that begins with `of`; a reason may contain colons."""
    start = f"{of}:"
    for name, number in sums.items():
        if name.startswith(start):
            yield tuple(name.removeprefix(start).split(":", 1)), number


def _by_question(times: Counts) -> dict[str, dict[str, int]]:
    """Return how many answers to each question took each number of seconds."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for name, number in times.items():
        key, _, seconds = name.partition(":")
        found[key][seconds] = number
    return found


def _work(on: Counts, times: Counts, key: str) -> RaterWork:
    """The work on a dimension."""
    return RaterWork(
        answers=on[f"answers:{key}"],
        skips=sum(n for (of, _), n in _named(on, "skips") if of == key),
        seconds=median_of(times),
        others=alike_of(on, f":{key}"),
        gold=HitRate(on[f"gold_asked:{key}"], on[f"gold_right:{key}"]),
    )


def _total(row: RaterRow) -> RaterWork:
    gold = HitRate(row.gold.asked, row.gold.right)
    return RaterWork(row.answers, row.skips, row.seconds, row.others, gold)


def _choices(
    judge: Judge, dimensions: Sequence[Dimension], on: Counts, everybody: Counts
) -> Iterator[tuple[Dimension, tuple[ChoiceRow, ...]]]:
    is_among = judge.standing != Judge.Standing.EXCLUDED
    for dimension in dimensions:
        key = dimension.key
        own_total = on[f"kinds:{key}"]
        if not own_total:
            continue
        total, rows = everybody[f"kinds:{key}"] - own_total * is_among, []
        for place, (label, _) in enumerate(kinds_of(dimension)):
            own = on[f"kind:{key}:{place}"]
            others = everybody[f"kind:{key}:{place}"] - own * is_among
            rows.append(
                ChoiceRow(
                    label=label,
                    own=own,
                    own_percent=100 * own / own_total,
                    everybody=others,
                    everybody_percent=100 * others / total if total else 0.0,
                )
            )
        yield dimension, tuple(rows)


def _batches(on: Counts) -> Iterator[tuple[Batch, int, int]]:
    """Yield the rater's batches with the number of tasks done and of tasks given back for good."""
    tasks = {(int(of), state): n for (of, state), n in _named(on, "tasks")}
    State = Assignment.State  # noqa: N806
    for batch in Batch.objects.filter(pk__in={of for of, _ in tasks}):
        done, back = (tasks.get((batch.pk, state), 0) for state in (State.DONE, State.RETURNED))
        yield batch, done, back

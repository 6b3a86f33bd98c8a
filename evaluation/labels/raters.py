"""The raters of a study: how much each has done, how fast, how far as the others and as known.

Judgments of excluded raters count for nobody's agreement; their own is shown all the same. What is
compared are votes, see `evaluation/statistics/votes.py`, as in the report's table of raters. All is
kept (`counted.py`), but for who is at a task now.
"""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from typing import Any

from django.db.models import Max, QuerySet

from annotate.content import counts
from annotate.content.counts import Counts, KeptSums
from annotate.content.study_counts import moment
from annotate.models import PEOPLE, Assignment, Batch, Judge, Study
from annotate.rating.gold import GoldScore
from evaluation.labels.agreement_counts import SHARE
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
    """Every rater of a study, in the order of their names."""
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
    """The tasks that somebody has now."""
    batches = Batch.every.filter(study=study).values("pk")  # joined, SQLite reads all of a rater's
    active = Assignment.objects.filter(batch__in=batches, state=Assignment.State.ACTIVE)
    return active.order_by()


def row_of(kept: KeptSums, judge: Judge) -> RaterRow:
    """One of them."""
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
    """How far as the others: what is kept, of all questions or on one."""
    return Alike(sums[f"units{on}"], sums[f"comparisons{on}"], sums[f"shares{on}"] / SHARE)


def median_of(times: Counts) -> float | None:
    """The median of seconds of which it is known how often each was taken."""
    every = sorted((float(seconds), number) for seconds, number in times.items())
    ends = [*accumulate(number for _, number in every)]
    if not every:
        return None
    middle = [every[bisect(ends, place)][0] for place in ((ends[-1] - 1) // 2, ends[-1] // 2)]
    return sum(middle) / 2


def total(rows: Sequence[RaterRow]) -> RaterRow:
    """All raters together: sums, the mean over their comparisons, and no median of medians."""
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
    """rater-2 before rater-10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


SORTS = (
    "name",
    "answers",
    "tasks",
    "seconds",
    "minutes",
    "others",
    "gold",
    "contradictions",
    "skips",
    "seen",
)


def sort(rows: Sequence[RaterRow], by: str) -> list[RaterRow]:
    """By a column, downwards where it begins with a minus; what is not known comes last."""
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

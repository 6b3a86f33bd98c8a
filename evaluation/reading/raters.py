"""The raters of a study: how much each has done, how fast, how far as the others and as known.

Judgments of excluded raters count for nobody's agreement; their own is shown all the same. What is
compared are votes, see `evaluation/numbers/votes.py`, as in the report's table of raters.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from django.db.models import Count, Max, Q

from annotate.models import PEOPLE, Assignment, Judge, Judgment, Study
from annotate.protocol.steps import OPEN_AGAIN
from annotate.services.rating import gold
from annotate.services.rating.gold import GoldScore
from evaluation.agreement.leave_one_out import Alike, alike
from evaluation.numbers.likeness import likeness
from evaluation.reading.columns import read_timed_answers
from evaluation.reading.contradictions import contradictions


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
    rows = {judge.pk: RaterRow(judge) for judge in judges}
    _read_answers(study, rows)
    done = Count("pk", filter=Q(state=Assignment.State.DONE))
    tasks = Assignment.objects.filter(judge__in=rows, batch__study=study).order_by()
    for key, count, seen in (
        tasks.values("judge")
        .annotate(done=done, seen=Max("seen_at"))
        .values_list("judge", "done", "seen")
    ):
        row = rows[key]
        row.tasks = count
        row.seen = max(filter(None, (row.seen, seen)), default=None)
    for key, count in contradictions(list(rows), study.protocol).items():
        rows[key].contradictions = count
    for batch in study.batches.work().filter(gold__isnull=False, gold_percent__gt=0):
        for judge, _, found in gold.scores(batch):
            rows[judge.pk].gold += found
    return list(rows.values())


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


def _read_answers(study: Study, rows: dict[int, RaterRow]) -> None:
    """Read every answer once: what is counted, timed and compared of them goes into the rows."""
    voters = {key for key, row in rows.items() if row.judge.standing != Judge.Standing.EXCLUDED}
    judgments = Judgment.objects.current().finished().filter(judge__in=rows)
    for key, skips, last in (
        judgments.order_by()
        .values("judge")
        .annotate(
            skips=Count("pk", filter=Q(value="") & ~Q(skipped_reason__in=OPEN_AGAIN)),
            last=Max("created_at"),
        )
        .values_list("judge", "skips", "last")
    ):
        rows[key].skips, rows[key].seen = skips, last
    answers, seconds = read_timed_answers(judgments.exclude(value=""), study.protocol)
    order = np.argsort(answers.judge, kind="stable")
    judges, first = np.unique(answers.judge[order], return_index=True)
    for key, times in zip(judges.tolist(), np.split(seconds[order], first[1:]), strict=False):
        known = times[~np.isnan(times)]
        rows[key].answers = len(times)
        rows[key].seconds = float(np.median(known)) if len(known) else None
        rows[key].minutes = float(known.sum()) / 60
    for dimension in study.protocol.values():
        if dimension.scale == "none":
            continue  # texts are not compared
        votes = answers.votes(dimension.key, study.dimensions)
        ratings = votes.coded()
        near = likeness(dimension, votes.values)
        found = alike(ratings, [judge in voters for judge in ratings.judges], near)
        for judge, others in zip(ratings.judges, found, strict=True):
            rows[judge].others.join(others)


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

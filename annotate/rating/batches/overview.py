"""Progress of batches, from kept counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Min, Q
from django.utils import timezone

from annotate.content import counts
from annotate.content.counts import Counts
from annotate.models import Assignment, Batch, Judge, PracticeRound, Study, Webhook
from annotate.rating.pace import ENOUGH
from annotate.studies.webhooks import condition_of

RECENTLY = timedelta(days=7)
"""The period from which the pace is computed."""

YEAR = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class BatchRow:
    """A batch and its progress. For practice, `raters` and `passed` count participants."""

    batch: Batch
    tasks: int
    gold: int
    done: int
    raters: int
    passed: int

    @property
    def wanted(self) -> int:
        return self.tasks * self.batch.raters_per_item

    @property
    def percent(self) -> int:
        """Rounded down, so that 100 means complete."""
        return 100 * self.done // self.wanted if self.wanted else 0


def batch_rows(study: Study) -> list[BatchRow]:
    return _rows(study, list(study.batches.all()))


def batch_row(batch: Batch) -> BatchRow:
    return _rows(batch.study, [batch])[0]


def _rows(study: Study, batches: list[Batch]) -> list[BatchRow]:
    kept = counts.kept(study)
    rounds: dict[int, Mapping[str, Any]] = {
        row["batch"]: row
        for row in PracticeRound.objects.filter(batch__in=batches)
        .order_by()
        .values("batch")
        .annotate(
            raters=Count("judge", distinct=True),
            passed=Count("judge", distinct=True, filter=Q(passed=True)),
        )
    }
    rows = []
    for batch in batches:
        sums = kept.of("work", batch.pk)
        taken = rounds.get(batch.pk, {})
        rows.append(
            BatchRow(
                batch=batch,
                tasks=sum(tasks_by_ratings(sums).values()),
                gold=sums["gold_items"],
                done=sums["done"],
                raters=taken.get("raters", 0) if batch.is_practice else count_raters(sums),
                passed=taken.get("passed", 0),
            )
        )
    return rows


@dataclass(frozen=True, slots=True)
class Ratings:
    """How many ratings a study's batches need and have, without practice."""

    batches: int
    wanted: int
    done: int
    open: int
    draft: Batch | None
    """The newest batch that raters do not see yet."""

    waiting: int
    """The number of incomplete batches that are not open."""

    ends_at: datetime | None
    """When the open batches will be complete, at last week's pace."""

    @property
    def takes_over_a_year(self) -> bool:
        return self.ends_at is not None and self.ends_at > timezone.now() + YEAR

    @property
    def is_done(self) -> bool:
        return 0 < self.wanted <= self.done


def ratings_of(study: Study) -> Ratings:
    rows = [row for row in batch_rows(study) if not row.batch.is_practice]
    drafts = [row.batch for row in rows if row.batch.state == Batch.State.DRAFT]
    return Ratings(
        batches=len(rows),
        wanted=sum(row.wanted for row in rows),
        done=sum(row.done for row in rows),
        open=sum(row.batch.is_open for row in rows),
        draft=max(drafts, key=lambda batch: batch.pk, default=None),
        waiting=sum(row.done < row.wanted and not row.batch.is_open for row in rows),
        ends_at=_ends_at([row for row in rows if row.batch.is_open]),
    )


def _ends_at(rows: Sequence[BatchRow]) -> datetime | None:
    """Return None if nothing is left, or with too few ratings in the last week."""
    lacking, now = [row for row in rows if row.done < row.wanted], timezone.now()
    counted = Assignment.objects.filter(item__is_gold=False).exclude(
        judge__standing=Judge.Standing.EXCLUDED
    )
    recent = counted.filter(
        batch__in=[row.batch for row in rows], done_at__gte=now - RECENTLY
    ).aggregate(number=Count("pk"), first=Min("done_at"))
    if not lacking or recent["number"] < ENOUGH:
        return None
    elapsed: timedelta = now - recent["first"]
    left: timedelta = elapsed * sum(row.wanted - row.done for row in lacking) / recent["number"]
    return now + min(left, 2 * YEAR)


@condition_of("batch.finished")
def finished(webhook: Webhook) -> Mapping[str, Mapping[str, Any]]:
    """Return the batches that have all their ratings."""
    rows = [row for row in batch_rows(webhook.study) if not row.batch.is_practice]
    return {
        str(row.batch.pk): {"batch": row.batch.pk, "name": row.batch.name, "ratings": row.done}
        for row in rows
        if 0 < row.wanted <= row.done
    }


def tasks_by_ratings(sums: Counts) -> dict[int, int]:
    """Return the number of tasks by their number of complete ratings."""
    return {
        int(name.removeprefix("rated:")): number
        for name, number in sums.items()
        if name.startswith("rated:")
    }


def count_raters(sums: Counts) -> int:
    """Return how many raters got a task."""
    return sum(name.startswith("judge:") for name in sums)

"""What pages say about batches. Read-only; counts are made in queries, a few for all batches."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from annotate.models import Assignment, Batch, BatchItem, PracticeRound, Study, still_counts
from annotate.services.rating.places import counted


@dataclass(frozen=True, slots=True)
class BatchRow:
    """A batch and how far it has come. In practice, raters take part and pass instead."""

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
        """Rounded down, so that all is said to be done only when it is."""
        return 100 * self.done // self.wanted if self.wanted else 0


Counts = dict[int, Mapping[str, Any]]
"""Counts by the key of their batch."""


def batch_rows(study: Study) -> list[BatchRow]:
    return _rows(list(study.batches.all()))


def batch_row(batch: Batch) -> BatchRow:
    return _rows([batch])[0]


def _rows(batches: list[Batch]) -> list[BatchRow]:
    items: Counts = {
        row["batch"]: row
        for row in BatchItem.objects.filter(still_counts(), batch__in=batches)
        .order_by()
        .values("batch")
        .annotate(
            tasks=Count("pk", filter=Q(is_gold=False)), gold=Count("pk", filter=Q(is_gold=True))
        )
    }
    ratings: Counts = {
        row["batch"]: row
        for row in counted(Assignment.objects.filter(batch__in=batches))
        .order_by()
        .values("batch")
        .annotate(
            raters=Count("judge", distinct=True),
            done=Count(
                "pk",
                filter=Q(state=Assignment.State.DONE, item__is_gold=False) & still_counts("item__"),
            ),
        )
    }
    rounds: Counts = {
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
        held, rated, went = (found.get(batch.pk, {}) for found in (items, ratings, rounds))
        rows.append(
            BatchRow(
                batch=batch,
                tasks=held.get("tasks", 0),
                gold=held.get("gold", 0),
                done=rated.get("done", 0),
                raters=(went if batch.is_practice else rated).get("raters", 0),
                passed=went.get("passed", 0),
            )
        )
    return rows

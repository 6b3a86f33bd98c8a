"""The places in an item: who holds one, and which items have none left.

An item has as many places as its batch wants ratings. A place is held by a finished assignment or
by one whose lease runs. Gold items and practice have room for everybody. Only people hold places:
the researchers who write the known answers do not, nor do raters who are excluded, whose ratings
are asked for again.
"""

from datetime import datetime
from typing import Any

from django.db.models import (
    Count,
    Exists,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce

from annotate.models import PEOPLE, Assignment, Batch, BatchItem, Judge, still_counts

DONE, ACTIVE, RETURNED = Assignment.State.DONE, Assignment.State.ACTIVE, Assignment.State.RETURNED


def counted(assignments: "QuerySet[Assignment]") -> "QuerySet[Assignment]":
    """Those whose ratings count: of people who are not excluded."""
    return assignments.filter(judge__kind__in=PEOPLE).exclude(
        judge__standing=Judge.Standing.EXCLUDED
    )


def holding(now: datetime) -> Q:
    """Assignments that hold a place."""
    return Q(state=DONE) | Q(state=ACTIVE, lease_until__gt=now)


def full_items(batch: Any, raters: Any, held: Q) -> "QuerySet[Assignment, int]":
    """Keys of the items of a batch that have all their places taken (`raters` of them), by the
    assignments that `held` names."""
    return (
        counted(Assignment.objects.filter(held, batch=batch))
        .order_by()
        .values("item")
        .annotate(n=Count("pk"))
        .filter(n__gte=raters)
        .values_list("item", flat=True)
    )


def items_to_rate(batch: Batch) -> "QuerySet[BatchItem]":
    """What a batch asks for: responses that still count, gold apart."""
    return batch.items.filter(still_counts(), is_gold=False)


def open_items(batch: Any, judge: Any, raters: Any, now: Any) -> "QuerySet[BatchItem]":
    """Items that a judge has not had and that have a place."""
    seen = Assignment.objects.filter(judge=judge, batch=batch).values("item")
    taken = Q(pk__in=seen) | Q(pk__in=full_items(batch, raters, holding(now)))
    return BatchItem.objects.filter(still_counts(), ~taken, batch=batch, is_gold=False)


def open_among(some: Any, judge: Any, raters: Any, now: Any) -> "QuerySet[BatchItem]":
    """`open_items` among a few: each is looked at for itself."""
    held = counted(Assignment.objects.filter(holding(now), item=OuterRef("pk"))).order_by()
    number = held.values("item").annotate(n=Count("pk")).values("n")
    seen = Assignment.objects.filter(judge=judge, item=OuterRef("pk"))
    return BatchItem.objects.annotate(
        held=Coalesce(Subquery(number, output_field=IntegerField()), 0)
    ).filter(still_counts(), ~Exists(seen), pk__in=some, is_gold=False, held__lt=raters)


def limited(batch: Batch, item: BatchItem) -> bool:
    return not (batch.is_practice or item.is_gold)


def lock_item(item_id: int) -> BatchItem:
    return BatchItem.objects.select_for_update(no_key=True).get(pk=item_id)


def held_by_others(assignment: Assignment, now: datetime, *, runs: bool) -> int:
    """How many others hold a place in the task's item; where its own lease `runs`, who are done."""
    held = Q(state=DONE) if runs else holding(now)
    others = Assignment.objects.filter(held, item=assignment.item_id).exclude(pk=assignment.pk)
    return counted(others).count()


def places_held(item: BatchItem, now: datetime) -> int:
    """How many hold a place in an item."""
    return counted(item.assignments.filter(holding(now))).count()

"""In which order a rater is given the items of a batch, and which comes next.

Every rater has an order of their own, drawn from the batch's seed and their name. In a batch of
more than `LARGE` items it would take longer to look through all of them with every task: there each
task is the first, in that order, of `WINDOW` items that stand together in the batch from a place on
that is drawn for this task. A window in which nothing is free is followed by others, and these by a
look at all, so that whatever is left is found.
"""

import hashlib
from collections.abc import Iterator

from django.db import connection
from django.db.models import BigIntegerField, F, OrderBy, QuerySet, Value
from django.db.models.functions import Cast
from django.utils import timezone

from annotate.models import Batch, BatchItem, Judge
from annotate.rating.places import open_among, open_items

PRIME = 2_147_483_647
"""Shuffle numbers are below it; a rater's order multiplies them modulo this prime."""

LARGE = 1_000
WINDOW = 64
WINDOWS = 4


def draw(*parts: object) -> int:
    text = ":".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def rater_order(batch: Batch, judge: Judge) -> list[OrderBy]:
    """The judge's own order of the batch's items; the same whenever it is asked for."""
    factor = 1 + draw(batch.seed, judge.name, "factor") % (PRIME - 1)
    shift = draw(batch.seed, judge.name, "shift") % PRIME

    def rank(name: str) -> OrderBy:
        wide = Cast(F(name), BigIntegerField())
        return OrderBy((wide * Value(factor) + Value(shift)) % Value(PRIME))

    own = [rank("shuffle"), OrderBy(F("pk"))]
    if batch.order == Batch.Order.TOGETHER:
        return [rank("question_shuffle"), OrderBy(F("response__question_id")), *own]
    return own


def chosen(batch: Batch, judge: Judge, position: int | None) -> BatchItem | None:
    """Choose and lock the next item: first without waiting for those that others are claiming;
    then, before saying that nothing is left, with waiting. `position` is how many tasks the judge
    has had, in a batch that is large."""
    order = rater_order(batch, judge)
    for items, skip_locked in _searched(batch, judge, position):
        locked = items.select_for_update(skip_locked=skip_locked, no_key=True, of=("self",))
        item = locked.order_by(*order).first()
        if item is not None:
            return item
    return None


def _searched(
    batch: Batch, judge: Judge, position: int | None
) -> Iterator[tuple["QuerySet[BatchItem]", bool]]:
    """Yield where to look for an item, and whether items locked by others are skipped."""
    if position is not None and batch.order != Batch.Order.TOGETHER:
        for window in range(WINDOWS):
            start = draw(batch.seed, judge.name, "window", position, window) % PRIME
            from_there = batch.items.filter(shuffle__gte=start).order_by("shuffle", "pk")
            keys = from_there.values("pk")[:WINDOW]
            yield open_among(keys, judge, batch.raters_per_item, timezone.now()), True
    for skip_locked in (True, False) if connection.features.has_select_for_update else (True,):
        yield open_items(batch, judge, batch.raters_per_item, timezone.now()), skip_locked

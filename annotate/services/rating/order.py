"""In which order a rater is given the items of a batch, and which comes next.

Every rater has an order of their own, drawn from the batch's seed and their name. In a batch of
more than `LARGE` items it would take longer to look through all of them with every task: there each
task is the first, in that order, of `WINDOW` items that stand together in the batch from a place on
that is drawn for this task. A window in which nothing is free is followed by others, and these by a
look at all, so that whatever is left is found.
"""

import hashlib
from collections.abc import Iterator
from typing import Any

from django.db import connection
from django.db.models import (
    BigIntegerField,
    DateTimeField,
    Expression,
    F,
    IntegerField,
    OrderBy,
    QuerySet,
    Value,
)
from django.db.models.functions import Cast
from django.utils import timezone

from annotate.models import Batch, BatchItem, Judge
from annotate.models.written_once import AskedOnce
from annotate.services.rating.places import open_among, open_items

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
    given = {name: Value(number) for name, number in _drawn(batch, judge).items()}
    return _order(**given, together=batch.order == Batch.Order.TOGETHER)


def _drawn(batch: Batch, judge: Judge) -> dict[str, int]:
    return {
        "factor": 1 + draw(batch.seed, judge.name, "factor") % (PRIME - 1),
        "shift": draw(batch.seed, judge.name, "shift") % PRIME,
    }


def _order(factor: Expression, shift: Expression, *, together: bool) -> list[OrderBy]:
    def rank(name: str) -> OrderBy:
        wide = Cast(F(name), BigIntegerField())
        return OrderBy((wide * factor + shift) % Value(PRIME))

    own = [rank("shuffle"), OrderBy(F("pk"))]
    if together:
        return [rank("question_shuffle"), OrderBy(F("response__question_id")), *own]
    return own


_GIVEN: dict[str, Any] = {
    "batch": IntegerField(),
    "judge": IntegerField(),
    "raters": IntegerField(),
    "now": DateTimeField(),
    "factor": BigIntegerField(),
    "shift": BigIntegerField(),
}


def _first(
    rows: "QuerySet[BatchItem]", factor: Any, shift: Any, *, together: bool, skip_locked: bool
) -> "QuerySet[BatchItem]":
    rows = rows.order_by(*_order(factor, shift, together=together))
    return rows.select_for_update(skip_locked=skip_locked, no_key=True, of=("self",))[:1]


def _of_all(*, together: bool, skip_locked: bool) -> AskedOnce[BatchItem]:
    def build(factor: Any, shift: Any, **of: Any) -> "QuerySet[BatchItem]":
        return _first(open_items(**of), factor, shift, together=together, skip_locked=skip_locked)

    return AskedOnce(build, **_GIVEN)


_FIRST_OF_ALL = {
    (together, skip): _of_all(together=together, skip_locked=skip)
    for together in (False, True)
    for skip in (False, True)
}


def _of_window(
    factor: Any, shift: Any, start: Any, batch: Any, judge: Any, raters: Any, now: Any
) -> "QuerySet[BatchItem]":
    from_there = BatchItem.objects.filter(batch=batch, shuffle__gte=start).order_by("shuffle", "pk")
    rows = open_among(from_there.values("pk")[:WINDOW], judge, raters, now)
    return _first(rows, factor, shift, together=False, skip_locked=True)


_FIRST_OF_WINDOW = AskedOnce(_of_window, start=BigIntegerField(), **_GIVEN)


def chosen(batch: Batch, judge: Judge, position: int | None) -> BatchItem | None:
    """Choose and lock the next item: first without waiting for those that others are claiming;
    then, before saying that nothing is left, with waiting. `position` is how many tasks the judge
    has had, in a batch that is large."""
    of = {"batch": batch.pk, "judge": judge.pk, "raters": batch.raters_per_item}
    of |= _drawn(batch, judge)
    for ask, more in _asked(batch, judge, position):
        item = ask.first(**of, **more, now=timezone.now())
        if item is not None:
            return item
    return None


def _asked(
    batch: Batch, judge: Judge, position: int | None
) -> Iterator[tuple[AskedOnce[BatchItem], dict[str, int]]]:
    together = batch.order == Batch.Order.TOGETHER
    if position is not None and not together:
        for window in range(WINDOWS):
            start = draw(batch.seed, judge.name, "window", position, window) % PRIME
            yield _FIRST_OF_WINDOW, {"start": start}
    yield _FIRST_OF_ALL[together, True], {}
    if connection.features.has_select_for_update:
        yield _FIRST_OF_ALL[together, False], {}

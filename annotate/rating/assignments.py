"""Assign tasks to raters: claim the next one, finish it, reopen it, return it.

To claim a place (see `places`), lock the item first and count in a second statement, which sees
what others committed before the lock. A running lease is renewed without that lock. The lock order
is judge, item. An item without a free place is unlocked at once by rolling back its savepoint, so
that nobody waits for one item while holding another.

Answers count when their rating is finished. Each judgment stores that (`Judgment.unfinished`). The
transaction that finishes or reopens a rating updates it under the judge's lock, which saving an
answer also takes.

Each rater has an own order of the items, drawn from the batch's seed and the rater's name. In a
batch of more than `LARGE` items, sorting all of them for each task takes too long. There, each task
is the first, in that order, of `WINDOW` consecutive items from a position drawn for this task. If
nothing is free in `WINDOWS` windows, all items are searched.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, models, transaction
from django.db.models import BigIntegerField, F, Min, OrderBy, Q, QuerySet, Value
from django.db.models.functions import Cast
from django.utils import timezone

from annotate.content.units import is_mirrored_for
from annotate.models import (
    PEOPLE,
    Assignment,
    Batch,
    BatchItem,
    Judge,
    Judgment,
    still_counts,
)
from annotate.models.judging import JudgmentQuerySet
from annotate.rating.places import (
    ACTIVE,
    DONE,
    RETURNED,
    count_held_by_others,
    counting,
    full_items,
    has_left,
    holding,
    is_limited,
    items_to_rate,
    keep_lease,
    lock_item,
    open_items,
    open_items_among,
    reload_changes,
)
from annotate.web.errors import Refused
from annotate.work.telemetry import TASKS_TAKEN

PRIME = 2_147_483_647
"""Shuffle numbers are below this prime. A rater's order multiplies them modulo it."""

LARGE = 1_000
WINDOW = 64
WINDOWS = 4


def draw(*parts: object) -> int:
    text = ":".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def rater_order(batch: Batch, judge: Judge) -> list[OrderBy]:
    """Return the judge's own, constant order of the batch's items."""
    factor = 1 + draw(batch.seed, judge.name, "factor") % (PRIME - 1)
    shift = draw(batch.seed, judge.name, "shift") % PRIME

    def rank(name: str) -> OrderBy:
        wide = Cast(F(name), BigIntegerField())
        return OrderBy((wide * Value(factor) + Value(shift)) % Value(PRIME))

    own = [rank("shuffle"), OrderBy(F("pk"))]
    if batch.order == Batch.Order.TOGETHER:
        return [rank("question_shuffle"), OrderBy(F("response__question_id")), *own]
    return own


def choose_item(batch: Batch, judge: Judge, position: int | None) -> BatchItem | None:
    """Choose and lock the next item. Skip locked items first, and then wait for them.

    `position` is the number of the judge's tasks, in a large batch.
    """
    order = rater_order(batch, judge)
    for items, skip_locked in _item_queries(batch, judge, position):
        locked = items.select_for_update(skip_locked=skip_locked, no_key=True, of=("self",))
        item = locked.order_by(*order).first()
        if item is not None:
            return item
    return None


def _item_queries(
    batch: Batch, judge: Judge, position: int | None
) -> Iterator[tuple["QuerySet[BatchItem]", bool]]:
    """Yield where to look for an item, and whether to skip items locked by others."""
    if position is not None and batch.order != Batch.Order.TOGETHER:
        for window in range(WINDOWS):
            start = draw(batch.seed, judge.name, "window", position, window) % PRIME
            from_there = batch.items.filter(shuffle__gte=start).order_by("shuffle", "pk")
            keys = from_there.values("pk")[:WINDOW]
            yield open_items_among(keys, judge, batch.raters_per_item, timezone.now()), True
    for skip_locked in (True, False) if connection.features.has_select_for_update else (True,):
        yield open_items(batch, judge, batch.raters_per_item, timezone.now()), skip_locked


class WhyNoTask(models.TextChoices):
    """Why a rater gets no task."""

    CLOSED = "closed", "This batch is not open."
    EMPTY = "empty", "There is nothing in this batch."
    ALL_DONE = "all done", "Everything in this batch has all its ratings."
    ALL_YOURS_DONE = (
        "all yours done",
        "You have rated everything here. The other tasks wait for other raters.",
    )
    LEASED = "leased", "Other raters are working on all tasks that are left."
    QUOTA = "quota", "You have done all the tasks that one rater may do in this batch."
    NOT_QUALIFIED = "not qualified", "Pass the practice first; then this batch opens for you."
    FAILED_PRACTICE = (
        "failed practice",
        "You did not pass the practice in any of its rounds. You cannot work on this batch.",
    )
    LEFT = "left", "You left this study. Open the batch's link again to continue."
    PAUSED = (
        "paused",
        "Your work is paused. The study's researchers will look at it and get in touch.",
    )
    EXCLUDED = "excluded", "The study's researchers have ended your part in it."


@dataclass(frozen=True, slots=True)
class NoTask:
    """The reason for no task. `until` is when the first lease of another rater expires."""

    why: WhyNoTask
    until: datetime | None = None

    @property
    def text(self) -> str:
        return str(self.why.label)


# Claiming ----------------------------------------------------------------------------------------


def next_task(batch: Batch, judge: Judge) -> Assignment | NoTask:
    """Return the judge's begun task, or a new one, or why there is none.

    The judge's row is locked, so concurrent requests get the same task.
    """
    while True:
        with transaction.atomic():
            found = _next(batch.pk, judge.pk)
            if found is not None:
                return found
            transaction.set_rollback(True)  # unlocks the item whose last place was taken


def _next(batch_id: int, judge_id: int) -> Assignment | NoTask | None:
    """Return None if somebody else took the last place in the choose_item item."""
    judge = Judge.objects.select_for_update(no_key=True).get(pk=judge_id)
    batch = Batch.objects.select_related("study").get(pk=batch_id)
    barred = _why_barred(batch, judge)
    if barred is not None:
        return NoTask(barred)
    begun = _begun(batch, judge)
    if begun is not None:
        return begun
    if _has_done_enough(batch, judge):
        return NoTask(WhyNoTask.QUOTA)
    return _claim(batch, judge)


def why_no_task(batch: Batch, judge: Judge) -> NoTask | None:
    """Return why `next_task` would give no task, or None. Claims nothing."""
    barred = _why_barred(batch, judge)
    if barred is not None:
        return NoTask(barred)
    if can_resume(batch, judge):
        return None
    if batch.is_practice:
        unseen = batch.items.filter(still_counts()).exclude(assignments__judge=judge)
        return None if unseen.exists() else NoTask(WhyNoTask.ALL_YOURS_DONE)
    if _has_done_enough(batch, judge):
        return NoTask(WhyNoTask.QUOTA)
    full = full_items(batch, batch.raters_per_item, holding(timezone.now()))
    free = items_to_rate(batch).exclude(assignments__judge=judge).exclude(pk__in=full)
    return None if free.exists() else _no_task(batch, judge)


def can_resume(batch: Batch, judge: Judge) -> bool:
    """Whether the judge has begun a task and still has a place in it."""
    begun, now = _active(batch, judge), timezone.now()
    if batch.is_practice:
        return begun.exists()
    if begun.filter(lease_until__gt=now).exists():
        return True
    full = full_items(batch, batch.raters_per_item, holding(now))
    return begun.filter(Q(item__is_gold=True) | ~Q(item__in=full)).exists()


def _active(batch: Batch, judge: Judge) -> "QuerySet[Assignment]":
    """Return the judge's unfinished tasks about items that still count."""
    mine = Assignment.objects.filter(batch=batch, judge=judge, state=ACTIVE)
    return mine.filter(still_counts("item__"))


def _has_done_enough(batch: Batch, judge: Judge) -> bool:
    """Whether the judge has reached the batch's quota. Practice has none."""
    if batch.is_practice or batch.tasks_per_rater is None:
        return False
    done = Assignment.objects.filter(batch=batch, judge=judge, state=DONE)
    return done.count() >= batch.tasks_per_rater


def _why_barred(batch: Batch, judge: Judge) -> WhyNoTask | None:
    if not batch.is_open:
        return WhyNoTask.CLOSED
    if judge.rater.standing == Judge.Standing.EXCLUDED:
        return WhyNoTask.EXCLUDED
    if judge.standing == Judge.Standing.PAUSED:
        return WhyNoTask.PAUSED
    if has_left(batch, judge):
        return WhyNoTask.LEFT
    if not is_qualified(batch, judge):
        return WhyNoTask.FAILED_PRACTICE if _has_failed(batch, judge) else WhyNoTask.NOT_QUALIFIED
    return None


def _has_failed(batch: Batch, judge: Judge) -> bool:
    """Whether the judge failed the last allowed round of the batch's practice."""
    practice = batch.qualification
    if practice is None or practice.max_rounds is None:
        return False
    ended = judge.rounds.filter(batch=practice, finished_at__isnull=False)
    return ended.count() >= practice.max_rounds


def is_qualified(batch: Batch, judge: Judge) -> bool:
    """Whether the judge has passed the batch's practice, if it has one."""
    if batch.qualification_id is None:
        return True
    return judge.rounds.filter(batch_id=batch.qualification_id, passed=True).exists()


def _begun(batch: Batch, judge: Judge) -> Assignment | None:
    """Return a begun task in which the judge still has a place.

    Tasks with a running lease come first, so that a place that became free changes nothing.
    """
    now = timezone.now()
    begun = sorted(
        _active(batch, judge).select_related("item"), key=lambda a: (a.lease_until <= now, a.pk)
    )
    lapsed = [a.item_id for a in begun if a.lease_until <= now and is_limited(batch, a.item)]
    full = full_items(batch, batch.raters_per_item, holding(now))
    taken = set(full.filter(item__in=lapsed)) if lapsed else set()
    for assignment in begun:
        assignment.batch, assignment.judge = batch, judge
        if assignment.item_id not in taken and keep_lease(assignment):
            return assignment
    return None


def _claim(batch: Batch, judge: Judge) -> Assignment | NoTask | None:
    if batch.is_practice:
        item = _first_unseen(batch, judge)
        return NoTask(WhyNoTask.ALL_YOURS_DONE) if item is None else _assign(batch, item, judge)
    is_large = batch.items.order_by()[LARGE : LARGE + 1].exists()
    position = 0
    if is_large or batch.gold_percent:
        position = Assignment.objects.filter(batch=batch, judge=judge).count()
    free = open_items(batch, judge, batch.raters_per_item, timezone.now())
    if _gold_is_due(batch, judge, position) and free.exists():
        gold = _first_unseen(batch, judge, is_gold=True)
        if gold is not None:
            return _assign(batch, gold, judge)
    found = choose_item(batch, judge, position if is_large else None)
    if found is None:
        return _no_task(batch, judge)
    # Others may have claimed places since the query, or while this one waited for a lock.
    if connection.features.has_select_for_update:
        held = counting(found.assignments.filter(holding(timezone.now()))).count()
        if held >= batch.raters_per_item:
            return None
    return _assign(batch, found, judge)


def _first_unseen(batch: Batch, judge: Judge, **filters: bool) -> BatchItem | None:
    """Return the first item, in the judge's order, that the judge has not had."""
    unseen = batch.items.exclude(assignments__judge=judge).filter(still_counts(), **filters)
    return unseen.order_by(*rater_order(batch, judge)).first()


def _gold_is_due(batch: Batch, judge: Judge, position: int) -> bool:
    return draw(batch.seed, judge.name, "gold", position) % 100 < batch.gold_percent


def _assign(batch: Batch, item: BatchItem, judge: Judge) -> Assignment:
    now = timezone.now()
    transaction.on_commit(TASKS_TAKEN.inc)
    return Assignment.objects.create(
        batch=batch,
        item=item,
        judge=judge,
        lease_until=now + timedelta(minutes=batch.lease_minutes),
        guidelines=batch.study.current_guidelines,
        created_at=now,
        seen_at=now,
        mirrored=is_mirrored_for(batch.study, judge.name, item.unit)
        if batch.is_about_pairs
        else None,
    )


def _no_task(batch: Batch, judge: Judge) -> NoTask:
    """Return why the judge can get no item of the batch."""
    now = timezone.now()
    items = items_to_rate(batch)
    if not items.exists():
        return NoTask(WhyNoTask.EMPTY)
    unfinished = items.exclude(pk__in=full_items(batch, batch.raters_per_item, Q(state=DONE)))
    if not unfinished.exists():
        return NoTask(WhyNoTask.ALL_DONE)
    ended = Assignment.objects.filter(batch=batch, judge=judge).exclude(state=ACTIVE)
    theirs = unfinished.exclude(pk__in=ended.values("item"))
    if not theirs.exists():
        return NoTask(WhyNoTask.ALL_YOURS_DONE)
    leases = Assignment.objects.filter(
        batch=batch, item__in=theirs, state=ACTIVE, lease_until__gt=now
    )
    until = counting(leases).exclude(judge=judge).aggregate(first=Min("lease_until"))["first"]
    return NoTask(WhyNoTask.LEASED, until)


# Keeping, finishing, giving back -----------------------------------------------------------------


def finish(assignment: Assignment) -> Assignment:
    """Mark a task as done, in the caller's transaction. Idempotent.

    `answering.finish` checks the answers before. The number of finished tasks never exceeds the
    wanted one: a task with a running lease is refused if others have finished all places, and one
    with an expired lease also if others hold them.
    """
    assignment.item = item = lock_item(assignment.item_id)
    now, batch = timezone.now(), assignment.batch
    reload_changes(assignment)
    if assignment.state == DONE:
        return assignment
    if assignment.state == RETURNED:
        raise Refused("You gave this task back. Your answers are kept.")
    if has_left(batch, assignment.judge):
        raise Refused(f"{WhyNoTask.LEFT.label} Your answers are kept.")
    runs = assignment.lease_until > now
    taken = count_held_by_others(assignment, now, runs=runs) if is_limited(batch, item) else 0
    if taken >= batch.raters_per_item:
        raise Refused(
            "Others have rated this in the meantime, since you were away for long. Your "
            "answers are kept, and do not count; go on with the next task."
        )
    assignment.state, assignment.done_at, assignment.seen_at = DONE, now, now
    assignment.save(update_fields=["state", "done_at", "seen_at"])
    _answers_in(assignment).update(unfinished=False)
    return assignment


def _answers_in(assignment: Assignment) -> JudgmentQuerySet:
    """Return the judge's answers to a task's dimensions."""
    item, batch = assignment.item, assignment.batch
    given = Judgment.objects.filter(judge=assignment.judge_id, dimension__in=batch.dimensions)
    if batch.granularity == Batch.Granularity.UNIT:
        return given.filter(unit=item.unit_id)
    return given.filter(batch.of_its_claims, unit__response=item.response_id)


def reopen(assignment: Assignment) -> None:
    """Reopen a finished task with an open dimension. It keeps its place.

    Its answers count again when it is finished.
    """
    now = timezone.now()
    until = now + timedelta(minutes=assignment.batch.lease_minutes)
    with transaction.atomic():
        lock_item(assignment.item_id)
        Assignment.objects.filter(pk=assignment.pk, state=DONE).update(
            state=ACTIVE, done_at=None, lease_until=until, seen_at=now
        )
        if assignment.judge.kind in PEOPLE:
            _answers_in(assignment).update(unfinished=True)
            for done in assignment.judge.assignments.filter(
                state=DONE, item__response=assignment.item.response_id
            ):  # an old database may have several tasks about a response
                _answers_in(done).update(unfinished=False)
    assignment.refresh_from_db(fields=["state", "done_at", "lease_until", "seen_at"])


def give_back(assignment: Assignment, *, for_good: bool) -> None:
    """Free the place and keep the answers. Unless `for_good`, the task is offered first again."""
    with transaction.atomic():
        lock_item(assignment.item_id)
        rows = Assignment.objects.filter(pk=assignment.pk, state=ACTIVE)
        rows.update(lease_until=timezone.now(), **({"state": RETURNED} if for_good else {}))


def give_all_back(batch: Batch, judge: Judge) -> int:
    """Free every place of the judge's unfinished tasks, and return their number.

    A readmitted or returning rater continues with them.
    """
    now = timezone.now()
    rows = Assignment.objects.filter(batch=batch, judge=judge, state=ACTIVE, lease_until__gt=now)
    return rows.update(lease_until=now)

"""Who gets what: claiming the next task, keeping it, finishing it, giving it back.

Whoever wants a place (see places) locks the item first and counts afterwards, in a statement of its
own, so that what others committed before the lock is seen; a lease that runs is renewed without
that lock. Locks are taken in the order judge, item; an item in which there is no
place is let go at once (its savepoint is rolled back), so that nobody waits for one item while
holding another.

What a person answers counts with the finished rating that it is part of. Each judgment says whether
it is in one (`Judgment.unfinished`), and what begins or ends a finished rating writes that in the
same transaction, under the judge's lock, which saving an answer takes as well.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import transaction
from django.db.models import (
    BigIntegerField,
    DateTimeField,
    Expression,
    F,
    IntegerField,
    Min,
    OrderBy,
    Q,
    QuerySet,
    Value,
)
from django.db.models.functions import Cast
from django.utils import timezone

from annotate.models import (
    PEOPLE,
    Assignment,
    Batch,
    BatchItem,
    Enrolment,
    Judge,
    Judgment,
    still_counts,
)
from annotate.models.judging import JudgmentQuerySet
from annotate.models.written_once import AskedOnce, ChangedOnce
from annotate.services.errors import Refused
from annotate.services.rating.places import (
    ACTIVE,
    DONE,
    RETURNED,
    counted,
    full_items,
    held_by_others,
    holding,
    items_to_rate,
    limited,
    lock_item,
    open_items,
    places_held,
)
from annotate.services.units import drawn_side
from annotate.telemetry import TASKS_TAKEN

MARGIN = timedelta(seconds=10)
"""A lease that runs out within it is renewed under the item's lock: it may be over by then."""

PRIME = 2_147_483_647
"""Shuffle numbers are below it; a rater's order multiplies them modulo this prime."""


class WhyNoTask(StrEnum):
    """Why there is nothing to do."""

    CLOSED = "closed"
    EMPTY = "empty"
    ALL_DONE = "all done"
    ALL_YOURS_DONE = "all yours done"
    LEASED = "leased"
    QUOTA = "quota"
    NOT_QUALIFIED = "not qualified"
    FAILED_PRACTICE = "failed practice"
    LEFT = "left"
    PAUSED = "paused"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class NoTask:
    """No task, and why; `until` is when the first of the leases held by others runs out."""

    why: WhyNoTask
    until: datetime | None = None

    @property
    def text(self) -> str:
        return _TEXTS[self.why]


_TEXTS = {
    WhyNoTask.CLOSED: "This batch is not open.",
    WhyNoTask.EMPTY: "There is nothing in this batch.",
    WhyNoTask.ALL_DONE: "Everything in this batch has all its ratings.",
    WhyNoTask.ALL_YOURS_DONE: (
        "You have rated everything here. What is left waits for other raters."
    ),
    WhyNoTask.LEASED: "Everything that is left is being rated by others at the moment.",
    WhyNoTask.QUOTA: "You have done all the tasks that one rater may do in this batch.",
    WhyNoTask.NOT_QUALIFIED: "Pass the practice first; then this batch opens for you.",
    WhyNoTask.FAILED_PRACTICE: (
        "You have used all the rounds of the practice without passing, "
        "so there is no work for you in this batch."
    ),
    WhyNoTask.LEFT: "You stopped taking part. Open the batch's link again to go on.",
    WhyNoTask.PAUSED: (
        "Your work is paused. The study's researchers will look at it and get in touch."
    ),
    WhyNoTask.EXCLUDED: "The study's researchers have ended your part in it.",
}


# The order ---------------------------------------------------------------------------------------


def _draw(*parts: object) -> int:
    text = ":".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def rater_order(batch: Batch, judge: Judge) -> list[OrderBy]:
    """The judge's own order of the batch's items; the same whenever it is asked for."""
    given = {name: Value(number) for name, number in _drawn(batch, judge).items()}
    return _order(**given, together=batch.order == Batch.Order.TOGETHER)


def _drawn(batch: Batch, judge: Judge) -> dict[str, int]:
    return {
        "factor": 1 + _draw(batch.seed, judge.name, "factor") % (PRIME - 1),
        "shift": _draw(batch.seed, judge.name, "shift") % PRIME,
    }


def _order(factor: Expression, shift: Expression, *, together: bool) -> list[OrderBy]:
    def rank(name: str) -> OrderBy:
        wide = Cast(F(name), BigIntegerField())
        return OrderBy((wide * factor + shift) % Value(PRIME))

    own = [rank("shuffle"), OrderBy(F("pk"))]
    if together:
        return [rank("question_shuffle"), OrderBy(F("response__question_id")), *own]
    return own


def _gold_is_due(batch: Batch, judge: Judge, position: int) -> bool:
    return _draw(batch.seed, judge.name, "gold", position) % 100 < batch.gold_percent


# Claiming ----------------------------------------------------------------------------------------


def next_task(batch: Batch, judge: Judge) -> Assignment | NoTask:
    """What the judge goes on with: what they have begun, or else a new task, or why there is none.

    Asked twice at once, it gives the same task twice: the judge's row is locked.
    """
    with transaction.atomic():
        [judge] = _JUDGE(judge=judge.pk)
        [batch] = _BATCH(batch=batch.pk)
        barred = _barred(batch, judge)
        if barred is not None:
            return NoTask(barred)
        begun = _begun(batch, judge)
        if begun is not None:
            return begun
        mine = Assignment.objects.filter(batch=batch, judge=judge)
        if _has_done_enough(batch, mine):
            return NoTask(WhyNoTask.QUOTA)
        return _claim(batch, judge)


_JUDGE = AskedOnce(
    lambda judge: Judge.objects.select_for_update(no_key=True).filter(pk=judge),
    judge=IntegerField(),
)
_BATCH = AskedOnce(
    lambda batch: Batch.objects.select_related("study").filter(pk=batch), batch=IntegerField()
)


def why_no_task(batch: Batch, judge: Judge) -> NoTask | None:
    """Why `next_task` would give nothing; none where it would give a task. Claims nothing."""
    barred = _barred(batch, judge)
    if barred is not None:
        return NoTask(barred)
    mine = Assignment.objects.filter(batch=batch, judge=judge)
    now = timezone.now()
    full = full_items(batch, batch.raters_per_item, holding(now))
    begun = mine.filter(still_counts("item__"), state=ACTIVE)
    if batch.is_practice or begun.filter(lease_until__gt=now).exists():
        unseen = batch.items.filter(still_counts()).exclude(assignments__judge=judge)
        return None if begun.exists() or unseen.exists() else NoTask(WhyNoTask.ALL_YOURS_DONE)
    if begun.filter(Q(item__is_gold=True) | ~Q(item__in=full)).exists():
        return None
    if _has_done_enough(batch, mine):
        return NoTask(WhyNoTask.QUOTA)
    free = items_to_rate(batch).exclude(assignments__judge=judge).exclude(pk__in=full)
    return None if free.exists() else _no_task(batch, judge)


def _has_done_enough(batch: Batch, mine: "QuerySet[Assignment]") -> bool:
    """Whether the judge has reached the batch's quota. Practice is gone through to its end."""
    if batch.is_practice or batch.tasks_per_rater is None:
        return False
    return mine.filter(state=DONE).count() >= batch.tasks_per_rater


def _barred(batch: Batch, judge: Judge) -> WhyNoTask | None:
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


def has_left(batch: Batch, judge: Judge) -> bool:
    """Whether somebody from a crowd platform stopped taking part, and did not come back since."""
    return judge.user_id is not None and bool(_LEFT(batch=batch.pk, user=judge.user_id))


_LEFT = AskedOnce(
    lambda batch, user: Enrolment.objects.filter(
        batch=batch, participant__user=user, left_at__isnull=False
    ).values_list("pk"),
    batch=IntegerField(),
    user=IntegerField(),
)


def _has_failed(batch: Batch, judge: Judge) -> bool:
    """Whether the last round of the practice that the batch asks for has ended without passing."""
    practice = batch.qualification
    if practice is None or practice.max_rounds is None:
        return False
    ended = judge.rounds.filter(batch=practice, finished_at__isnull=False)
    return ended.count() >= practice.max_rounds


def is_qualified(batch: Batch, judge: Judge) -> bool:
    """Whether the judge has passed the practice that the batch asks for, if it asks for one."""
    if batch.qualification_id is None:
        return True
    return judge.rounds.filter(batch_id=batch.qualification_id, passed=True).exists()


def _begun(batch: Batch, judge: Judge) -> Assignment | None:
    """A task that the judge has begun and that still has a place for them: first one whose lease
    runs, so that a place that came free meanwhile does not give them another one."""
    now = timezone.now()
    rows = _ACTIVE(batch=batch.pk, judge=judge.pk)
    begun = sorted(rows, key=lambda a: (a.lease_until <= now, a.pk))
    lapsed = [a.item_id for a in begun if a.lease_until <= now and limited(batch, a.item)]
    taken = (
        set(full_items(batch, batch.raters_per_item, holding(now)).filter(item__in=lapsed))
        if lapsed
        else set()
    )
    for assignment in begun:
        assignment.batch, assignment.judge = batch, judge
        if assignment.item_id not in taken and keep(assignment):
            return assignment
    return None


_ACTIVE = AskedOnce(
    lambda batch, judge: Assignment.objects.filter(
        still_counts("item__"), batch=batch, judge=judge, state=ACTIVE
    ).select_related("item"),
    batch=IntegerField(),
    judge=IntegerField(),
)


def _claim(batch: Batch, judge: Judge) -> Assignment | NoTask:
    unseen = batch.items.exclude(assignments__judge=judge).filter(still_counts())
    if batch.is_practice:
        item = unseen.order_by(*rater_order(batch, judge)).first()
        return NoTask(WhyNoTask.ALL_YOURS_DONE) if item is None else _assign(batch, item, judge)
    position = Assignment.objects.filter(batch=batch, judge=judge).count()
    if _gold_is_due(batch, judge, position) and _free(batch, judge).exists():
        gold = unseen.filter(is_gold=True).order_by(*rater_order(batch, judge)).first()
        if gold is not None:
            return _assign(batch, gold, judge)
    # First without waiting for items that others are claiming; then, before saying that nothing
    # is left, with waiting.
    for skip in (True, False):
        found = _first_with_a_place(batch, judge, skip_locked=skip)
        if found is not None:
            return _assign(batch, found, judge)
    return _no_task(batch, judge)


def _free(batch: Batch, judge: Judge) -> "QuerySet[BatchItem]":
    return open_items(batch.pk, judge.pk, batch.raters_per_item, timezone.now())


def _to_choose(*, together: bool, skip_locked: bool) -> AskedOnce[BatchItem]:
    return AskedOnce(
        lambda factor, shift, **of: (
            open_items(**of)
            .order_by(*_order(factor, shift, together=together))
            .select_for_update(skip_locked=skip_locked, no_key=True, of=("self",))[:1]
        ),
        batch=IntegerField(),
        judge=IntegerField(),
        raters=IntegerField(),
        now=DateTimeField(),
        factor=BigIntegerField(),
        shift=BigIntegerField(),
    )


_CHOICE = {
    (together, skip): _to_choose(together=together, skip_locked=skip)
    for together in (False, True)
    for skip in (False, True)
}


def _first_with_a_place(batch: Batch, judge: Judge, *, skip_locked: bool) -> BatchItem | None:
    """Choose and lock an item. The lock is the caller's, who claims in the same transaction.

    Where somebody was faster, between the choice and the lock, the next choice sees it.
    """
    choose = _CHOICE[batch.order == Batch.Order.TOGETHER, skip_locked]
    of = {"batch": batch.pk, "judge": judge.pk, "raters": batch.raters_per_item}
    while True:
        with transaction.atomic():
            item = choose.first(**of, **_drawn(batch, judge), now=timezone.now())
            if item is None:
                return None
            held = places_held(item, timezone.now())
            if held < batch.raters_per_item:
                return item
            transaction.set_rollback(True)  # lets go of the item


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
        mirrored=drawn_side(batch.study, judge.name, item.unit) if batch.is_about_pairs else None,
    )


def _no_task(batch: Batch, judge: Judge) -> NoTask:
    """Why no item of the batch can be given to this judge."""
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
    until = counted(leases).exclude(judge=judge).aggregate(first=Min("lease_until"))["first"]
    return NoTask(WhyNoTask.LEASED, until)


# Keeping, finishing, giving back -----------------------------------------------------------------


def keep(assignment: Assignment) -> bool:
    """Renew the lease. False where it ran out and others have taken all the places since."""
    now = timezone.now()
    until = now + timedelta(minutes=assignment.batch.lease_minutes)
    if _RENEWED(task=assignment.pk, at=now + MARGIN, lease_until=until, seen_at=now):
        assignment.lease_until = until
        return True
    mine = Assignment.objects.filter(pk=assignment.pk, state=ACTIVE)
    if has_left(assignment.batch, assignment.judge):
        return False
    with transaction.atomic():
        item = lock_item(assignment.item_id)
        now = timezone.now()
        is_lost = False
        # A place that is still held is nobody else's; one that lapsed may be.
        if limited(assignment.batch, item) and not mine.filter(lease_until__gt=now).exists():
            held = held_by_others(assignment, now, runs=False)
            is_lost = held >= assignment.batch.raters_per_item
        if is_lost or not mine.update(lease_until=until, seen_at=now):
            transaction.set_rollback(True)  # lets go of the item
            return False
    assignment.lease_until = until
    return True


_RENEWED = ChangedOnce(
    lambda task, at: Assignment.objects.filter(pk=task, state=ACTIVE, lease_until__gt=at),
    ("lease_until", "seen_at"),
    task=IntegerField(),
    at=DateTimeField(),
    lease_until=DateTimeField(),
    seen_at=DateTimeField(),
)
"""The lease of a task that still runs for a while."""


def finish(assignment: Assignment) -> Assignment:
    """Mark a task as done, once. Whether every question is answered is asked before (see rating).

    Never more than the wanted number are done. Whose lease runs only makes way for others who
    are done; whose lease ran out also for those who hold the place now.
    """
    with transaction.atomic():
        item = lock_item(assignment.item_id)
        locked = Assignment.objects.select_for_update().get(pk=assignment.pk)
        locked.batch, locked.judge, locked.item = assignment.batch, assignment.judge, item
        if locked.state == DONE:
            return locked
        now = timezone.now()
        if locked.state == RETURNED:
            raise Refused("You gave this task back. Your answers are kept.")
        if has_left(assignment.batch, assignment.judge):
            raise Refused(f"{_TEXTS[WhyNoTask.LEFT]} Your answers are kept.")
        if limited(assignment.batch, item):
            runs = locked.lease_until > now
            if held_by_others(locked, now, runs=runs) >= assignment.batch.raters_per_item:
                raise Refused(
                    "Others have rated this in the meantime, since you were away for long. Your "
                    "answers are kept, and do not count; go on with the next task."
                )
        locked.state, locked.done_at, locked.seen_at = DONE, now, now
        locked.save(update_fields=["state", "done_at", "seen_at"])
        _answers_in(locked).update(unfinished=False)
        return locked


def _answers_in(assignment: Assignment) -> JudgmentQuerySet:
    """What the judge answered of a task's questions."""
    item, batch = assignment.item, assignment.batch
    given = Judgment.objects.filter(judge=assignment.judge_id, dimension__in=batch.dimensions)
    if batch.granularity == Batch.Granularity.UNIT:
        return given.filter(unit=item.unit_id)
    return given.filter(batch.of_its_claims, unit__response=item.response_id)


def reopen(assignment: Assignment) -> None:
    """A finished task has a question to answer again: it goes on, and keeps its place. What is
    answered in it counts again once it is finished."""
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
            ):  # in a database from before each response was asked about once
                _answers_in(done).update(unfinished=False)
    assignment.refresh_from_db(fields=["state", "done_at", "lease_until", "seen_at"])


def give_back(assignment: Assignment, *, for_good: bool) -> None:
    """Free the place. What was answered is kept; unless `for_good`, it is offered again first."""
    with transaction.atomic():
        lock_item(assignment.item_id)
        rows = Assignment.objects.filter(pk=assignment.pk, state=ACTIVE)
        rows.update(lease_until=timezone.now(), **({"state": RETURNED} if for_good else {}))


def give_all_back(batch: Batch, judge: Judge) -> int:
    """Free every place that a judge holds without having finished.

    Not for good: whoever is readmitted, or comes back, goes on with what they had begun.
    """
    now = timezone.now()
    rows = Assignment.objects.filter(batch=batch, judge=judge, state=ACTIVE, lease_until__gt=now)
    return rows.update(lease_until=now)

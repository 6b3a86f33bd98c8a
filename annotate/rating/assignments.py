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

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, models, transaction
from django.db.models import Min, Q, QuerySet
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
from annotate.rating.task_leases import has_left, keep, learn_changes
from annotate.rating.task_order import LARGE, chosen, draw, rater_order
from annotate.web.errors import Refused
from annotate.work.telemetry import TASKS_TAKEN


class WhyNoTask(models.TextChoices):
    """Why there is nothing to do."""

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
    """No task, and why; `until` is when the first of the leases held by others runs out."""

    why: WhyNoTask
    until: datetime | None = None

    @property
    def text(self) -> str:
        return str(self.why.label)


# Claiming ----------------------------------------------------------------------------------------


def next_task(batch: Batch, judge: Judge) -> Assignment | NoTask:
    """What the judge goes on with: what they have begun, or else a new task, or why there is none.

    Asked twice at once, it gives the same task twice: the judge's row is locked.
    """
    while True:
        with transaction.atomic():
            found = _next(batch.pk, judge.pk)
            if found is not None:
                return found
            transaction.set_rollback(True)  # lets go of the item in which somebody was faster


def _next(batch_id: int, judge_id: int) -> Assignment | NoTask | None:
    """None where somebody else took the last place in the item that was chosen."""
    judge = Judge.objects.select_for_update(no_key=True).get(pk=judge_id)
    batch = Batch.objects.select_related("study").get(pk=batch_id)
    barred = _barred(batch, judge)
    if barred is not None:
        return NoTask(barred)
    begun = _begun(batch, judge)
    if begun is not None:
        return begun
    if _has_done_enough(batch, judge):
        return NoTask(WhyNoTask.QUOTA)
    return _claim(batch, judge)


def why_no_task(batch: Batch, judge: Judge) -> NoTask | None:
    """Why `next_task` would give nothing; none where it would give a task. Claims nothing."""
    barred = _barred(batch, judge)
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
    """Whether the judge has begun a task that still has a place for them."""
    mine = Assignment.objects.filter(batch=batch, judge=judge, state=ACTIVE)
    begun, now = mine.filter(still_counts("item__")), timezone.now()
    if batch.is_practice:
        return begun.exists()
    if begun.filter(lease_until__gt=now).exists():
        return True
    full = full_items(batch, batch.raters_per_item, holding(now))
    return begun.filter(Q(item__is_gold=True) | ~Q(item__in=full)).exists()


def _has_done_enough(batch: Batch, judge: Judge) -> bool:
    """Whether the judge has reached the batch's quota. Practice is gone through to its end."""
    if batch.is_practice or batch.tasks_per_rater is None:
        return False
    done = Assignment.objects.filter(batch=batch, judge=judge, state=DONE)
    return done.count() >= batch.tasks_per_rater


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
    mine = Assignment.objects.filter(batch=batch, judge=judge, state=ACTIVE)
    rows = mine.filter(still_counts("item__")).select_related("item")
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


def _claim(batch: Batch, judge: Judge) -> Assignment | NoTask | None:
    if batch.is_practice:
        item = _first_unseen(batch, judge)
        return NoTask(WhyNoTask.ALL_YOURS_DONE) if item is None else _assign(batch, item, judge)
    is_large = batch.items.order_by()[LARGE : LARGE + 1].exists()
    position = 0
    if is_large or batch.gold_percent:
        position = Assignment.objects.filter(batch=batch, judge=judge).count()
    if _gold_is_due(batch, judge, position) and _free(batch, judge).exists():
        gold = _first_unseen(batch, judge, is_gold=True)
        if gold is not None:
            return _assign(batch, gold, judge)
    found = chosen(batch, judge, position if is_large else None)
    if found is None:
        return _no_task(batch, judge)
    # Who waited for somebody's lock, or chose while they claimed, has to count again.
    may_wait = connection.features.has_select_for_update
    if may_wait and places_held(found, timezone.now()) >= batch.raters_per_item:
        return None
    return _assign(batch, found, judge)


def _first_unseen(batch: Batch, judge: Judge, **those: bool) -> BatchItem | None:
    """The first item, in the judge's order, that they have not had."""
    unseen = batch.items.exclude(assignments__judge=judge).filter(still_counts(), **those)
    return unseen.order_by(*rater_order(batch, judge)).first()


def _gold_is_due(batch: Batch, judge: Judge, position: int) -> bool:
    return draw(batch.seed, judge.name, "gold", position) % 100 < batch.gold_percent


def _free(batch: Batch, judge: Judge) -> "QuerySet[BatchItem]":
    return open_items(batch, judge, batch.raters_per_item, timezone.now())


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


def finish(assignment: Assignment) -> Assignment:
    """Mark a task as done, once, in the caller's transaction. Whether every question is answered is
    asked before (`answering.finish`).

    Never more than the wanted number are done. Whose lease runs only makes way for others who
    are done; whose lease ran out also for those who hold the place now.
    """
    assignment.item = item = lock_item(assignment.item_id)
    now, batch = timezone.now(), assignment.batch
    learn_changes(assignment)
    if assignment.state == DONE:
        return assignment
    if assignment.state == RETURNED:
        raise Refused("You gave this task back. Your answers are kept.")
    if has_left(batch, assignment.judge):
        raise Refused(f"{WhyNoTask.LEFT.label} Your answers are kept.")
    runs = assignment.lease_until > now
    taken = held_by_others(assignment, now, runs=runs) if limited(batch, item) else 0
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

"""A rater's work at the desk: answer, mark, flag and finish."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotate.content import written_claims
from annotate.content.judgments import is_recorded, people_answer, record_judgment
from annotate.models import (
    PEOPLE,
    Assignment,
    Batch,
    Evidence,
    Flag,
    Judge,
    Judgment,
    Source,
    Unit,
    hot_queries,
)
from annotate.protocol.answers import MarkedSpan, named_values, parse_spans
from annotate.protocol.dimensions import IS_WRITTEN, UnitKind
from annotate.protocol.protocol import Protocol
from annotate.protocol.steps import NOT_ASKED, OPEN_AGAIN, Step, unanswered
from annotate.rating import assignments, gold, places, practice
from annotate.rating.standing import refuse_excluded
from annotate.rating.task_steps import steps_of
from annotate.web.errors import Refused
from annotate.work.telemetry import ANSWERS

REASON_CHARS = 200
NOTE_CHARS = 5_000


def answers_of(assignment: Assignment) -> dict[tuple[int, str], Judgment]:
    """Return the judge's answers about the units of the task's response."""
    rows = Judgment.objects.filter(
        judge=assignment.judge_id, unit__response=assignment.item.response_id
    )
    return {(row.unit_id, row.dimension): row for row in rows}


def refuse_unless_open(assignment: Assignment) -> None:
    """Refuse to change answers in a closed batch, or by an excluded rater.

    Researchers may write gold answers at any time.
    """
    if assignment.judge.kind == Judge.Kind.REFERENCE:
        return
    if not assignment.batch.is_open:
        raise Refused("The batch is closed, so answers cannot change any more.")
    refuse_excluded(assignment.judge)


def save_answer(
    assignment: Assignment,
    step: Step,
    *,
    value: str = "",
    skipped_reason: str = "",
    note: str = "",
    seconds: float | None = None,
    edit: str = "",
    base: str | None = None,
    given_by: str = "",
    words: str = "",
    about: str | None = None,
    version: int | None = None,
) -> Judgment:
    """Save one answer and renew the lease. Raise `Conflict` if another tab saved first.

    A changed answer withdraws dependent ones and reopens a finished task with open dimensions.
    `words` and `about` are places of words, of a written claim and of the judged one. `version` is
    the wording that the rater saw.
    """
    if value:
        value = people_answer(step.dimension, value)
        _refuse_other_passages(step, value)
    with transaction.atomic():
        has_closed_task = _lock(assignment, step)
        is_renewed = places.renew_or_reload(assignment)
        refuse_unless_open(assignment)
        if has_closed_task:
            _refuse_closed_answer(assignment, step)
        practice.refuse_after_feedback(assignment)
        claim = _claim(assignment, step, value, words)
        if assignment.batch.fixes_first:
            _refuse_after_passages(assignment, step, value, claim, edit)
        if skipped_reason not in OPEN_AGAIN:
            refuse_unless_asked(assignment, step, edit)
            refuse_rewritten_claim(assignment, step, about, edit)
        before = _claim_text(assignment, step) if step.dimension.writes else ""
        saved = record_judgment(
            judge=assignment.judge,
            unit=step.unit,
            dimension=step.dimension.key,
            value=value,
            skipped_reason=skipped_reason.strip()[:REASON_CHARS],
            note=note.strip()[:NOTE_CHARS],
            seconds=_plausible(seconds, assignment),
            guidelines_id=assignment.guidelines_id,
            edit=edit,
            base=base,
            given_by=given_by,
            unfinished=assignment.judge.kind in PEOPLE and not assignment.is_done,
            claim=claim,
            version=version,
        )
        _withdraw_dependent(assignment, step, saved, before)
        _reopen_if_incomplete(assignment)
        if not (is_renewed or assignment.is_done):
            places.keep_lease(assignment)
    ANSWERS.inc()
    return saved


def _reopen_if_incomplete(assignment: Assignment) -> None:
    if assignment.is_done and _open_steps(assignment):
        assignments.reopen(assignment)


def _open_steps(assignment: Assignment) -> list[Step]:
    steps = steps_of(assignment.batch, assignment.item)
    return unanswered(steps, answers_of(assignment))


def _refuse_other_passages(step: Step, value: str) -> None:
    if step.dimension.answer != "spans" or step.dimension.marks != "passages":
        return
    if {span.passage for span in parse_spans(value)} - {source.n for source in step.sources}:
        raise Refused("This passage does not belong to the dimension.")


def _lock(assignment: Assignment, step: Step | None = None) -> bool:
    """Lock the judge, so that no task is finished while one of its answers is withdrawn.

    Return whether the judge finished a task about the step's response in a closed batch.
    """
    judge = Judge.objects.select_for_update(no_key=True).get(pk=assignment.judge_id)
    judge.study = assignment.batch.study
    assignment.judge = judge
    return step is not None and hot_queries.has_closed_task(
        judge.pk, step.unit.response_id, other_than=assignment.batch_id
    )


def _closed_tasks(judge: Any, response: Any, batch: Any) -> "QuerySet[Assignment]":
    """Return the judge's finished tasks about a response in other, closed batches."""
    return Assignment.objects.filter(
        ~Q(batch=batch),
        judge=judge,
        state=Assignment.State.DONE,
        batch__state=Batch.State.CLOSED,
        item__response=response,
    )


def _refuse_closed_answer(assignment: Assignment, step: Step) -> None:
    """Refuse to change an answer that counts in a closed batch."""
    if assignment.judge.kind == Judge.Kind.REFERENCE:
        return
    fixed = _closed_tasks(assignment.judge_id, step.unit.response_id, assignment.batch_id)
    for done in fixed.select_related("batch", "item"):
        covers = done.batch.granularity == Batch.Granularity.RESPONSE or (
            done.item.unit_id == step.unit.pk
        )
        if covers and step.dimension.key in done.batch.dimensions:
            raise Refused(
                f"You answered this in “{done.batch.name}”, which is closed, "
                "so the answer stays as it is."
            )


def refuse_unless_asked(assignment: Assignment, step: Step, edit: str = "") -> None:
    """Refuse an answer from a stale page to a dimension that is no longer asked."""
    if not step.needs:
        return
    answers = answers_of(assignment)
    present = answers.get((step.unit.pk, step.dimension.key))
    if step.is_asked(answers) or (present is not None and is_recorded(present, edit)):
        return
    raise Refused(
        f"“{step.dimension.title}” is not asked after your earlier answer. Reload the page."
    )


def record_passages_seen(assignment: Assignment) -> None:
    """Record when the judge first sees passages, if that locks earlier answers."""
    rows = Assignment.objects.filter(pk=assignment.pk, passages_at__isnull=True)
    if assignment.batch.fixes_first and rows.update(passages_at=timezone.now()):
        assignment.refresh_from_db(fields=["passages_at"])


def is_locked(assignment: Assignment, step: Step) -> bool:
    """Whether an answer given without passages is locked because its judge has seen some."""
    is_first = assignment.batch.fixes_first and step.dimension.sight == "nothing"
    is_rater = assignment.judge.kind != Judge.Kind.REFERENCE
    return is_first and is_rater and assignment.passages_at is not None


def _refuse_after_passages(
    assignment: Assignment, step: Step, value: str, claim: Mapping[str, Any], edit: str
) -> None:
    """Refuse to change an answer, or the words of a claim, that is locked.

    Dimensions without an answer can still be answered.
    """
    if step.shows_passages:
        record_passages_seen(assignment)
    if not is_locked(assignment, step):
        return
    present = step.answer(answers_of(assignment))
    if present is None or is_recorded(present, edit):
        return
    if value and (present.value, present.claim.get("spans")) == (value, claim.get("spans")):
        return
    raise Refused("You have seen the passages, so this answer is locked.")


def _plausible(seconds: float | None, assignment: Assignment) -> float | None:
    """Return the time that the browser measured, at most the time since the assignment."""
    if seconds is None:
        return None
    passed = (timezone.now() - assignment.created_at).total_seconds()
    return round(min(max(seconds, 0.0), passed), 1)


def _claim_text(assignment: Assignment, step: Step) -> str:
    """Return the judge's text of the claim that the step is about."""
    writing = [each.key for each in assignment.batch.dimension_list if each.writes]
    present = Judgment.objects.filter(
        judge=assignment.judge, unit=step.written, dimension__in=writing
    ).first()
    return "" if present is None else str(present.claim.get("text", ""))


def refuse_rewritten_claim(
    assignment: Assignment, step: Step, about: str | None, edit: str = ""
) -> None:
    """Refuse an answer about a claim that its judge has rewritten in another tab.

    `about` is None if the page does not send it.
    """
    if about is None or step.written is None or step.dimension.writes:
        return
    text = _claim_text(assignment, step)
    if written_claims.claim_text(step.written.text, about) == text:
        return
    present = answers_of(assignment).get((step.unit.pk, step.dimension.key))
    if present is None or not is_recorded(present, edit):
        raise Refused(
            f"The claim now reads “{text}”, and this was said of other words. "
            "Reload the page and look at the claim again."
        )


def _claim(assignment: Assignment, step: Step, value: str, words: str) -> dict[str, Any]:
    if not step.dimension.writes or value != IS_WRITTEN:
        return {}
    proposal = written_claims.proposal_for(assignment.batch, step.unit)
    return written_claims.written_claim(step.unit.text, words, proposal)


def _withdraw_dependent(assignment: Assignment, step: Step, saved: Judgment, before: str) -> None:
    """Withdraw answers that depend on this one, and delete their evidence.

    These are answers to dimensions that are no longer asked, and answers about a claim whose text
    has changed.
    """
    if step.dimension.writes:
        if saved.claim.get("text", "") == before:
            return
        dependent = Q(unit=step.unit) | Q(unit__parent=step.unit)
        dependent &= ~Q(dimension=step.dimension.key)
    else:
        protocol = assignment.batch.study.protocol
        dependent = _no_longer_asked(protocol, step.unit, step.dimension.key, saved.value)
        if not dependent:
            return
    Evidence.objects.filter(dependent, judge=assignment.judge).delete()
    answers = Judgment.objects.filter(dependent, judge=assignment.judge)
    for answer in answers.exclude(skipped_reason__in=OPEN_AGAIN).select_related("unit"):
        record_judgment(
            judge=assignment.judge,
            unit=answer.unit,
            dimension=answer.dimension,
            skipped_reason=NOT_ASKED,
            guidelines_id=assignment.guidelines_id,
        )


def _no_longer_asked(protocol: Protocol, unit: Unit, key: str, value: str, path: str = "unit") -> Q:
    """Match answers to dimensions that this answer makes unnecessary, recursively.

    `path` leads from an answer to the unit of the previous dimension.
    """
    found = Q()
    for dimension, condition in protocol.depending_on(key):
        if not named_values(value).isdisjoint(condition.values):
            continue
        whole = condition.of == "response" or path == "unit__response"
        below = "unit__response" if whole else path + "__parent" * (condition.of == "parent")
        about = unit.response_id if whole else unit.pk
        found |= Q(dimension=dimension.key, **{below: about})
        found |= _no_longer_asked(protocol, unit, dimension.key, "", below)
    return found


def contradicts(assignment: Assignment, step: Step) -> bool:
    """Whether this answer contradicts another one in the task."""
    steps, answers = steps_of(assignment.batch, assignment.item), answers_of(assignment)
    return any(one.contradicts(answers) for one in steps if step.key in {one.key, one.whole})


def set_flag(assignment: Assignment, step: Step, *, reason: str, note: str = "") -> Flag:
    """Flag the step's unit, or change the flag."""
    refuse_unless_open(assignment)
    if reason not in Flag.Reason.values:
        raise Refused("Choose what is wrong: " + ", ".join(Flag.Reason.labels) + ".")
    flag, _ = Flag.objects.update_or_create(
        judge=assignment.judge,
        unit=step.unit,
        defaults={"reason": reason, "note": note.strip()[:NOTE_CHARS], "withdrawn_at": None},
    )
    return flag


def withdraw_flag(assignment: Assignment, step: Step) -> None:
    refuse_unless_open(assignment)
    Flag.objects.filter(judge=assignment.judge, unit=step.unit, withdrawn_at__isnull=True).update(
        withdrawn_at=timezone.now()
    )


def finish(assignment: Assignment) -> Assignment:
    """Finish the task, or raise `Unfinished` with the open steps. Idempotent.

    The same transaction ends a practice round or pauses a rater below the gold mark. As for claims,
    the judge is locked before the item.
    """
    with transaction.atomic():
        _lock(assignment)
        refuse_unless_open(assignment)
        if open_steps := _open_steps(assignment):
            raise Unfinished(open_steps)
        done = assignments.finish(assignment)
        if done.judge.kind == Judge.Kind.TRAINEE:
            practice.finish_task(done)
        else:
            gold.after_task(done)
    return done


class Unfinished(Refused):
    def __init__(self, steps: list[Step]) -> None:
        count = len(steps)
        super().__init__(
            f"{count} dimension{'s are' if count > 1 else ' is'} still to be answered. "
            "Answer or skip them, then finish."
        )
        self.steps = steps


MOST_MARKS = 100
"""Marked stretches per judge and dimension."""

Span = tuple[int, int]


def mark(
    assignment: Assignment,
    step: Step,
    source: Source | None,
    span: Span,
    about: str | None = None,
) -> Evidence:
    """Mark a stretch of a passage as evidence, or an unsupported one of the judged text.

    `source` is None for the judged text. `about` are the places of the words of the claim that the
    mark is for. Marking twice has no effect.
    """
    marks_filter = _marks_filter(assignment, step, source)
    refuse_unless_asked(assignment, step)
    refuse_rewritten_claim(assignment, step, about)
    if source is None and step.unit.kind == UnitKind.PAIR:
        raise Refused("Of two answers that are compared, words of their passages are marked.")
    if source is None and step.written is not None:
        raise Refused("A claim of one's own has no words that others would call unsupported.")
    text = step.unit.judged_text if source is None else source.passage.text
    start, end = span
    if not 0 <= start < end <= len(text):
        raise Refused("The marked stretch lies outside the text.")
    present = Evidence.objects.filter(**marks_filter)
    stretch: dict[str, Any] = {"source": source, "start": start, "end": end}
    if present.count() >= MOST_MARKS and not present.filter(**stretch).exists():
        raise Refused(f"More than {MOST_MARKS} stretches cannot be marked for one dimension.")
    return Evidence.objects.get_or_create(**marks_filter, **stretch)[0]


def unmark(assignment: Assignment, step: Step, source: Source | None, span: Span) -> None:
    """Remove a mark, if it exists."""
    marks_filter = _marks_filter(assignment, step, source)
    start, end = span
    Evidence.objects.filter(**marks_filter, source=source, start=start, end=end).delete()


def typed_span(
    step: Step, words: str, *, passage: str, which: str, label: str, severity: str
) -> MarkedSpan:
    """Locate typed words: their `which`th occurrence in the judged text or in a passage."""
    number, text = 0, step.unit.judged_text
    if step.dimension.marks == "passages":
        source = next((one for one in step.sources if str(one.n) == passage), None)
        if source is None:
            raise Refused("Choose the passage in which the words are.")
        number, text = source.n, source.passage.text
    start = -1
    for _ in range(int(which) if which.isdecimal() and len(which) < 4 else 1):
        start = text.find(words, start + 1)
        if start < 0:
            times = f" {which} times" if which not in {"", "1"} else ""
            raise Refused(f"“{words}” does not occur there{times}, sign by sign.")
    return MarkedSpan(number, start, start + len(words), label, severity)


def _marks_filter(assignment: Assignment, step: Step, source: Source | None) -> dict[str, Any]:
    """Return the fields that select the judge's marks on a dimension."""
    refuse_unless_open(assignment)
    if not step.sources:
        raise Refused("Nothing is marked where no passage is in sight.")
    if source is not None and source not in step.sources:
        raise Refused("This passage does not belong to the dimension.")
    return {"judge": assignment.judge, "unit": step.unit, "dimension": step.dimension.key}

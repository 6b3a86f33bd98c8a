"""What a rater does at the desk: answering, flagging, finishing."""

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
    Unit,
    hot_queries,
)
from annotate.protocol.answers import named_values, parse_spans
from annotate.protocol.dimensions import IS_WRITTEN
from annotate.protocol.protocol import Protocol
from annotate.protocol.steps import NOT_ASKED, OPEN_AGAIN, Step, unanswered
from annotate.rating import assignments, gold, practice, task_leases
from annotate.rating.standing import refuse_excluded
from annotate.rating.task_steps import steps_of
from annotate.web.errors import Refused
from annotate.work.telemetry import ANSWERS

REASON_CHARS = 200
NOTE_CHARS = 5_000


def answers_of(assignment: Assignment) -> dict[tuple[int, str], Judgment]:
    """Everything that the judge said about the units of the task's response."""
    rows = Judgment.objects.filter(
        judge=assignment.judge_id, unit__response=assignment.item.response_id
    )
    return {(row.unit_id, row.dimension): row for row in rows}


def refuse_unless_open(assignment: Assignment) -> None:
    """Answers are given and changed until the batch closes, by raters who are not excluded.

    The known answers are written by researchers, at any time.
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
    """Save one answer and renew the lease. A `Conflict` is raised where another tab was faster.

    Where other questions depend on this one, their answers stop standing when it changes, and a
    finished task in which a question is open again goes on. `words` are the places of those that a
    claim is written of, `about` of those of the claim asked about; its rater saw wording `version`.
    """
    if value:
        value = people_answer(step.dimension, value)
        _refuse_out_of_sight(step, value)
    with transaction.atomic():
        is_fixed = _lock(assignment, step)
        is_renewed = task_leases.renew_or_read(assignment)
        refuse_unless_open(assignment)
        if is_fixed:
            _refuse_what_is_fixed(assignment, step)
        practice.refuse_after_feedback(assignment)
        claim = _claim(assignment, step, value, words)
        if assignment.batch.fixes_first:
            _refuse_after_passages(assignment, step, value, claim, edit)
        if skipped_reason not in OPEN_AGAIN:
            refuse_unless_asked(assignment, step, edit)
            refuse_of_other_words(assignment, step, about, edit)
        before = _reading(assignment, step) if step.dimension.writes else ""
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
        _take_back_dependent(assignment, step, saved, before)
        _reopen_where_open(assignment)
        if not (is_renewed or assignment.is_done):
            task_leases.keep(assignment)
    ANSWERS.inc()
    return saved


def _reopen_where_open(assignment: Assignment) -> None:
    """A finished task in which a question is open again goes on."""
    if assignment.is_done and unanswered(
        steps_of(assignment.batch, assignment.item), answers_of(assignment)
    ):
        assignments.reopen(assignment)


def _refuse_out_of_sight(step: Step, value: str) -> None:
    """Words are marked in the passages of the question alone."""
    if step.dimension.answer != "spans" or step.dimension.marks != "passages":
        return
    if {span.passage for span in parse_spans(value)} - {source.n for source in step.sources}:
        raise Refused("This passage does not belong to the dimension.")


def _lock(assignment: Assignment, step: Step | None = None) -> bool:
    """Lock the judge, so that what other requests of theirs changed is read after that.

    Saving and finishing one's tasks happen one after the other, so that no task is finished while
    an answer in it is being taken back. Says whether the judge did a task about the step's
    response in a batch that is closed.
    """
    judge = Judge.objects.select_for_update(no_key=True).get(pk=assignment.judge_id)
    judge.study = assignment.batch.study
    assignment.judge = judge
    return step is not None and hot_queries.has_closed_task(
        judge.pk, step.unit.response_id, other_than=assignment.batch_id
    )


def _fixed(judge: Any, response: Any, batch: Any) -> "QuerySet[Assignment]":
    """The tasks about a response that a judge did in other batches, which are closed."""
    return Assignment.objects.filter(
        ~Q(batch=batch),
        judge=judge,
        state=Assignment.State.DONE,
        batch__state=Batch.State.CLOSED,
        item__response=response,
    )


def _refuse_what_is_fixed(assignment: Assignment, step: Step) -> None:
    """An answer that counts in a batch that is closed does not change by way of another."""
    if assignment.judge.kind == Judge.Kind.REFERENCE:
        return
    fixed = _fixed(assignment.judge_id, step.unit.response_id, assignment.batch_id)
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
    """A question that an earlier answer made unnecessary is not answered by a stale page."""
    if not step.needs:
        return
    answers = answers_of(assignment)
    present = answers.get((step.unit.pk, step.dimension.key))
    if step.is_asked(answers) or (present is not None and is_recorded(present, edit)):
        return
    raise Refused(
        f"“{step.dimension.title}” is not asked after your earlier answer. Reload the page."
    )


def see_passages(assignment: Assignment) -> None:
    """Note, once, that the judge sees passages, where that makes their first answers stand."""
    rows = Assignment.objects.filter(pk=assignment.pk, passages_at__isnull=True)
    if assignment.batch.fixes_first and rows.update(passages_at=timezone.now()):
        assignment.refresh_from_db(fields=["passages_at"])


def stands(assignment: Assignment, step: Step) -> bool:
    """Whether an answer that is given without passages stays, since its judge has seen some."""
    is_first = assignment.batch.fixes_first and step.dimension.sight == "nothing"
    is_rater = assignment.judge.kind != Judge.Kind.REFERENCE
    return is_first and is_rater and assignment.passages_at is not None


def _refuse_after_passages(
    assignment: Assignment, step: Step, value: str, claim: Mapping[str, Any], edit: str
) -> None:
    """What was answered before passages were seen stays, with the words of a claim; what was not,
    can still be answered."""
    if step.shows_passages:
        see_passages(assignment)
    if not stands(assignment, step):
        return
    present = step.answer(answers_of(assignment))
    if present is None or is_recorded(present, edit):
        return
    if value and (present.value, present.claim.get("spans")) == (value, claim.get("spans")):
        return
    raise Refused("You have seen the passages, so this answer is locked.")


def _plausible(seconds: float | None, assignment: Assignment) -> float | None:
    """Time that the browser measured; never more than has passed since the task was given."""
    if seconds is None:
        return None
    passed = (timezone.now() - assignment.created_at).total_seconds()
    return round(min(max(seconds, 0.0), passed), 1)


def _reading(assignment: Assignment, step: Step) -> str:
    """What the judge has written as the claim that the step is about."""
    writing = [each.key for each in assignment.batch.dimension_list if each.writes]
    present = Judgment.objects.filter(
        judge=assignment.judge, unit=step.written, dimension__in=writing
    ).first()
    return "" if present is None else str(present.claim.get("text", ""))


def refuse_of_other_words(
    assignment: Assignment, step: Step, about: str | None, edit: str = ""
) -> None:
    """What was said about a claim before its judge wrote it anew, elsewhere, is not taken for
    something about what it reads now. `about` is None where it is not told."""
    if about is None or step.written is None or step.dimension.writes:
        return
    reading = _reading(assignment, step)
    if written_claims.claim_text(step.written.text, about) == reading:
        return
    present = answers_of(assignment).get((step.unit.pk, step.dimension.key))
    if present is None or not is_recorded(present, edit):
        raise Refused(
            f"The claim now reads “{reading}”, and this was said of other words. "
            "Reload the page and look at the claim again."
        )


def _claim(assignment: Assignment, step: Step, value: str, words: str) -> dict[str, Any]:
    if not step.dimension.writes or value != IS_WRITTEN:
        return {}
    proposal = written_claims.proposal_for(assignment.batch, step.unit)
    return written_claims.written_claim(step.unit.text, words, proposal)


def _take_back_dependent(assignment: Assignment, step: Step, saved: Judgment, before: str) -> None:
    """What was said about questions that are not asked after this one, or about a claim that reads
    otherwise now: answers become past ones, and what was marked for them is unmarked."""
    if step.dimension.writes:
        if saved.claim.get("text", "") == before:
            return
        hanging = Q(unit=step.unit) | Q(unit__parent=step.unit)
        hanging &= ~Q(dimension=step.dimension.key)
    else:
        protocol = assignment.batch.study.protocol
        hanging = _unasked(protocol, step.unit, step.dimension.key, saved.value)
        if not hanging:
            return
    Evidence.objects.filter(hanging, judge=assignment.judge).delete()
    answers = Judgment.objects.filter(hanging, judge=assignment.judge)
    for answer in answers.exclude(skipped_reason__in=OPEN_AGAIN).select_related("unit"):
        record_judgment(
            judge=assignment.judge,
            unit=answer.unit,
            dimension=answer.dimension,
            skipped_reason=NOT_ASKED,
            guidelines_id=assignment.guidelines_id,
        )


def _unasked(protocol: Protocol, unit: Unit, key: str, value: str, path: str = "unit") -> Q:
    """The answers to questions that are not asked after this one, nor after those in turn. `path`
    leads from an answer to the unit that the question before was about."""
    found = Q()
    for dimension, condition in protocol.depending_on(key):
        if not named_values(value).isdisjoint(condition.values):
            continue
        whole = condition.of == "response" or path == "unit__response"
        below = "unit__response" if whole else path + "__parent" * (condition.of == "parent")
        about = unit.response_id if whole else unit.pk
        found |= Q(dimension=dimension.key, **{below: about})
        found |= _unasked(protocol, unit, dimension.key, "", below)
    return found


def contradicts(assignment: Assignment, step: Step) -> bool:
    """Whether the answer to this question and another one in the task contradict each other."""
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
    """Finish the task, or say which questions are still open. Twice is once.

    What follows from it is done in the same transaction: a round of practice ends, or a rater
    whose answers to gold are under the mark is paused. As when claiming, the judge is locked
    before the item.
    """
    steps = steps_of(assignment.batch, assignment.item)
    with transaction.atomic():
        _lock(assignment)
        refuse_unless_open(assignment)
        open_steps = unanswered(steps, answers_of(assignment))
        if open_steps:
            raise Unfinished(open_steps)
        done = assignments.finish(assignment)
        if done.judge.kind == Judge.Kind.TRAINEE:
            practice.finish_task(done)
        else:
            gold.after_task(done)
    return done


class Unfinished(Refused):
    """Dimensions are still to be answered."""

    def __init__(self, steps: list[Step]) -> None:
        count = len(steps)
        super().__init__(
            f"{count} dimension{'s are' if count > 1 else ' is'} still to be answered. "
            "Answer or skip them, then finish."
        )
        self.steps = steps

"""Start, pause, resume, retry, cancel and delete runs of automatic judges."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from random import Random

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotate.exchange.deletion import stopping
from annotate.models import (
    Batch,
    BatchItem,
    Evidence,
    Judge,
    Judgment,
    PastJudgment,
    Removal,
    Response,
    Study,
    System,
    User,
)
from annotate.studies import quotas
from annotate.web import audit
from annotate.web.errors import Refused
from annotate.work import jobs
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking_models import fixed_settings, wants_batches
from evaluation.language_models.connections import (
    connection_of,
    refuse_disallowed,
    refuse_others_connection,
    refuse_unpriced,
)
from evaluation.models import Connection, Measure, Run, Shard
from evaluation.models.calls import open_batches
from evaluation.runs.judging import judge_name_of
from evaluation.runs.queue import BUDGET_SPENT, send_next, tell_end
from evaluation.runs.trials import MOST as MOST_TRIED

State = Run.State

CHUNK = 2_000

MOST_BUDGET = 10**10
"""The largest budget in dollars that the database can hold."""


def create(
    study: Study,
    settings: JudgeSettings,
    *,
    systems: Sequence[System] = (),
    batch: Batch | None = None,
    missing_only: bool = True,
    questions: int | None = None,
    starts_itself: bool = False,
    by: User | None = None,
    by_operator: bool = False,
    queued: bool = True,
    budget: Decimal | None = None,
    dry_units: int = 0,
) -> Run:
    """Create a run, which a worker then plans, or the caller if not `queued`.

    A run pauses when it has spent its `budget` (USD). A trial asks about `dry_units` units and
    stores no judgments.
    """
    connection = refuse_disallowed(settings, study, by, by_operator=by_operator)
    if budget is not None:
        refuse_budget(settings, connection, budget)
    if settings.spec.of_forms:
        assert connection is not None
        settings = fixed_settings(study, settings, connection)
    if not 0 <= dry_units <= MOST_TRIED:
        raise Refused(f"A trial is of up to {MOST_TRIED} units.")
    if dry_units and not settings.spec.of_forms:
        raise Refused("Only a language model is tried: other judges cost nothing.")
    if dry_units and wants_batches(settings):
        raise Refused("A trial is answered at once. Leave batches out.")
    foreign = [system.name for system in systems if system.study_id != study.pk]
    if foreign or (batch is not None and batch.study_id != study.pk):
        raise Refused("Systems and batch must be of the study.")
    quotas.refuse_work(study, by)
    with transaction.atomic():
        run = Run.objects.create(
            study=study,
            judge_name=settings.judge,
            settings=settings.as_json(),
            systems=sorted(system.pk for system in systems),
            batch=batch,
            missing_only=missing_only,
            questions=questions,
            queue=queue_for(settings, connection),
            starts_itself=starts_itself,
            budget=budget,
            dry_units=dry_units,
            created_by=by,
            by_operator=by_operator,
        )
        audit.note("run-started", run, by=by, judge=settings.judge)
    if queued:
        transaction.on_commit(lambda: send_next(run.queue))
    return run


def refuse_budget(
    settings: JudgeSettings | None, connection: Connection | None, budget: Decimal
) -> None:
    """Refuse a budget that cannot be enforced."""
    if settings is None or not settings.spec.of_forms or connection is None:
        raise Refused("Only a language model has a budget.")
    if not (budget.is_finite() and 0 < budget < MOST_BUDGET):
        raise Refused(
            f"Expected a budget of more than nothing and less than {MOST_BUDGET:,} dollars."
        )
    refuse_unpriced(connection)


def chosen_responses(run: Run, systems: Iterable[System]) -> QuerySet[Response]:
    current = Response.objects.current().filter(study=run.study, system__in=systems)
    if run.systems:
        current = current.filter(system__in=run.systems)
    if run.batch_id is not None:
        in_batch = BatchItem.objects.filter(batch=run.batch_id).values("response")
        current = current.filter(pk__in=in_batch)
    return in_sample(current, run.study, run.questions)


def in_sample(
    responses: QuerySet[Response], study: Study, questions: int | None
) -> QuerySet[Response]:
    """Limit responses to a sample of questions. The study's seed draws it, so that all judges
    get the same questions."""
    if questions is None:
        return responses
    known = responses.order_by().values_list("question__external_id", flat=True).distinct()
    return responses.filter(question__external_id__in=sampled_questions(known, study, questions))


def sampled_questions(known: Iterable[str], study: Study, questions: int) -> list[str]:
    """Return the ids of at most `questions` questions, drawn by the study's seed."""
    ids = sorted(known)
    return Random(study.seed).sample(ids, min(questions, len(ids)))  # noqa: S311


def queue_for(settings: JudgeSettings, connection: Connection | None = None) -> Run.Queue:
    """Return the queue of a judge: models and calls to other machines occupy a worker for
    long."""
    if connection is not None and connection.mode == Connection.Mode.LOCAL:
        return Run.Queue.ENTAILMENT
    if settings.calls_outside:
        return Run.Queue.OUTSIDE
    return Run.Queue.ENTAILMENT if settings.wants_a_gpu else Run.Queue.DEFAULT


def start(
    run: Run, *, by: User | None = None, queued: bool = True, budget: Decimal | None = None
) -> None:
    """Start a planned run, with a new budget if one is given. `by` is the person who asks."""
    refuse_others_connection(run, by)
    with transaction.atomic():
        # Serialise starts of the same judge.
        Study.objects.select_for_update(no_key=True).get(pk=run.study_id)
        locked = _locked(run)
        if locked.state != State.PLANNED:
            raise Refused(f"It cannot be started: it is {_state_of(locked)}.")
        _set_budget(locked, budget, by)
        _refuse_concurrent_run(locked)
        quotas.refuse_work(locked.study, locked.created_by)
        quotas.refuse_rows(locked.study, None, _new_judgments(locked))
        now = timezone.now()
        is_empty = not locked.shards.exists()
        locked.state = State.DONE if is_empty else State.RUNNING
        locked.started_at = locked.resumed_at = now
        locked.finished_at = now if is_empty else None
        locked.error = ""
        locked.save(
            update_fields=["state", "started_at", "resumed_at", "finished_at", "error", "budget"]
        )
        if is_empty:
            tell_end(locked)
    run.refresh_from_db()
    if queued:
        transaction.on_commit(lambda: send_next(run.queue))


def _set_budget(run: Run, budget: Decimal | None, by: User | None) -> None:
    """Store a new budget if there is one; refuse one that is spent or cannot be enforced."""
    if budget is not None:
        settings = JudgeSettings(**run.settings)
        refuse_budget(settings, connection_of(run, settings), budget)
        if budget != run.budget:
            audit.note("run-budget", run, by=by, before=run.budget, after=budget)
        run.budget = budget
    if run.is_spent:
        raise Refused(BUDGET_SPENT)


def _new_judgments(run: Run) -> int:
    """Return the largest number of new judgments that the run can store."""
    planned: int = sum(run.plan.get("judgments", {}).values())
    here = Judgment.objects.filter(
        judge__study=run.study_id, judge__name=judge_name_of(run.signature)
    )
    return planned if run.missing_only else max(0, planned - here.count())


def _refuse_concurrent_run(run: Run) -> None:
    """Refuse a run while another run of the same judge may write in its study."""
    others = Run.objects.filter(study=run.study_id, signature=run.signature).exclude(pk=run.pk)
    other = others.filter(state__in=[State.RUNNING, State.PAUSED]).first()
    if other is not None:
        raise Refused(
            f"This judge is at work in this study already, in run {other.pk}. Wait for that run "
            "to end, or cancel it on its page."
        )
    discarded = others.filter(
        state=State.CANCELLED, discards=True, shards__state=Shard.State.DONE
    ).first()
    if discarded is not None:
        raise Refused(
            f"What this judge found in run {discarded.pk} is being taken back. Try again in a "
            "minute."
        )


def pause(run: Run) -> None:
    """Pause a run. Parts in work return to the queue; nothing is lost."""
    with transaction.atomic():
        locked = _locked(run)
        if locked.state != State.RUNNING:
            raise Refused(f"It cannot be paused: it is {_state_of(locked)}.")
        locked.state = State.PAUSED
        locked.save(update_fields=["state"])
        audit.note("run-paused", locked)
    run.refresh_from_db()


def resume(run: Run, *, by: User | None = None, budget: Decimal | None = None) -> None:
    """Continue a paused run, with a new budget if there is one."""
    refuse_others_connection(run, by)
    with transaction.atomic():
        locked = _locked(run)
        if locked.state != State.PAUSED:
            raise Refused(f"It cannot go on: it is {_state_of(locked)}.")
        _set_budget(locked, budget, by)
        quotas.refuse_work(locked.study, locked.created_by)
        _continue(locked)
        audit.note("run-resumed", locked, by=by)
    run.refresh_from_db()
    transaction.on_commit(lambda: send_next(run.queue))


def retry(run: Run, *, by: User | None = None) -> None:
    """Retry the failed parts, and the parts that a failed run did not reach."""
    refuse_others_connection(run, by)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=run.study_id)
        locked = _locked(run)
        if locked.state != State.FAILED:
            raise Refused(f"Nothing failed: it is {_state_of(locked)}.")
        quotas.refuse_work(locked.study, locked.created_by)
        if not locked.signature:
            locked.state = State.PLANNING
            locked.error = locked.error_place = ""
            locked.finished_at = None
            locked.reset_attempts()
            locked.save()
        else:
            _refuse_concurrent_run(locked)
            locked.shards.filter(state=Shard.State.FAILED).update(
                state=Shard.State.WAITING,
                attempts=0,
                deaths=0,
                error="",
                error_place="",
                finished_at=None,
                sent_at=None,
            )
            _continue(locked)
        audit.note("run-resumed", locked, by=by)
    run.refresh_from_db()
    transaction.on_commit(lambda: send_next(run.queue))


def cancel(run: Run, *, keep: bool = True) -> None:
    """Stop a run for good, and keep or discard its judgments."""
    with transaction.atomic():
        locked = _locked(run)
        if locked.is_over:
            raise Refused(f"It cannot be cancelled: it is {_state_of(locked)}.")
        locked.state = State.CANCELLED
        locked.discards = not keep
        locked.finished_at = timezone.now()
        locked.lease_token, locked.lease_until = "", None
        locked.save()
        audit.note("run-cancelled", locked, keep=keep)
    # No part writes after this, because each checks the run's state first. The next poll of an
    # open batch cancels it.
    open_batches(run).update(due_at=timezone.now(), looks=0, sent_at=None)
    if not keep:
        discard(run)
    run.refresh_from_db()


@stopping
def cancel_runs_of_removed(removal: Removal) -> None:
    """Cancel runs that judge something that is being deleted."""
    over = [State.DONE, State.FAILED, State.CANCELLED]
    for run in Run.objects.filter(study=removal.study_id).exclude(state__in=over):
        of_system = removal.system_id is None or removal.system_id in run.systems or not run.systems
        of_batch = removal.batch_id is None or removal.batch_id == run.batch_id
        if of_system and of_batch:
            with suppress(Refused):  # it just ended
                cancel(run)


def discard(run: Run) -> None:
    """Discard what a cancelled run wrote, one part at a time. A worker continues after an
    interruption: a discarded part is in the state WAITING."""
    run.refresh_from_db()
    done = run.shards.filter(state=Shard.State.DONE).order_by("number")
    for key in list(done.values_list("pk", flat=True)):
        with transaction.atomic():
            shard = done.select_for_update(of=("self",), no_key=True).filter(pk=key).first()
            if shard is not None:
                _undo(run, shard)
    if run.judge_id is None:
        return
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=run.study_id)
        working = Run.objects.filter(
            study=run.study_id,
            signature=run.signature,
            state__in=[State.RUNNING, State.PAUSED],
        )
        judge = Judge.objects.select_for_update().filter(pk=run.judge_id).first()
        unused = judge and not any(
            rows.exists() for rows in (judge.judgments, judge.measures, judge.juries)
        )
        if judge is not None and unused and not working.exists():
            judge.delete()


@jobs.swept
def continue_discards(_: datetime) -> None:
    """Continue discards that were interrupted."""
    done = Shard.objects.filter(state=Shard.State.DONE).values("run")
    for run in Run.objects.filter(state=State.CANCELLED, discards=True, pk__in=done):
        discard(run)


RESTORED = ("value", "skipped_reason", "score", "note", "seconds", "wording", "created_at")


def _undo(run: Run, shard: Shard) -> None:
    """Undo the writes of one part, and restore the answers of earlier runs."""
    written = Judgment.objects.filter(
        judge=run.judge_id, unit__response__in=shard.responses, created_at__gte=run.started_at
    )
    earlier: dict[int, PastJudgment] = {}
    past_answers = PastJudgment.objects.filter(judgment__in=written, created_at__lt=run.started_at)
    for past in past_answers.order_by("pk"):
        earlier[past.judgment_id] = past
    PastJudgment.objects.filter(judgment__in=written, created_at__gte=run.started_at).delete()
    PastJudgment.objects.filter(pk__in=[past.pk for past in earlier.values()]).delete()
    for judgment in written.filter(pk__in=list(earlier)):
        past = earlier[judgment.pk]
        for name in RESTORED:
            setattr(judgment, name, getattr(past, name))
        judgment.save()
    written.delete()
    Evidence.objects.filter(
        judge=run.judge_id, unit__response__in=shard.responses, created_at__gte=run.started_at
    ).delete()
    measured_before = shard.outcome.get("measured_before", [])
    measures = Measure.objects.filter(judge=run.judge_id, response__in=shard.responses)
    measures.exclude(response__in=measured_before).delete()
    shard.state = Shard.State.WAITING
    shard.finished_at = None
    shard.outcome = {}
    shard.save(update_fields=["state", "finished_at", "outcome"])


def delete(run: Run) -> None:
    """Delete a run that is over. Its judgments stay."""
    with transaction.atomic():
        locked = _locked(run)
        if not locked.is_over and locked.state != State.PLANNED:
            raise Refused(f"It cannot be removed: it is {_state_of(locked)}. Cancel it first.")
        if open_batches(locked).exists():
            raise Refused(
                "It cannot be removed while its batches are open, because their answers are kept. "
                "Try again when they have ended."
            )
        if locked.discards and locked.shards.filter(state=Shard.State.DONE).exists():
            raise Refused("It cannot be removed yet: what it found is being taken back.")
        audit.note("run-deleted", locked)
        locked.delete()


def _continue(run: Run) -> None:
    run.state = State.RUNNING
    run.error = run.error_place = ""
    run.finished_at = None
    run.resumed_at = timezone.now()
    run.share_then = share_done(run)
    run.save()
    run.shards.filter(state=Shard.State.WAITING).update(sent_at=None)


def share_done(run: Run) -> float:
    """Return the share of a run that is done (0 to 1), including progress of parts in work."""
    done = 0.0
    rows = run.shards.exclude(state=Shard.State.WAITING)
    for state, size, answered, total in rows.values_list("state", "size", "answered", "total"):
        if state == Shard.State.WORKING:
            done += size * (answered / total if total else 0)
        else:
            done += size
    everything = run.plan.get("responses", 0)
    return min(1.0, done / everything) if everything else 0.0


def _locked(run: Run) -> Run:
    return Run.objects.select_for_update(of=("self",), no_key=True).get(pk=run.pk)


def _state_of(run: Run) -> str:
    return run.get_state_display().lower()

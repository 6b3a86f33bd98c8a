"""Starting, stopping and repeating automatic evaluations."""

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
from evaluation.language_models.allowed import (
    connection_of,
    refuse_at_anothers_cost,
    refuse_foreign,
)
from evaluation.language_models.asking_models import as_asked, wants_batches
from evaluation.language_models.connections import refuse_unpriced
from evaluation.models import Connection, Measure, Run, Shard
from evaluation.models.batches import open_batches
from evaluation.runs.judging import name_of
from evaluation.runs.queue import SPENT, send_next, tell_end
from evaluation.runs.trials import MOST as MOST_TRIED

State = Run.State

CHUNK = 2_000

MOST_BUDGET = 10**10
"""Dollars, as the database keeps them."""


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
    """A run, which a worker plans next. Not `queued`: somebody plans it here. One with a `budget`,
    in dollars, is paused when it has spent it. A trial asks about so many units (`dry_units`) and
    judges nothing."""
    connection = refuse_foreign(settings, study, by, by_operator=by_operator)
    if budget is not None:
        refuse_budget(settings, connection, budget)
    if settings.spec.of_forms:
        assert connection is not None
        settings = as_asked(study, settings, connection)
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
            queue=queue_of(settings, connection),
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


def refuse_budget(settings: JudgeSettings, connection: Connection | None, budget: Decimal) -> None:
    """Refuse a budget that nobody could keep."""
    if not settings.spec.of_forms or connection is None:
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
        given = BatchItem.objects.filter(batch=run.batch_id).values("response")
        current = current.filter(pk__in=given)
    return in_sample(current, run.study, run.questions)


def in_sample(
    responses: QuerySet[Response], study: Study, questions: int | None
) -> QuerySet[Response]:
    """Those to at most so many questions, drawn by the study's seed: of the same responses always
    the same ones, so that judges stay comparable."""
    if questions is None:
        return responses
    known = responses.order_by().values_list("question__external_id", flat=True).distinct()
    return responses.filter(question__external_id__in=drawn(known, study, questions))


def drawn(known: Iterable[str], study: Study, questions: int) -> list[str]:
    """The ids of at most so many questions."""
    ids = sorted(known)
    return Random(study.seed).sample(ids, min(questions, len(ids)))  # noqa: S311


def queue_of(settings: JudgeSettings, connection: Connection | None = None) -> Run.Queue:
    """Where its work belongs: models and calls to other machines hold a worker for long."""
    if connection is not None and connection.mode == Connection.Mode.LOCAL:
        return Run.Queue.ENTAILMENT
    if settings.calls_outside:
        return Run.Queue.OUTSIDE
    return Run.Queue.ENTAILMENT if settings.wants_a_gpu else Run.Queue.DEFAULT


def start(
    run: Run, *, by: User | None = None, queued: bool = True, budget: Decimal | None = None
) -> None:
    """Begin what was planned, with another budget if there is one. `by` is who asks, if somebody
    does."""
    refuse_at_anothers_cost(run, by)
    with transaction.atomic():
        # Of two starts of the same judge, one sees the other.
        Study.objects.select_for_update(no_key=True).get(pk=run.study_id)
        locked = _locked(run)
        if locked.state != State.PLANNED:
            raise Refused(f"It cannot be started: it is {_is(locked)}.")
        _take_budget(locked, budget, by)
        _refuse_beside_another(locked)
        quotas.refuse_work(locked.study, locked.created_by)
        quotas.refuse_rows(locked.study, None, _new_judgments(locked))
        now = timezone.now()
        nothing = not locked.shards.exists()
        locked.state = State.DONE if nothing else State.RUNNING
        locked.started_at = locked.resumed_at = now
        locked.finished_at = now if nothing else None
        locked.error = ""
        locked.save(
            update_fields=["state", "started_at", "resumed_at", "finished_at", "error", "budget"]
        )
        if nothing:
            tell_end(locked)
    run.refresh_from_db()
    if queued:
        transaction.on_commit(lambda: send_next(run.queue))


def _take_budget(run: Run, budget: Decimal | None, by: User | None) -> None:
    """Another budget, where one is given; refuse one that cannot be kept, or is spent."""
    if budget is not None:
        settings = JudgeSettings(**run.settings)
        refuse_budget(settings, connection_of(run, settings), budget)
        if budget != run.budget:
            audit.note("run-budget", run, by=by, before=run.budget, after=budget)
        run.budget = budget
    if run.is_spent:
        raise Refused(SPENT)


def _new_judgments(run: Run) -> int:
    """How many judgments it will write at most that are not here yet."""
    planned: int = sum(run.plan.get("judgments", {}).values())
    here = Judgment.objects.filter(judge__study=run.study_id, judge__name=name_of(run.signature))
    return planned if run.missing_only else max(0, planned - here.count())


def _refuse_beside_another(run: Run) -> None:
    """Refuse to work on a run while another one of the same judge may write in its study."""
    others = Run.objects.filter(study=run.study_id, signature=run.signature).exclude(pk=run.pk)
    other = others.filter(state__in=[State.RUNNING, State.PAUSED]).first()
    if other is not None:
        raise Refused(
            f"This judge is at work in this study already, in run {other.pk}. Wait for that run "
            "to end, or cancel it on its page."
        )
    taken_back = others.filter(
        state=State.CANCELLED, discards=True, shards__state=Shard.State.DONE
    ).first()
    if taken_back is not None:
        raise Refused(
            f"What this judge found in run {taken_back.pk} is being taken back. Try again in a "
            "minute."
        )


def pause(run: Run) -> None:
    """Stop for a while. What is being worked on goes back to where it was; nothing is lost."""
    with transaction.atomic():
        locked = _locked(run)
        if locked.state != State.RUNNING:
            raise Refused(f"It cannot be paused: it is {_is(locked)}.")
        locked.state = State.PAUSED
        locked.save(update_fields=["state"])
        audit.note("run-paused", locked)
    run.refresh_from_db()


def resume(run: Run, *, by: User | None = None, budget: Decimal | None = None) -> None:
    """Go on after a pause, with another budget if there is one."""
    refuse_at_anothers_cost(run, by)
    with transaction.atomic():
        locked = _locked(run)
        if locked.state != State.PAUSED:
            raise Refused(f"It cannot go on: it is {_is(locked)}.")
        _take_budget(locked, budget, by)
        quotas.refuse_work(locked.study, locked.created_by)
        _go_on(locked)
        audit.note("run-resumed", locked, by=by)
    run.refresh_from_db()
    transaction.on_commit(lambda: send_next(run.queue))


def retry(run: Run, *, by: User | None = None) -> None:
    """Try the failed parts again, and those that a failed run never came to."""
    refuse_at_anothers_cost(run, by)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=run.study_id)
        locked = _locked(run)
        if locked.state != State.FAILED:
            raise Refused(f"Nothing failed: it is {_is(locked)}.")
        quotas.refuse_work(locked.study, locked.created_by)
        if not locked.signature:
            locked.state = State.PLANNING
            locked.error = locked.error_place = ""
            locked.finished_at = None
            locked.ask_anew()
            locked.save()
        else:
            _refuse_beside_another(locked)
            locked.shards.filter(state=Shard.State.FAILED).update(
                state=Shard.State.WAITING,
                attempts=0,
                deaths=0,
                error="",
                error_place="",
                finished_at=None,
                sent_at=None,
            )
            _go_on(locked)
        audit.note("run-resumed", locked, by=by)
    run.refresh_from_db()
    transaction.on_commit(lambda: send_next(run.queue))


def cancel(run: Run, *, keep: bool = True) -> None:
    """Stop for good. What was judged so far is kept, or taken back."""
    with transaction.atomic():
        locked = _locked(run)
        if locked.is_over:
            raise Refused(f"It cannot be cancelled: it is {_is(locked)}.")
        locked.state = State.CANCELLED
        locked.discards = not keep
        locked.finished_at = timezone.now()
        locked.lease_token, locked.lease_until = "", None
        locked.save()
        audit.note("run-cancelled", locked, keep=keep)
    # From here on no shard is written any more: each looks at the run's state before. What is out
    # is cancelled by whoever looks at it next.
    open_batches(run).update(due_at=timezone.now(), looks=0, sent_at=None)
    if not keep:
        discard(run)
    run.refresh_from_db()


@stopping
def cancel_what_judges(removal: Removal) -> None:
    """What is deleted is judged no further."""
    over = [State.DONE, State.FAILED, State.CANCELLED]
    for run in Run.objects.filter(study=removal.study_id).exclude(state__in=over):
        of_system = removal.system_id is None or removal.system_id in run.systems or not run.systems
        of_batch = removal.batch_id is None or removal.batch_id == run.batch_id
        if of_system and of_batch:
            with suppress(Refused):  # it has just ended
                cancel(run)


def discard(run: Run) -> None:
    """Take back what a cancelled run wrote, part by part; where it is interrupted, a worker goes
    on with it. A part that was taken back is a part that waits."""
    run.refresh_from_db()
    done = run.shards.filter(state=Shard.State.DONE).order_by("number")
    for key in list(done.values_list("pk", flat=True)):
        with transaction.atomic():
            shard = done.select_for_update(of=("self",), no_key=True).filter(pk=key).first()
            if shard is not None:
                _take_back(run, shard)
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
def go_on_discarding(_: datetime) -> None:
    """Take back the rest of what a cancelled run wrote, where that was interrupted."""
    done = Shard.objects.filter(state=Shard.State.DONE).values("run")
    for run in Run.objects.filter(state=State.CANCELLED, discards=True, pk__in=done):
        discard(run)


RESTORED = ("value", "skipped_reason", "score", "note", "seconds", "wording", "created_at")


def _take_back(run: Run, shard: Shard) -> None:
    """Undo what was written with a shard. What an earlier run had found is there again."""
    written = Judgment.objects.filter(
        judge=run.judge_id, unit__response__in=shard.responses, created_at__gte=run.started_at
    )
    earlier: dict[int, PastJudgment] = {}
    of_before = PastJudgment.objects.filter(judgment__in=written, created_at__lt=run.started_at)
    for past in of_before.order_by("pk"):
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
    """Forget a run that is over. What it found stays."""
    with transaction.atomic():
        locked = _locked(run)
        if not locked.is_over and locked.state != State.PLANNED:
            raise Refused(f"It cannot be removed: it is {_is(locked)}. Cancel it first.")
        if open_batches(locked).exists():
            raise Refused(
                "It cannot be removed while its batches are open, because their answers are kept. "
                "Try again when they have ended."
            )
        if locked.discards and locked.shards.filter(state=Shard.State.DONE).exists():
            raise Refused("It cannot be removed yet: what it found is being taken back.")
        audit.note("run-deleted", locked)
        locked.delete()


def _go_on(run: Run) -> None:
    run.state = State.RUNNING
    run.error = run.error_place = ""
    run.finished_at = None
    run.resumed_at = timezone.now()
    run.share_then = share_done(run)
    run.save()
    run.shards.filter(state=Shard.State.WAITING).update(sent_at=None)  # they are sent anew


def share_done(run: Run) -> float:
    """How much of a run is done, from 0 to 1: its shards, and what is known of those at work."""
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


def _is(run: Run) -> str:
    return run.get_state_display().lower()

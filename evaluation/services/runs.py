"""Starting, stopping and repeating automatic evaluations."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from annotate.models import Batch, Judge, Judgment, PastJudgment, Study, System, User
from annotate.services.errors import Refused
from evaluation.judge_settings import JudgeSettings
from evaluation.models import Measure, Run, Shard
from evaluation.services.run_queue import send_plan, send_shards

State = Run.State

CHUNK = 2_000


def create(
    study: Study,
    settings: JudgeSettings,
    *,
    systems: Sequence[System] = (),
    batch: Batch | None = None,
    missing_only: bool = True,
    starts_itself: bool = False,
    by: User | None = None,
    queued: bool = True,
) -> Run:
    """A run, which a worker plans next. Not `queued`: somebody plans it here."""
    foreign = [system.name for system in systems if system.study_id != study.pk]
    if foreign or (batch is not None and batch.study_id != study.pk):
        raise Refused("Systems and batch must be of the study.")
    run = Run.objects.create(
        study=study,
        judge_name=settings.judge,
        settings=settings.as_json(),
        systems=sorted(system.pk for system in systems),
        batch=batch,
        missing_only=missing_only,
        queue=Run.Queue.ENTAILMENT if settings.wants_a_gpu else Run.Queue.DEFAULT,
        starts_itself=starts_itself,
        created_by=by,
    )
    if queued:
        transaction.on_commit(lambda: send_plan(run))
    return run


def start(run: Run, *, queued: bool = True) -> None:
    """Begin what was planned."""
    with transaction.atomic():
        # Of two starts of the same judge, one sees the other.
        Study.objects.select_for_update(no_key=True).get(pk=run.study_id)
        locked = _locked(run)
        if locked.state != State.PLANNED:
            raise Refused(f"It cannot be started: it is {_is(locked)}.")
        other = Run.objects.filter(
            study=run.study_id,
            signature=locked.signature,
            state__in=[State.RUNNING, State.PAUSED],
        ).first()
        if other is not None:
            raise Refused("This judge is at work in this study already. Wait for that run to end.")
        now = timezone.now()
        nothing = not locked.shards.exists()
        locked.state = State.DONE if nothing else State.RUNNING
        locked.started_at = locked.resumed_at = now
        locked.finished_at = now if nothing else None
        locked.save(update_fields=["state", "started_at", "resumed_at", "finished_at"])
    run.refresh_from_db()
    if queued:
        transaction.on_commit(lambda: _send_waiting(run))


def pause(run: Run) -> None:
    """Stop for a while. What is being worked on goes back to where it was; nothing is lost."""
    with transaction.atomic():
        locked = _locked(run)
        if locked.state != State.RUNNING:
            raise Refused(f"It cannot be paused: it is {_is(locked)}.")
        locked.state = State.PAUSED
        locked.save(update_fields=["state"])
    run.refresh_from_db()


def resume(run: Run) -> None:
    """Go on after a pause."""
    with transaction.atomic():
        locked = _locked(run)
        if locked.state != State.PAUSED:
            raise Refused(f"It cannot go on: it is {_is(locked)}.")
        _go_on(locked)
    run.refresh_from_db()
    transaction.on_commit(lambda: _send_waiting(run))


def retry(run: Run) -> None:
    """Try the failed parts again, and those that a failed run never came to."""
    with transaction.atomic():
        locked = _locked(run)
        if locked.state != State.FAILED:
            raise Refused(f"Nothing failed: it is {_is(locked)}.")
        if not locked.signature:
            locked.state = State.PLANNING
            locked.error = locked.error_place = ""
            locked.finished_at = locked.sent_at = None
            locked.save()
        else:
            locked.shards.filter(state=Shard.State.FAILED).update(
                state=Shard.State.WAITING,
                attempts=0,
                error="",
                error_place="",
                finished_at=None,
                sent_at=None,
            )
            _go_on(locked)
    run.refresh_from_db()
    if run.state == State.PLANNING:
        transaction.on_commit(lambda: send_plan(run))
    else:
        transaction.on_commit(lambda: _send_waiting(run))


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
    # From here on no shard is written any more: each looks at the run's state before.
    if not keep:
        discard(run)
    run.refresh_from_db()


def discard(run: Run) -> int:
    """Take back what the run wrote; how many judgments that were."""
    run.refresh_from_db()
    if run.judge_id is None or run.started_at is None:
        return 0
    count = 0
    done = run.shards.filter(state=Shard.State.DONE)
    for responses in done.values_list("responses", flat=True).iterator():
        written = Judgment.objects.filter(
            judge=run.judge_id, unit__response__in=responses, created_at__gte=run.started_at
        )
        with transaction.atomic():
            PastJudgment.objects.filter(judgment__in=written).delete()
            count += written.delete()[0]
            Measure.objects.filter(judge=run.judge_id, response__in=responses).delete()
    with transaction.atomic():
        judge = Judge.objects.select_for_update().get(pk=run.judge_id)
        if not judge.judgments.exists() and not judge.measures.exists():
            judge.delete()
    return count


def delete(run: Run) -> None:
    """Forget a run that is over. What it found stays."""
    with transaction.atomic():
        locked = _locked(run)
        if not locked.is_over and locked.state != State.PLANNED:
            raise Refused(f"It cannot be removed: it is {_is(locked)}. Cancel it first.")
        locked.delete()


def _go_on(run: Run) -> None:
    run.state = State.RUNNING
    run.error = run.error_place = ""
    run.finished_at = None
    run.resumed_at = timezone.now()
    run.share_then = share_done(run)
    run.save()


def share_done(run: Run) -> float:
    """How much of a run is done, from 0 to 1: its shards, and what is known of those at work."""
    done = 0.0
    everything = 0
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


def _send_waiting(run: Run) -> None:
    waiting = run.shards.filter(state=Shard.State.WAITING).order_by("number")
    send_shards(run, list(waiting.values_list("pk", flat=True)))


def _is(run: Run) -> str:
    return run.get_state_display().lower()

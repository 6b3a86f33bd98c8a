"""Create, pause, resume, cancel and delete generations."""

from contextlib import suppress
from decimal import Decimal

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotate.exchange.deletion import stopping
from annotate.models import Removal, Study, System, Upload, User
from annotate.studies import quotas
from annotate.web import audit
from annotate.web.errors import Refused
from annotate.work import jobs
from evaluation.generating.generation_settings import GenerationSettings, with_proposals
from evaluation.generating.new_systems import discard, refuse_taken, valid_name
from evaluation.generating.searching import corpus_named
from evaluation.generating.systems.options import BY_MEANING
from evaluation.language_models.connections import (
    connection_of,
    refuse_disallowed,
    refuse_others_connection,
)
from evaluation.models import Connection, Generation, Run
from evaluation.runs.lifecycle import queue_for, refuse_budget
from evaluation.runs.queue import BUDGET_SPENT

State = Generation.State

SUFFIX = ".generate.jsonl"
"""The suffix of the files of generated systems, by which leftovers are found."""

LOADING = "its responses are loaded"
"""The last phase, in which a generation cannot be stopped any more."""

GENERATION = jobs.Kind(
    model=Generation,
    task="evaluation.generate",
    steps={State.QUEUED: State.WORKING},
    queue=lambda generation: generation.queue,
    since=lambda generation: generation.asked_at,
    asked_for=(State.QUEUED, State.WORKING),
    afresh={"phase": "", "answered": 0, "total": 0, "error": "", "latest": None},
    advice="Check the worker's log, then try again. Existing answers are kept.",
)


def check(
    study: Study,
    settings: GenerationSettings,
    *,
    by: User | None = None,
    by_operator: bool = False,
) -> Connection | None:
    """Refuse impossible settings and forbidden models; return the connection that they name."""
    settings.check()
    connection = None
    if not settings.simulated:
        connection = refuse_disallowed(settings.asking, study, by, by_operator=by_operator)
    if settings.scoring is not None:
        refuse_disallowed(settings.scoring, study, by, by_operator=by_operator)
    known = System.objects.loaded().filter(study=study)
    if settings.passages_of is not None and not known.filter(pk=settings.passages_of).exists():
        raise Refused("The system whose passages are wanted is not in this study.")
    if settings.corpus:
        corpus_named(study, settings.corpus)
    return connection


def create(
    study: Study,
    name: str,
    settings: GenerationSettings,
    *,
    by: User | None = None,
    by_operator: bool = False,
    queued: bool = True,
    budget: Decimal | None = None,
) -> Generation:
    """Create a generation for a worker; with `queued=False` the caller does it in this process."""
    connection = check(study, settings, by=by, by_operator=by_operator)
    settings = with_proposals(study, settings, connection)
    name = valid_name(name)
    refuse_taken(study, name, SUFFIX)
    if budget is not None:
        refuse_budget(settings.asking, connection, budget)
    quotas.refuse_work(study, by)
    queue = _queue_of(study, settings, connection)
    try:
        with transaction.atomic():
            made = Generation.objects.create(
                study=study,
                name=name,
                settings=settings.as_json(),
                connection=connection,
                queue=queue,
                budget=budget,
                by_operator=by_operator,
                created_by=by,
                asked_at=timezone.now(),
            )
            audit.note("generation-started", made, by=by, system=settings.system)
    except IntegrityError:
        raise Refused(f"“{name}” is being made already. Choose another name.") from None
    if queued:
        _enqueue(made)
    return made


def _queue_of(
    study: Study, settings: GenerationSettings, connection: Connection | None
) -> Run.Queue:
    """Return the queue: a second model next to the answering one needs workers with models."""
    scoring, corpus = settings.scoring, settings.corpus
    scores = scoring is not None and scoring.wants_a_gpu
    ranks = settings.own.ranked_by == BY_MEANING
    if scores or ranks or (corpus and corpus_named(study, corpus).needs_encoder):
        return Run.Queue.ENTAILMENT
    return Run.Queue.DEFAULT if connection is None else queue_for(settings.asking, connection)


def _enqueue(row: Generation) -> None:
    transaction.on_commit(lambda: jobs.send_row(GENERATION, row))


def pause(row: Generation, *, by: User | None = None) -> None:
    """Pause a generation; its worker notices. Existing answers are kept."""
    with transaction.atomic():
        locked = _locked(row)
        if not locked.is_working:
            raise Refused(f"It cannot be paused: it is {_is(locked)}.")
        _refuse_loading(locked)
        _stop(locked, State.PAUSED)
        audit.note("generation-paused", locked, by=by)
    row.refresh_from_db()


def resume(row: Generation, *, by: User | None = None, budget: Decimal | None = None) -> None:
    """Continue after a pause or a failure, optionally with another budget."""
    refuse_others_connection(row, by)
    with transaction.atomic():
        locked = _locked(row)
        if locked.state not in {State.PAUSED, State.FAILED}:
            raise Refused(f"It cannot go on: it is {_is(locked)}.")
        settings = GenerationSettings(**locked.settings)
        if budget is not None:
            refuse_budget(settings.asking, connection_of(locked, settings.asking), budget)
            locked.budget = budget
        if locked.is_spent:
            raise Refused(BUDGET_SPENT)
        quotas.refuse_work(locked.study, locked.created_by)
        locked.state, locked.error, locked.finished_at = State.QUEUED, "", None
        locked.asked_at = timezone.now()
        locked.reset_attempts()
        try:
            with transaction.atomic():
                locked.save()
        except IntegrityError:
            raise Refused(f"“{locked.name}” is already being generated again.") from None
        audit.note("generation-resumed", locked, by=by)
    row.refresh_from_db()
    _enqueue(row)


def cancel(row: Generation, *, by: User | None = None) -> None:
    """Cancel for good. There is no system then; existing answers are kept as calls."""
    with transaction.atomic():
        locked = _locked(row)
        if locked.is_over:
            raise Refused(f"It cannot be cancelled: it is {_is(locked)}.")
        _refuse_loading(locked)
        _stop(locked, State.CANCELLED)
        audit.note("generation-cancelled", locked, by=by)
    discard_leftovers(row)
    row.refresh_from_db()


def delete(row: Generation, *, by: User | None = None) -> None:
    """Remove a finished generation from the list. Its system stays."""
    with transaction.atomic():
        locked = _locked(row)
        if not locked.is_over:
            raise Refused(f"It cannot be removed: it is {_is(locked)}. Cancel it first.")
        audit.note("generation-deleted", locked, by=by)
        locked.delete()


def file_of(row: Generation) -> Upload | None:
    """Return the file of its responses, if it was stored."""
    files = Upload.objects.filter(
        study=row.study_id,
        system=row.name,
        created_by=None,
        name__endswith=SUFFIX,
        created_at__gte=row.created_at,
    )
    return files.order_by("-pk").first()


def discard_leftovers(row: Generation) -> None:
    """Discard the file, and the system without responses, of a killed worker."""
    left = file_of(row)
    if left is not None and left.state != Upload.State.DONE:
        discard(left)


@stopping
def cancel_generations(removal: Removal) -> None:
    """Cancel the generations of a deleted study or system."""
    over = [State.DONE, State.FAILED, State.CANCELLED]
    for row in Generation.objects.filter(study=removal.study_id).exclude(state__in=over):
        if removal.is_of_study or removal.system_id == row.settings.get("passages_of"):
            with suppress(Refused):  # it has just ended
                cancel(row)


def _stop(row: Generation, state: str) -> None:
    """Set the state and take the lease from its worker."""
    row.state, row.lease_token, row.lease_until = state, "", None
    row.finished_at = timezone.now() if row.is_over else None
    row.save(update_fields=["state", "lease_token", "lease_until", "finished_at"])


def _refuse_loading(row: Generation) -> None:
    if row.state == State.WORKING and row.phase == LOADING:
        raise Refused("It is too late for that: its responses are being loaded.")


def _locked(row: Generation) -> Generation:
    return Generation.objects.select_for_update(of=("self",), no_key=True).get(pk=row.pk)


def _is(row: Generation) -> str:
    return row.get_state_display().lower()

"""Delete a study, system or batch: hidden at once, restorable, removed later by a worker.

Deleting sets a date in one short transaction, which hides the object (`annotate.models.deleting`),
and then cancels running work on it. Once it cannot be restored any more, a worker removes the rows
under a lease in short transactions. If the worker dies, another one continues.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Model, RestrictedError
from django.utils import timezone

from annotate import uploads
from annotate.content import counts
from annotate.content.units import update_pairs
from annotate.models import (
    Batch,
    BatchItem,
    Candidate,
    Deletable,
    Question,
    Removal,
    Response,
    Study,
    System,
    Upload,
    User,
)
from annotate.rating.batches import refuse_overlap, refuse_to_delete
from annotate.studies.lifecycle import refuse_while_loading
from annotate.uploads.job import begun
from annotate.web import audit
from annotate.web.errors import Refused
from annotate.web.removal import remove_responses, remove_rows, remove_unused_passages
from annotate.work import jobs
from annotate.work.jobs import Holding

log = logging.getLogger(__name__)

State = Removal.State

Stop = Callable[[Removal], object]

STOPS: list[Stop] = []

Forget = Callable[[Study], object]

FORGETS: list[Forget] = []

MOST_ROUNDS = 5
"""Passes over the rows: a request that began earlier may write one in between."""


def stopping(stop: Stop) -> Stop:
    """Register a function that cancels work on a deleted object. It may be called twice."""
    STOPS.append(stop)
    return stop


def forgetting(forget: Forget) -> Forget:
    """Register a function that removes a study's data outside its rows, before these. It may
    be called twice."""
    FORGETS.append(forget)
    return forget


def _may_begin(removal: Removal) -> bool:
    """Return whether rows may be removed now. A system's unused texts are also removed, so no
    file may be loading."""
    if removal.due_at > timezone.now():
        return False
    return removal.system_id is None or not (
        Upload.objects.filter(begun(), study=removal.study_id).exists()
    )


REMOVAL = jobs.Kind(
    model=Removal,
    task="annotate.remove_deleted",
    steps={State.WAITING: State.REMOVING},
    related=("study", "system", "batch"),
    lock=lambda key: Study.every.select_for_update(no_key=True).filter(removals=key).first(),
    may_begin=_may_begin,
    advice="The rows stay hidden. Check the worker's log, then remove it now.",
)


# Deleting and putting back ------------------------------------------------------------------------


def delete_study(study: Study, *, by: User | None = None) -> Removal:
    """Delete a study with everything in it."""
    return _delete(Removal(study=study, created_by=by))


def delete_system(system: System, *, by: User | None = None) -> Removal:
    """Delete a system with its responses and every judgment about them."""
    refuse_while_loading(system.study)
    return _delete(Removal(study=system.study, system=system, created_by=by))


def delete_batch(batch: Batch, *, by: User | None = None) -> Removal:
    """Delete a batch that has no ratings."""
    return _delete(Removal(study=batch.study, batch=batch, created_by=by))


def _delete(removal: Removal) -> Removal:
    now, thing = timezone.now(), removal.thing
    removal.created_at = now
    removal.due_at = now + timedelta(days=settings.ATTEST_UNDO_DAYS)
    with transaction.atomic():
        locked = _locked(thing, removal.study_id)
        if locked is None:
            raise Refused(f"This {removal.what} is deleted already.")
        if isinstance(locked, Batch):
            refuse_to_delete(locked)
        locked.deleted_at = now
        locked.save(update_fields=["deleted_at"])
        if isinstance(locked, System):
            locked.responses.filter(live=True).update(live=None)
            update_pairs(locked.responses.all())
        removal.save()
        audit.note(f"{removal.what}-deleted", locked, by=removal.created_by)
    try:
        stop(removal)
    except DatabaseError:  # a worker tries again to stop it a moment later
        log.exception("what runs could not be cancelled now: %s", removal)
    if removal.due_at <= now:
        transaction.on_commit(lambda: jobs.send_row(REMOVAL, removal))
    return removal


def _locked(thing: Deletable, study_id: int) -> Study | System | Batch | None:
    """Lock the study, then the deleted object; None if it is gone."""
    study = Study.objects.select_for_update(no_key=True).filter(pk=study_id).first()
    if study is None or isinstance(thing, Study):
        return study
    model = System if isinstance(thing, System) else Batch
    found = model.objects.select_for_update(of=("self",), no_key=True).filter(pk=thing.pk)
    return found.first()


def stop(removal: Removal) -> None:
    """Cancel waiting and running work. Partly loaded files are undone."""
    for each in STOPS:
        each(removal)
    if removal.is_of_study:
        for upload in removal.study.uploads.all():
            if upload.is_working:
                with suppress(Refused):  # it has just ended
                    uploads.cancel(upload)
    Removal.objects.filter(pk=removal.pk).update(has_stopped=True)


def put_back(removal: Removal) -> None:
    """Undo a deletion. Cancelled work stays cancelled."""
    with transaction.atomic():
        Study.every.select_for_update(no_key=True).get(pk=removal.study_id)
        locked = Removal.objects.select_for_update(of=("self",)).filter(pk=removal.pk).first()
        if locked is None or not locked.can_be_put_back:
            raise Refused("It cannot be put back any more: its rows are being removed.")
        thing = locked.thing
        if isinstance(thing, Batch) and thing.state != Batch.State.CLOSED:
            refuse_overlap(thing, "deleted")
        thing.deleted_at = None
        try:
            with transaction.atomic():
                thing.save(update_fields=["deleted_at"])
        except IntegrityError:
            raise Refused(
                f"There is another {locked.what} of this name by now. Give that one another name "
                "first."
                if not isinstance(thing, Study)
                else f"Another study has the address “{thing.slug}” by now, and addresses stay. "
                "Delete that one first."
            ) from None
        if isinstance(thing, System):
            # Of the responses that count, only these lack `live`. Replaced ones have a date,
            # and responses of a file that is still loading are not published.
            kept = Response.objects.filter(
                system=thing, replaced_at__isnull=True, upload__published_at__isnull=False
            )
            kept.update(live=True)
            update_pairs(kept)
        audit.note("put-back", thing)
        locked.delete()


def remove_now(removal: Removal) -> None:
    """Remove the rows without waiting, or try again after an error. This is final."""
    with transaction.atomic():
        locked = Removal.objects.select_for_update(of=("self",)).filter(pk=removal.pk).first()
        if locked is None or locked.state == State.REMOVING:
            return
        locked.reset_attempts()
        locked.state, locked.error = State.WAITING, ""
        locked.due_at = min(locked.due_at, timezone.now())
        locked.save()
        audit.note("removed-now", locked.thing, study=locked.study_id)
    transaction.on_commit(lambda: jobs.send_row(REMOVAL, locked))


# Workers ------------------------------------------------------------------------------------------


@jobs.swept
def look_after_removals(now: datetime) -> None:
    """Stop what could not be stopped, and have rows removed whose time is over."""
    for removal in Removal.objects.filter(has_stopped=False, state=State.WAITING):
        stop(removal)
    for removal in REMOVAL.waiting.filter(due_at__lte=now):
        if removal.sent_at is None or removal.sent_at < jobs.silent_before(now, removal.due_at):
            jobs.send_row(REMOVAL, removal)


def work(removal_id: int, *, worker: str = "") -> bool:
    """Remove the rows of what was deleted, if it is time and nobody else does; whether it was."""
    return jobs.work(REMOVAL, removal_id, _do, fail=_fail, worker=worker)


def _do(holding: Holding[Removal]) -> None:
    removal = holding.row
    for left in reversed(range(MOST_ROUNDS)):
        try:
            if removal.is_of_study:
                _remove_study(holding)
            elif removal.system is not None:
                _remove_system(holding, removal.system)
            elif removal.batch is not None:
                remove_rows(BatchItem.objects.filter(batch=removal.batch), first=holding.renew)
                _remove(holding, removal.batch)
        except (IntegrityError, RestrictedError):
            if not left:
                raise
        else:
            return


def _fail(holding: Holding[Removal], problem: Exception) -> None:
    log.exception("%s could not be removed", holding.row)
    holding.finish(State.FAILED, error=f"{type(problem).__name__}: {problem}")


def _remove_study(holding: Holding[Removal]) -> None:
    """Remove everything in it, with uploaded files and accounts created for its link."""
    study, ours = holding.row.study, holding.renew
    with transaction.atomic():
        ours()
        # A worker notices that it lost the lease, and stops.
        study.uploads.exclude(state=Upload.State.DONE).update(
            state=Upload.State.DISCARDED, lease_token="", lease_until=None
        )
    remove_responses(study.responses.order_by(), first=ours)
    remove_rows(BatchItem.objects.filter(batch__study=study), first=ours)
    remove_rows(Batch.every.filter(study=study).order_by(), first=ours)
    remove_rows(Candidate.objects.filter(question__study=study).order_by(), first=ours)
    remove_rows(study.passages.order_by(), first=ours)
    remove_rows(study.questions.order_by(), first=ours)
    remove_rows(System.every.filter(study=study).order_by(), first=ours)
    remove_rows(study.judges.order_by(), first=ours)
    came = User.objects.filter(
        participant__study=study, password__startswith=UNUSABLE_PASSWORD_PREFIX
    )
    remove_rows(
        came.order_by(), first=ours
    )  # accounts without a password, created only for this study's link
    for upload in study.uploads.all():
        for file in (upload.file, upload.passages_file):
            if file:
                file.delete(save=False)
        _remove(holding, upload)
    for forget in FORGETS:
        forget(study)
    counts.delete_counts(study.pk)
    _remove(holding, study)


def _remove_system(holding: Holding[Removal], system: System) -> None:
    """Remove a system with its responses, and their unshared questions and passages. Questions
    that a file has without answers stay."""
    ours, study = holding.renew, system.study_id
    remove_responses(system.responses.order_by(), first=ours)
    remove_unused_passages(study, first=ours)
    unanswered = Question.objects.filter(study=study, responses__isnull=True)
    remove_rows(unanswered.filter(listed_upload__isnull=True), first=ours)
    _remove(holding, system)


def _remove(holding: Holding[Removal], row: Model) -> None:
    with transaction.atomic():
        holding.renew()
        row.delete()

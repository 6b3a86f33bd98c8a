"""Checking and loading as jobs for workers: one load per study at a time."""

from django.db.models import Q

from annotate.models import Removal, Study, Upload
from annotate.work import jobs
from annotate.work.jobs import Holding

State = Upload.State


class Cancelled(Exception):  # noqa: N818
    """The researcher asked to stop."""


def renew(holding: Holding[Upload], position: int) -> None:
    """Record the progress; stop if the job was cancelled or taken over."""
    holding.progress["position"] = position
    holding.renew()
    if holding.mine.filter(cancel_requested=True).exists():
        raise Cancelled


def begun() -> Q:
    """Return the filter for loads that may have written rows. They precede other loads."""
    return Q(state=State.LOADING) | Q(state=State.QUEUED, attempts__gt=0)


def _lock_study(upload_id: int) -> None:
    studies = Study.every.select_for_update(of=("self",), no_key=True)
    studies.filter(uploads=upload_id).first()


def _may_begin(upload: Upload) -> bool:
    """Return whether an upload may start: a study loads only one at a time.

    The next one waits even if the worker of the one before is dead, since its rows must be removed
    first. Nothing is loaded while a system's rows are removed, together with unused texts.
    """
    if upload.state == State.RECEIVED:
        return True
    removing = Removal.objects.filter(study=upload.study_id, state=Removal.State.REMOVING)
    if removing.exists():
        return False
    others = Upload.objects.filter(begun(), study_id=upload.study_id)
    return not others.exclude(pk=upload.pk).exists()


UPLOAD = jobs.Kind(
    model=Upload,
    task="annotate.work_on_upload",
    steps={State.RECEIVED: State.CHECKING, State.QUEUED: State.LOADING},
    asked_for=(State.RECEIVED, State.CHECKING, State.QUEUED, State.LOADING),
    since=lambda upload: upload.finished_at or upload.created_at,
    afresh={"position": 0},
    lock=_lock_study,
    may_begin=_may_begin,
    leaves=True,
    advice="Check the file again. If that fails, split it or ask your administrator.",
)

"""A new system of a study that is made here, out of a file of its responses: wholly or not at all.

What is killed leaves a file that is not loaded and a system without responses. A worker that finds
the file accepted loads it; otherwise whoever comes next takes both back.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from django.core.files import File
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotate import uploads
from annotate.formats.limits import NAME_CHARS
from annotate.models import Study, System, Upload
from annotate.web.errors import Refused
from annotate.work.jobs import LEASE

log = logging.getLogger(__name__)


class BusyError(Refused):
    """Another file of the study is being loaded."""


def named(name: str) -> str:
    """A name that a new system can have."""
    name = name.strip()
    if not name or len(name) > NAME_CHARS:
        raise Refused(f"Give the new system a name of 1 to {NAME_CHARS} characters.")
    return name


def refuse_taken(study: Study, name: str, suffix: str) -> None:
    if System.objects.filter(study=study, name=name).exists():
        raise taken(study, name, suffix)


def taken(study: Study, name: str, suffix: str) -> Refused:
    """Why a name cannot be had: it stands, or is being made."""
    files = Upload.objects.filter(study=study, system=name, name__endswith=suffix)
    if any(may_go_on(upload) for upload in files.exclude(state=Upload.State.DONE)):
        return Refused(
            f"“{name}” is being made, or was until a moment ago. If that broke off, try again in "
            f"{LEASE.total_seconds():.0f} seconds: what it left is taken back then."
        )
    return Refused(f"This study has a system “{name}” already. Choose another name.")


def received(
    system: System, path: Path, suffix: str, keep: Callable[[int], object] = lambda made: None
) -> Upload:
    """The system and the file of its responses, both or neither, and that they are known: `keep`
    is told the file's key in the transaction that announces both.

    The system stands first, so that nobody ever sees its responses without the sign that it used
    the metric, whoever loads them.
    """
    with transaction.atomic():
        try:
            with transaction.atomic():
                system.save()
        except IntegrityError:
            raise taken(system.study, system.name, suffix) from None
        with path.open("rb") as content:
            upload = uploads.receive(
                system.study,
                File(content, name=path.name),
                name=path.name,
                author=None,
                format="attest",
                system=system.name,
            )
        keep(upload.pk)
    return upload


def load(upload: Upload) -> None:
    """Check and load the file, wholly or not at all."""
    loaded = False
    try:
        uploads.work(upload.pk)
        upload.refresh_from_db()
        if upload.state == Upload.State.READY:
            uploads.accept(upload)
            uploads.work(upload.pk)
            upload.refresh_from_db()
        state, error, findings = upload.state, upload.error, upload.findings
        loaded = state == Upload.State.DONE
    finally:
        if not loaded:
            upload.refresh_from_db()
            take_back(upload)
    if state == Upload.State.QUEUED:
        raise BusyError("Another file of this study is being loaded. Try again when it is done.")
    if not loaded:
        problems = [str(problem["text"]) for problem in findings.get("problems", ())]
        why = error or next(iter(problems), Upload.State(state).label)
        raise Refused(f"The generated system cannot be loaded: {why}")


def take_back(upload: Upload) -> None:
    """Throw the file away, and the system with it."""
    if upload.state in {Upload.State.RECEIVED, Upload.State.QUEUED}:
        uploads.cancel(upload)  # one that waits for another file cannot be claimed
    if upload.state != Upload.State.DISCARDED:
        uploads.give_up(upload)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=upload.study_id)
        # Whoever takes the name off the file first removes the system: the next may be a new one.
        named = Upload.objects.filter(pk=upload.pk, system=upload.system)
        if upload.system and named.update(system=""):
            System.objects.filter(
                study_id=upload.study_id, name=upload.system, responses__isnull=True
            ).delete()


def followed(upload: Upload, wait: Callable[[], object]) -> bool:
    """Whether a file that a killed worker left is loaded; otherwise it is taken back, once whoever
    may still be at it is done."""
    while upload.state != Upload.State.DONE:
        if upload.state == Upload.State.DISCARDED:
            return False
        if may_go_on(upload):
            wait()
        else:
            with suppress(Refused):  # a worker took it up in the meantime
                take_back(upload)
        upload.refresh_from_db()
    return True


def stop_loading(upload: Upload) -> None:
    """Take back a file that is not loaded yet, with its system; whoever is at it does so then."""
    if upload.state == Upload.State.DONE:
        raise Refused("The new system is there already. Delete it, if it is not wanted.")
    if upload.lease_until is not None and upload.lease_until > timezone.now():
        uploads.cancel(upload)
    else:
        take_back(upload)


def take_back_what_was_left(study: Study, suffix: str) -> None:
    """Take back what commands left that were killed: a file, and a system without responses."""
    files = Upload.objects.filter(study=study, created_by=None, name__endswith=suffix)
    for upload in files.exclude(state=Upload.State.DONE).exclude(system=""):
        if not may_go_on(upload):
            try:
                take_back(upload)
            except Refused:  # a worker took it up in the meantime, and made it whole
                log.info("upload %s is loaded after all", upload.pk)


def may_go_on(upload: Upload) -> bool:
    """Whether whoever makes the upload may still be alive."""
    since = upload.finished_at or upload.created_at
    return (upload.lease_until or since + LEASE) > timezone.now()

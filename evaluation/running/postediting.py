"""Making a new system of a study out of one that is there: wholly or not at all.

What a killed command leaves is a file that is not loaded and a system without responses. A worker
that finds the file accepted loads it; otherwise the next call takes both back.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from django.core.files import File
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from annotate.export.streams import response_records
from annotate.formats import ResponseRecord, write_response
from annotate.formats.limits import NAME_CHARS
from annotate.jobs import LEASE
from annotate.models import Study, System, Upload
from annotate.services import uploads
from annotate.services.errors import Refused
from evaluation.postediting import Editing, passages
from evaluation.postediting.rerank import NO_SAMPLES

log = logging.getLogger(__name__)

SUFFIX = ".post_edit.jsonl"
"""How the files of new systems are called, by which those of a killed command are found."""

PORTION = 500
"""Responses edited together: a scorer is asked about all of them at once."""

Tell = Callable[[int], None]


@dataclass(slots=True)
class PostEdited:
    """The new system, and what became of how many responses."""

    system: System
    outcomes: Counter[str] = field(default_factory=Counter)


def post_edit(
    old: System, editing: Editing, *, name: str, tell: Tell = lambda done: None
) -> PostEdited:
    """A new system called `name` with every response of the old one after editing.

    The old system stays as it is. `tell` hears how many responses are done. The new one counts as
    having used the metric itself where entailment decided, or where the old one did.
    """
    name = name.strip()
    if not name or len(name) > NAME_CHARS:
        raise Refused(f"Give the new system a name of 1 to {NAME_CHARS} characters.")
    _take_back_what_was_left(old.study)
    if System.objects.filter(study=old.study, name=name).exists():
        raise _taken(old.study, name)
    outcomes: Counter[str] = Counter()
    with TemporaryDirectory(prefix="attest-") as folder:
        path = Path(folder) / f"{slugify(name) or 'system'}{SUFFIX}"
        with path.open("w", encoding="utf-8", newline="") as handle:
            for record in _edited(old, editing, outcomes, tell):
                handle.write(write_response(replace(record, system=name)))
        if not outcomes:
            raise Refused(f"“{old.name}” has no responses.")
        _refuse_the_same_again(old, outcomes)
        system = _announced(old, editing, name)
        upload = _received(system, path)
    _load(upload, system)
    return PostEdited(system, outcomes)


def _refuse_the_same_again(old: System, outcomes: Counter[str]) -> None:
    """A system that could not be edited at all would be the old one under another name."""
    if set(outcomes) == {NO_SAMPLES}:
        raise Refused(
            f"No response of “{old.name}” brings samples. Upload them in the metadata of its "
            "responses, as a list called samples."
        )
    if set(outcomes) <= passages.LEFT:
        found = ", ".join(f"{why} ({count:,})" for why, count in outcomes.most_common())
        raise Refused(f"No response of “{old.name}” has passages to put in order: {found}.")


def _edited(
    old: System, editing: Editing, outcomes: Counter[str], tell: Tell
) -> Iterator[ResponseRecord]:
    records = (
        record
        for portion in response_records(old.study)
        for response, record in portion
        if response.system_id == old.pk
    )
    while some := list(islice(records, PORTION)):
        try:
            edited = editing.edit(some)
        except ValueError as error:
            raise Refused(str(error)) from None
        for one in edited:
            outcomes[one.outcome] += 1
            yield one.record
        tell(outcomes.total())


def _announced(old: System, editing: Editing, name: str) -> System:
    return System(
        study=old.study,
        name=name,
        description=f"Made from “{old.name}”. {editing.description} Signature: {editing.signature}",
        uses_autoais=editing.asks_entailment or old.uses_autoais,
    )


def _taken(study: Study, name: str) -> Refused:
    files = Upload.objects.filter(study=study, system=name, name__endswith=SUFFIX)
    if any(_may_go_on(upload) for upload in files.exclude(state=Upload.State.DONE)):
        return Refused(
            f"“{name}” is being made, or was until a moment ago. If that broke off, try again in "
            f"{LEASE.total_seconds():.0f} seconds: what it left is taken back then."
        )
    return Refused(f"This study has a system “{name}” already. Choose another name.")


def _received(system: System, path: Path) -> Upload:
    """The system and the file of its responses, both or neither.

    The system stands first, so that nobody ever sees its responses without the sign that it used
    the metric, whoever loads them.
    """
    with transaction.atomic():
        try:
            with transaction.atomic():
                system.save()
        except IntegrityError:
            raise _taken(system.study, system.name) from None
        with path.open("rb") as content:
            return uploads.receive(
                system.study,
                File(content, name=path.name),
                name=path.name,
                author=None,
                format="attest",
                system=system.name,
            )


def _load(upload: Upload, system: System) -> None:
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
            _take_back(upload)
    if state == Upload.State.QUEUED:
        raise Refused("Another file of this study is being loaded. Try again when it is done.")
    if not loaded:
        problems = [str(problem["text"]) for problem in findings.get("problems", ())]
        why = error or next(iter(problems), Upload.State(state).label)
        raise Refused(f"The new responses cannot be loaded: {why}")


def _take_back(upload: Upload) -> None:
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


def _take_back_what_was_left(study: Study) -> None:
    """Take back what commands left that were killed: a file, and a system without responses."""
    files = Upload.objects.filter(study=study, created_by=None, name__endswith=SUFFIX)
    for upload in files.exclude(state=Upload.State.DONE).exclude(system=""):
        if not _may_go_on(upload):
            try:
                _take_back(upload)
            except Refused:  # a worker took it up in the meantime, and made it whole
                log.info("upload %s is loaded after all", upload.pk)


def _may_go_on(upload: Upload) -> bool:
    """Whether whoever makes the upload may still be alive."""
    since = upload.finished_at or upload.created_at
    return (upload.lease_until or since + LEASE) > timezone.now()

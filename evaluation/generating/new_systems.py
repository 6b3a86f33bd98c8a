"""Create a system from a file of its responses, or by post-editing another system.

A system is loaded completely or not at all. A killed process leaves a file that is not loaded and a
system without responses. A worker that finds the file accepted loads it; otherwise the next process
discards both.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from django.core.files import File
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from annotate import uploads
from annotate.exchange.streams import response_records
from annotate.formats import ResponseRecord, write_response
from annotate.formats.limits import NAME_CHARS
from annotate.models import Study, System, Upload
from annotate.text import Division
from annotate.web.errors import Refused
from annotate.work.jobs import LEASE
from evaluation.generating.postediting import Editing, passages
from evaluation.generating.postediting.passages import ByAutoAIS
from evaluation.generating.postediting.postcite import Postcite
from evaluation.generating.postediting.ranking import Bm25, Embeddings
from evaluation.generating.postediting.rerank import NO_SAMPLES, ByProbability, ByRecall
from evaluation.judges import AutomaticJudge
from evaluation.judges.alce import Alce
from evaluation.judges.autoais import AutoAIS

log = logging.getLogger(__name__)

POST_EDITED = ".post_edit.jsonl"
"""The suffix of the files of post-edited systems, by which leftovers are found."""

PORTION = 500
"""Responses edited together: the scorer gets the pairs of all of them at once."""

WAYS = {
    "rerank": "Keep the best of the samples of each response",
    "postcite": "Cite passages for statements that cite nothing",
    "rerank-passages": "Put the passages of each response in order",
}
"""The ways of post-editing and what each does."""


class BusyError(Refused):
    """Another file of the study is being loaded."""


# Names --------------------------------------------------------------------------------------------


def valid_name(name: str) -> str:
    """Return the name of a new system without surrounding white space, or refuse it."""
    name = name.strip()
    if not name or len(name) > NAME_CHARS:
        raise Refused(f"Give the new system a name of 1 to {NAME_CHARS} characters.")
    return name


def refuse_taken(study: Study, name: str, suffix: str) -> None:
    """Refuse the name of an existing system."""
    if System.objects.filter(study=study, name=name).exists():
        raise name_taken(study, name, suffix)


def name_taken(study: Study, name: str, suffix: str) -> Refused:
    """Return the refusal of a name: it exists, or a job is creating it."""
    files = Upload.objects.filter(study=study, system=name, name__endswith=suffix)
    if any(may_be_active(upload) for upload in files.exclude(state=Upload.State.DONE)):
        return Refused(
            f"“{name}” is being made, or was until a moment ago. If that broke off, try again in "
            f"{LEASE.total_seconds():.0f} seconds: what it left is taken back then."
        )
    return Refused(f"This study has a system “{name}” already. Choose another name.")


def new_name(study: Study, name: str) -> str:
    """Return the name of a new post-edited system, or refuse it; first discard leftovers."""
    name = valid_name(name)
    files = Upload.objects.filter(study=study, created_by=None, name__endswith=POST_EDITED)
    for upload in files.exclude(state=Upload.State.DONE).exclude(system=""):
        if not may_be_active(upload):
            try:
                discard(upload)
            except Refused:  # a worker took it in the meantime and completed it
                log.info("upload %s is loaded after all", upload.pk)
    refuse_taken(study, name, POST_EDITED)
    return name


# Files of responses -------------------------------------------------------------------------------


def store(
    system: System, path: Path, suffix: str, record: Callable[[int], object] = lambda upload: None
) -> Upload:
    """Save the system and the file of its responses in one transaction.

    `record` is called in it with the upload's key. The system is saved first, so that nobody sees
    its responses without the mark that it used the metric.
    """
    with transaction.atomic():
        try:
            with transaction.atomic():
                system.save()
        except IntegrityError:
            raise name_taken(system.study, system.name, suffix) from None
        with path.open("rb") as content:
            upload = uploads.receive(
                system.study,
                File(content, name=path.name),
                name=path.name,
                author=None,
                format="attest",
                system=system.name,
            )
        record(upload.pk)
    return upload


def load(upload: Upload) -> None:
    """Check and load the file, completely or not at all."""
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
            discard(upload)
    if state == Upload.State.QUEUED:
        raise BusyError("Another file of this study is being loaded. Try again when it is done.")
    if not loaded:
        problems = [str(problem["text"]) for problem in findings.get("problems", ())]
        why = error or next(iter(problems), Upload.State(state).label)
        raise Refused(f"The generated system cannot be loaded: {why}")


def discard(upload: Upload) -> None:
    """Delete a file that is not loaded, and its system."""
    if upload.state in {Upload.State.RECEIVED, Upload.State.QUEUED}:
        uploads.cancel(upload)  # one that waits for another file cannot be claimed
    if upload.state != Upload.State.DISCARDED:
        uploads.give_up(upload)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=upload.study_id)
        # Only the process that clears the file's name removes the system: a later one may be new.
        unclaimed = Upload.objects.filter(pk=upload.pk, system=upload.system)
        if upload.system and unclaimed.update(system=""):
            System.objects.filter(
                study_id=upload.study_id, name=upload.system, responses__isnull=True
            ).delete()


def wait_for_leftover(upload: Upload, wait: Callable[[], object]) -> bool:
    """Wait while a killed worker's file may be active; return whether it is loaded, or discard it.

    `wait` is called between two looks.
    """
    while upload.state != Upload.State.DONE:
        if upload.state == Upload.State.DISCARDED:
            return False
        if may_be_active(upload):
            wait()
        else:
            with suppress(Refused):  # a worker took it in the meantime
                discard(upload)
        upload.refresh_from_db()
    return True


def stop_loading(upload: Upload) -> None:
    """Discard a file that is not loaded yet; if a worker has it, that worker does so."""
    if upload.state == Upload.State.DONE:
        raise Refused("The new system is there already. Delete it, if it is not wanted.")
    if upload.lease_until is not None and upload.lease_until > timezone.now():
        uploads.cancel(upload)
    else:
        discard(upload)


def may_be_active(upload: Upload) -> bool:
    """Whether a process may still be working on the upload."""
    since = upload.finished_at or upload.created_at
    return (upload.lease_until or since + LEASE) > timezone.now()


# Post-editing -------------------------------------------------------------------------------------


def editing_by(
    way: str,
    division: Division,
    judge: Callable[[str], AutomaticJudge],
    *,
    by: str = "recall",
    encoder: str = "",
) -> Editing:
    """Return a way of editing; `judge` creates a judge by its name."""
    if way == "postcite":
        return Postcite(Embeddings(encoder) if encoder else Bm25(), division)
    name = entailment_judge(way, by)
    if name is None:
        return ByProbability()
    if name == "alce":
        return ByRecall(cast(Alce, judge(name)), division)
    return ByAutoAIS(cast(AutoAIS, judge(name)), division)


def entailment_judge(way: str, by: str) -> str | None:
    """Return the name of the judge of entailment that a way of editing uses, if any."""
    if way == "rerank-passages":
        return "autoais"
    return "alce" if way == "rerank" and by == "recall" else None


def post_edit(
    old: System,
    editing: Editing,
    *,
    name: str,
    tell: Callable[[int], None] = lambda done: None,
    keep: Callable[..., object] = lambda **known: None,
) -> tuple[System, Counter[str]]:
    """Create a system with every response of the old one after editing; also return the outcomes.

    `tell` is called with the number of edited responses, `keep` with the upload's key and the
    outcomes, in the transaction that stores the file. The new system is marked as having used the
    metric if entailment decided, or if the old one is.
    """
    name = new_name(old.study, name)
    outcomes: Counter[str] = Counter()
    with TemporaryDirectory(prefix="attest-") as folder:
        path = Path(folder) / f"{slugify(name) or 'system'}{POST_EDITED}"
        with path.open("w", encoding="utf-8", newline="") as handle:
            for record in _edited(old, editing, outcomes, tell):
                handle.write(write_response(replace(record, system=name)))
        _refuse_unedited(old, outcomes)
        system = System(
            study=old.study,
            name=name,
            description=f"Made from “{old.name}”. {editing.description} "
            f"Signature: {editing.signature}",
            uses_autoais=editing.asks_entailment or old.uses_autoais,
        )
        upload = store(system, path, POST_EDITED, lambda key: keep(upload=key, outcomes=outcomes))
    load(upload)
    return system, outcomes


def _refuse_unedited(old: System, outcomes: Counter[str]) -> None:
    """Refuse a system without responses, or without any that could be edited."""
    if not outcomes:
        raise Refused(f"“{old.name}” has no responses.")
    if set(outcomes) == {NO_SAMPLES}:
        raise Refused(
            f"No response of “{old.name}” brings samples. Upload them in the metadata of its "
            "responses, as a list called samples."
        )
    if set(outcomes) <= passages.LEFT:
        reasons = ", ".join(f"{why} ({count:,})" for why, count in outcomes.most_common())
        raise Refused(f"No response of “{old.name}” has passages to put in order: {reasons}.")


def _edited(
    old: System, editing: Editing, outcomes: Counter[str], tell: Callable[[int], None]
) -> Iterator[ResponseRecord]:
    records = (
        record
        for portion in response_records(old.study)
        for response, record in portion
        if response.system_id == old.pk
    )
    while batch := list(islice(records, PORTION)):
        try:
            edited = editing.edit(batch)
        except ValueError as error:
            raise Refused(str(error)) from None
        for one in edited:
            outcomes[one.outcome] += 1
            yield one.record
        tell(outcomes.total())

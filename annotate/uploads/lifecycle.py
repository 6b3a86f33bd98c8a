"""The states of an upload, from receiving a file to loading it into the study."""

import hashlib
import logging
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.db.models import Q
from django.template.defaultfilters import pluralize
from django.utils import timezone

from annotate.formats import FORMATS, recognise, unrecognised
from annotate.formats.limits import NAME_CHARS, RUN_CHARS
from annotate.formats.tables.kinds import is_table
from annotate.formats.tables.mapping import FORMAT_OF, ColumnMapping
from annotate.models import Study, Upload, User
from annotate.studies import quotas
from annotate.studies.lifecycle import refuse_while_loading
from annotate.studies.webhooks import notify
from annotate.text import Division
from annotate.uploads.checking import check
from annotate.uploads.dividing import division_settings
from annotate.uploads.job import UPLOAD, Cancelled, begun
from annotate.uploads.loading import OVERTAKEN, Unloadable, is_overtaken, load, undo
from annotate.uploads.mapping import read_as_table, sample_columns
from annotate.uploads.question_files import remove_listed
from annotate.uploads.storing import store, store_passages
from annotate.web import audit
from annotate.web.errors import Refused
from annotate.work import jobs
from annotate.work.jobs import Holding

log = logging.getLogger(__name__)

HEAD = 65_536
PATIENCE = jobs.PATIENCE
TABLE = FORMAT_OF["outputs"]
State = Upload.State


def receive(
    study: Study,
    file: File[bytes],
    *,
    name: str,
    author: User | None,
    format: str = "",
    passages: File[bytes] | None = None,
    system: str = "",
    run: str = "",
    mode: str = "auto",
    division: Division | None = None,
    replace: bool = False,
    keep_good: bool = False,
    mapping: ColumnMapping | None = None,
) -> Upload:
    """Store the file, and recognise its format by its content. `mapping` tells that it is a
    table, and what its columns are."""
    size = file.size or 0
    _refuse_too_large(name, size)
    if size == 0:
        raise Refused(f"{name} is empty.")
    quotas.refuse_work(study, author)
    quotas.refuse_bytes(study, author, size + (passages.size or 0 if passages else 0))
    _refuse_long_names(system, run)
    head = file.read(HEAD)
    chosen = mapping.format if mapping else format or recognised(head, name)
    if chosen not in FORMATS:
        raise Refused(f"Unknown format “{chosen}”. Known: {', '.join(sorted(FORMATS))}.")
    digest = hashlib.sha256(head)
    while block := file.read(1_000_000):
        digest.update(block)
    file.seek(0)
    upload = Upload(
        study=study,
        created_by=author,
        name=name[:255],
        size=size,
        digest=digest.hexdigest(),
        format=chosen,
        system=system.strip(),
        run=run.strip(),
        mode=mode,
        division=asdict(division) if division else None,
        replace=replace,
        keep_good=keep_good,
    )
    if passages is not None:
        upload.passages_name = str(passages.name)[:255]
    store(upload, file, passages)
    if FORMATS[chosen].mapped:
        sample_columns(upload, mapping, format)
    audit.note("upload-received", upload, by=author, size=size, digest=upload.digest)
    return upload


def _refuse_too_large(name: str, size: int) -> None:
    if size > settings.ATTEST_MAX_UPLOAD_BYTES:
        raise Refused(
            f"{name} has {size:,} bytes; at most {settings.ATTEST_MAX_UPLOAD_BYTES:,} are "
            "accepted (setting ATTEST_MAX_UPLOAD_BYTES). Split the file, or ask your "
            "administrator to raise the limit."
        )


def _refuse_long_names(system: str, run: str) -> None:
    for what, text, most in (("system", system, NAME_CHARS), ("run", run, RUN_CHARS)):
        if len(text.strip()) > most:
            raise Refused(
                f"The name of the {what} has {len(text.strip())} characters; at most {most} fit."
            )


def recognised(head: bytes, name: str) -> str:
    """Return the format of a file, or refuse it with a description."""
    found = recognise(head) or (TABLE if is_table(head) else None)
    if found is None:
        problem = unrecognised(head, name)
        raise Refused(
            f"Expected {problem.expected}, found {problem.found}. {problem.advice}".strip()
        )
    return found


def work(upload_id: int, *, inline: bool = False) -> Upload | None:
    """Do the upload's next step, unless there is none or another worker does it. `inline`
    tells that a person waits for the page."""
    done = _work(upload_id)
    if not done and _finish_earlier_loads(upload_id, inline=inline):
        done = _work(upload_id)
    if not done:
        return None
    upload = Upload.objects.filter(pk=upload_id).first()
    if upload is not None:
        _wake_next(upload)
    return upload


def _work(upload_id: int) -> bool:
    return jobs.work(UPLOAD, upload_id, _do, fail=_fail, interrupted=_cancel)


def _do(holding: Holding[Upload]) -> None:
    upload = holding.row
    if upload.cancel_requested:
        raise Cancelled
    if upload.deaths >= jobs.MOST_DEATHS:
        raise Unloadable(UPLOAD.died)
    if upload.state == State.CHECKING:
        findings = check(holding)
        good = not findings.problem_count or (upload.keep_good and findings.records > 0)
        state = State.READY if good else State.INVALID
        holding.finish(state, findings=findings.as_json(), error="")
    else:
        load(holding)


def _fail(holding: Holding[Upload], problem: Exception) -> None:
    """Remove the rows that were written, and record the error. An error that is not meant for
    people is recorded with its type."""
    state, error = State.FAILED, f"{type(problem).__name__}: {problem}"
    if isinstance(problem, Cancelled):
        state, error = State.CANCELLED, ""
    elif isinstance(problem, Unloadable):
        error = str(problem)
    elif isinstance(problem, FileNotFoundError):
        error = "The uploaded file is no longer on disk. Upload it again."
    else:
        log.exception("upload %s failed", holding.row.pk)
    undo(holding)
    upload = holding.row
    with transaction.atomic():
        holding.finish(state, error=error)
        if state == State.FAILED:
            notify(upload.study_id, "upload.failed", upload=upload.pk, name=upload.name)


def _cancel(holding: Holding[Upload]) -> None:
    _fail(holding, Cancelled())


def _wake_next(upload: Upload) -> None:
    waiting = Upload.objects.filter(study_id=upload.study_id, state=State.QUEUED)
    for pk in waiting.order_by("pk").values_list("pk", flat=True)[:1]:
        send(pk)


def _finish_earlier_loads(upload_id: int, *, inline: bool) -> bool:
    """First finish interrupted loads that block this one; return whether any were. While a
    person waits for a page, a large one is left to a worker, and this one waits."""
    study = Upload.objects.filter(pk=upload_id, state=State.QUEUED).values("study")
    unleased = Q(lease_until=None) | Q(lease_until__lt=timezone.now())
    done = False
    for upload in Upload.objects.filter(begun(), unleased, study__in=study).exclude(pk=upload_id):
        if inline and not is_small(upload):
            send(upload.pk)
        else:
            work(upload.pk)
            done = True
    return done


def give_up(upload: Upload) -> None:
    """Undo and discard an unfinished upload whose worker is known to be gone."""
    past = timezone.now() - timedelta(seconds=1)
    Upload.objects.filter(pk=upload.pk, lease_until__isnull=False).update(lease_until=past)
    holding = jobs.claim(UPLOAD, upload.pk)
    if holding is not None:
        _cancel(holding)
    upload.refresh_from_db()
    discard(upload)


def is_small(upload: Upload) -> bool:
    """Return whether the file is processed at once, while the researcher waits."""
    extra = upload.passages_file.size if upload.passages_file else 0
    return upload.size + extra <= settings.ATTEST_INLINE_UPLOAD_BYTES


def start(upload: Upload) -> None:
    """Do the next step: at once if the file is small, else in a worker."""
    if is_small(upload) or upload.is_unmapped:
        work(upload.pk, inline=True)
        upload.refresh_from_db()
    else:
        transaction.on_commit(lambda: send(upload.pk))


def send(upload_id: int) -> None:
    """Send the upload to a worker. If the queue is down, a later sweep finds it."""
    jobs.send(UPLOAD, "default", [upload_id])


def accept(upload: Upload, *, replace: bool = False, keep_good: bool = False) -> None:
    """Accept a checked upload for loading."""
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=upload.study_id)
        locked = Upload.objects.select_for_update().get(pk=upload.pk)
        if locked.state not in {State.READY, State.INVALID}:
            raise Refused(f"This upload is {locked.get_state_display().lower()}.")
        _refuse_above_quota(locked)
        if locked.division is not None:
            _refuse_incomplete_division(locked)
        if locked.findings.get("problem_count", 0) and not keep_good:
            raise Refused(
                "The file has errors. Mend them and upload it again, or load the good records only."
            )
        if is_outdated(locked, study):
            raise Refused("The study's settings changed since the check. Check the file again.")
        changed = locked.findings.get("changed", 0) + locked.findings.get("changed_judgments", 0)
        replace = replace or locked.division is not None
        if changed and not replace and not keep_good:
            raise Refused(
                f"{changed} record{pluralize(changed)} {pluralize(changed, 'is,are')} here already "
                f"with another content. Ask to replace {pluralize(changed, 'it,them')}, or give "
                "the upload another run."
            )
        locked.replace, locked.keep_good = replace, keep_good
        locked.state, locked.position = State.QUEUED, 0
        audit.note("upload-accepted", locked, replace=replace, keep_good=keep_good)
        _request_step(
            locked, "replace", "keep_good"
        )  # an earlier request to cancel was too late for the check
    upload.refresh_from_db()


def _refuse_above_quota(upload: Upload) -> None:
    """Check the quotas. Existing records need no more room."""
    quotas.refuse_work(upload.study, upload.created_by)
    here = ("unchanged", "unchanged_judgments", "changed", "changed_judgments")
    more = upload.findings.get("records", 0) - sum(upload.findings.get(key, 0) for key in here)
    quotas.refuse_rows(upload.study, upload.created_by, max(0, more))


def _refuse_incomplete_division(upload: Upload) -> None:
    """Refuse to divide only some answers: a study has one setting for all."""
    problems = upload.findings.get("problem_count", 0)
    if problems:
        raise Refused(
            f"{problems:,} answer{pluralize(problems)} cannot be divided so, and all answers of a "
            "study are divided by one setting. The study stays as it is."
        )
    if is_overtaken(upload, upload.findings.get("records", 0)):
        raise Refused(OVERTAKEN)


def is_outdated(upload: Upload, study: Study) -> bool:
    """Return whether the study's division settings changed since the check."""
    checked = upload.findings.get("division")
    return bool(checked) and checked != division_settings(study, upload.chosen_division)


def confirm(upload: Upload, *, replace: bool = False, keep_good: bool = False) -> None:
    """Load a checked upload."""
    accept(upload, replace=replace, keep_good=keep_good)
    start(upload)


def check_again(
    upload: Upload, *, system: str, run: str, mode: str, mapping: ColumnMapping | None = None
) -> None:
    """Check again with another system or run, division or column mapping."""
    with transaction.atomic():
        locked = Upload.objects.select_for_update().get(pk=upload.pk)
        if not locked.can_be_checked:
            raise Refused(f"This upload is {locked.get_state_display().lower()}.")
        quotas.refuse_work(locked.study, locked.created_by)
        if mapping is not None and locked.columns is None:
            read_as_table(locked)
        if locked.division is None:  # otherwise each answer keeps its own
            locked.system, locked.run, locked.mode = system.strip(), run.strip(), mode
        if mapping is not None:
            locked.mapping, locked.format = mapping.as_json(), mapping.format
        locked.state, locked.position = State.RECEIVED, 0
        _request_step(locked, "system", "run", "mode", "mapping", "format")
    upload.refresh_from_db()
    start(upload)


def give_passages(upload: Upload, passages: File[bytes]) -> None:
    """Add the passages file that an upload refers to."""
    if not upload.can_be_checked:
        raise Refused(f"This upload is {upload.get_state_display().lower()}.")
    _refuse_too_large(str(passages.name), passages.size or 0)
    quotas.refuse_bytes(upload.study, upload.created_by, passages.size or 0)
    store_passages(upload, passages)
    audit.note("upload-received", upload, size=passages.size or 0, passages=True)


def _request_step(upload: Upload, *changed: str) -> None:
    """Request the next step, with a new count of attempts."""
    upload.reset_attempts()
    upload.cancel_requested = False
    upload.finished_at = timezone.now()
    asked = ("state", "position", "cancel_requested", "finished_at", *Upload.UNTRIED)
    upload.save(update_fields=[*changed, *asked])


def cancel(upload: Upload) -> None:
    """Stop the work. A worker stops at its next step, and removes the rows that it wrote."""
    with transaction.atomic():
        locked = Upload.objects.select_for_update().get(pk=upload.pk)
        if not locked.is_working:
            raise Refused(f"Nothing to cancel: it is {locked.get_state_display().lower()}.")
        locked.cancel_requested = True
        if locked.state in {State.RECEIVED, State.QUEUED} and not locked.is_begun:
            locked.state = State.CANCELLED
            locked.finished_at = timezone.now()
        locked.save(update_fields=["cancel_requested", "state", "finished_at"])
        audit.note("upload-cancelled", locked)
    upload.refresh_from_db()
    if upload.is_begun:
        start(upload)  # which removes the rows that it left


def discard(upload: Upload) -> None:
    """Delete the file. Loaded rows stay, except for questions without answers."""
    format = FORMATS.get(upload.format)
    alone = format is not None and format.kind == "questions"
    if alone and upload.state == State.DONE:
        refuse_while_loading(upload.study)
        remove_listed(upload)
    with transaction.atomic():
        locked = Upload.objects.select_for_update().get(pk=upload.pk)
        if locked.is_working or (locked.state == State.DONE and not alone):
            raise Refused(f"It cannot be discarded: it is {locked.get_state_display().lower()}.")
        locked.state = State.DISCARDED
        locked.save(update_fields=["state"])
        audit.note("upload-cancelled", locked, discarded=True)
    for file in (locked.file, locked.passages_file):
        if file:
            file.delete(save=False)
    upload.refresh_from_db()


def outcome(upload: Upload) -> str:
    """Describe the result of loading in one sentence."""
    result: dict[str, Any] = upload.result
    parts = []
    for key, singular, plural in (
        ("responses", "response loaded", "responses loaded"),
        ("replaced", "response replaced", "responses replaced"),
        ("references", "question with other references", "questions with other references"),
        ("questions", "question by itself loaded", "questions by themselves loaded"),
        ("captured", "source with its text", "sources with their texts"),
        ("judgments", "judgment loaded", "judgments loaded"),
        ("replaced_judgments", "judgment replaced", "judgments replaced"),
        (
            "described",
            "question's data set or metadata changed",
            "questions' data sets or metadata changed",
        ),
        ("left_out", "record left out", "records left out"),
    ):
        count = result.get(key, 0)
        if count:
            parts.append(f"{count:,} {singular if count == 1 else plural}")
    same = result.get("unchanged", 0) + result.get("unchanged_judgments", 0)
    if not parts:
        return "Nothing changed: everything in this file was here already."
    if same:
        parts.append(f"{same:,} unchanged")
    return ", ".join(parts) + "."


def waits_for_a_worker(upload: Upload) -> bool:
    """Return whether the upload has waited so long that probably no worker is running."""
    waiting = upload.state in {State.RECEIVED, State.QUEUED}
    since = upload.finished_at or upload.created_at
    return waiting and timezone.now() - since > PATIENCE


def nudge(upload: Upload) -> None:
    """Resume an upload whose message or worker was lost, while a person watches it. This does
    not happen on every request: without a worker, messages would accumulate."""
    if waits_for_a_worker(upload) or upload.lease_until is not None:
        jobs.sweep_rows(UPLOAD, timezone.now(), pk=upload.pk)

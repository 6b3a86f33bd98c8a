"""An upload's way from the browser or the command line into the study."""

import hashlib
import logging
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.core.files.base import File
from django.db import transaction
from django.template.defaultfilters import pluralize
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotate.formats import FORMATS, recognise, unrecognised
from annotate.formats.limits import NAME_CHARS, RUN_CHARS
from annotate.models import Study, Upload, User
from annotate.services.errors import Refused
from annotate.services.uploads.checking import check
from annotate.services.uploads.dividing import way_of_dividing
from annotate.services.uploads.leases import Cancelled, LeaseLost, claim, dropped, finish, stale
from annotate.services.uploads.loading import Unloadable, load, undo

log = logging.getLogger(__name__)

HEAD = 65_536
PATIENCE = timedelta(seconds=20)
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
    replace: bool = False,
    keep_good: bool = False,
) -> Upload:
    """Store the file and recognise its format from its content."""
    size = file.size or 0
    if size > settings.ATTEST_MAX_UPLOAD_BYTES:
        raise Refused(
            f"{name} has {size:,} bytes; at most {settings.ATTEST_MAX_UPLOAD_BYTES:,} are "
            "accepted (setting ATTEST_MAX_UPLOAD_BYTES). Split the file, or ask whoever runs "
            "Attest to raise the limit."
        )
    if size == 0:
        raise Refused(f"{name} is empty.")
    for what, text, most in (("system", system, NAME_CHARS), ("run", run, RUN_CHARS)):
        if len(text.strip()) > most:
            raise Refused(
                f"The name of the {what} has {len(text.strip())} characters; at most {most} fit."
            )
    head = file.read(HEAD)
    chosen = format or recognised(head, name)
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
        replace=replace,
        keep_good=keep_good,
    )
    upload.file.save(_stored_name(upload), file, save=False)
    if passages is not None:
        upload.passages_name = str(passages.name)[:255]
        upload.passages_file.save(f"{_stored_name(upload)}-passages", passages, save=False)
    upload.save()
    return upload


def _stored_name(upload: Upload) -> str:
    return f"{upload.study.slug}-{upload.digest[:16]}"


def recognised(head: bytes, name: str) -> str:
    """The format of a file, or a refusal that says what was seen."""
    found = recognise(head, name)
    if found is None:
        problem = unrecognised(head, name)
        raise Refused(
            f"Expected {problem.expected}, found {problem.found}. {problem.advice}".strip()
        )
    return found


def work(upload_id: int, *, inline: bool = False) -> Upload | None:
    """Do the upload's next step, if there is one and nobody else is at it.

    `inline` says that somebody waits for a page meanwhile.
    """
    upload = claim(upload_id) or _claim_after_dropped(upload_id, inline=inline)
    if upload is None:
        return None
    token = upload.lease_token
    try:
        if upload.state == State.CHECKING:
            _check(upload)
        else:
            load(upload)
    except LeaseLost:
        log.warning("upload %s: taken over by another worker", upload.pk)
    except Cancelled:
        _take_back(upload, token, State.CANCELLED, "")
    except Unloadable as error:
        _take_back(upload, token, State.FAILED, str(error))
    except FileNotFoundError:
        gone = "The uploaded file is no longer on disk. Upload it again."
        _take_back(upload, token, State.FAILED, gone)
    except (KeyboardInterrupt, SystemExit):
        _take_back(upload, token, State.CANCELLED, "")
        raise
    except Exception as error:
        log.exception("upload %s failed", upload.pk)
        _take_back(upload, token, State.FAILED, f"{type(error).__name__}: {error}")
    _wake_next(upload)
    return upload


def _check(upload: Upload) -> None:
    findings = check(upload)
    good = not findings.problem_count or (upload.keep_good and findings.records > 0)
    finish(upload, State.READY if good else State.INVALID, findings=findings.as_json(), error="")


def _take_back(upload: Upload, token: str, state: "Upload.State", error: str) -> None:
    """Undo an unpublished step of ours; what the database says counts, not what we meant to say."""
    ours = Upload.objects.filter(pk=upload.pk, lease_token=token, published_at__isnull=True)
    held = ours.values("state", "lease_token", "published_at").first()
    if held is None:
        log.warning("upload %s: published, or taken over by another worker", upload.pk)
        return
    for name, value in held.items():
        setattr(upload, name, value)
    try:
        undo(upload)
        finish(upload, state, error=error)
    except LeaseLost:
        log.warning("upload %s: taken over by another worker", upload.pk)


def _wake_next(upload: Upload) -> None:
    waiting = Upload.objects.filter(study_id=upload.study_id, state=State.QUEUED)
    for pk in waiting.order_by("pk").values_list("pk", flat=True)[:1]:
        send(pk)


def _claim_after_dropped(upload_id: int, *, inline: bool) -> Upload | None:
    """First finish the load that stands in the way because its worker was killed.

    A large one is a worker's business while somebody waits for a page; this one then waits too.
    """
    study = Upload.objects.filter(pk=upload_id, state=State.QUEUED).values("study")
    before = dropped().filter(study__in=study, state=State.LOADING).exclude(pk=upload_id)
    done = False
    for upload in before:
        if inline and not is_small(upload):
            send(upload.pk)
        else:
            work(upload.pk)
            done = True
    return claim(upload_id) if done else None


def give_up(upload: Upload) -> None:
    """Take back and discard an unfinished upload whose worker is known to be gone."""
    past = timezone.now() - timedelta(seconds=1)
    Upload.objects.filter(pk=upload.pk, lease_until__isnull=False).update(lease_until=past)
    claimed = claim(upload.pk)
    if claimed is not None:
        _take_back(claimed, claimed.lease_token, State.CANCELLED, "")
    upload.refresh_from_db()
    discard(upload)


def is_small(upload: Upload) -> bool:
    """Whether the file is worked on at once, while its researcher waits for the page."""
    extra = upload.passages_file.size if upload.passages_file else 0
    return upload.size + extra <= settings.ATTEST_INLINE_UPLOAD_BYTES


def start(upload: Upload) -> None:
    """Have the next step done: at once where the file is small, else by a worker."""
    if is_small(upload):
        work(upload.pk, inline=True)
        upload.refresh_from_db()
    else:
        transaction.on_commit(lambda: send(upload.pk))


def send(upload_id: int) -> None:
    """Tell a worker where to look. Where the queue is down, a later look finds the upload."""
    from annotate.tasks import work_on_upload

    try:
        work_on_upload.delay(upload_id)
    except (OperationalError, OSError):
        log.warning("the queue cannot be reached; upload %s waits", upload_id)


def accept(upload: Upload, *, replace: bool = False, keep_good: bool = False) -> None:
    """Say that what was checked shall be loaded."""
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=upload.study_id)
        locked = Upload.objects.select_for_update().get(pk=upload.pk)
        if locked.state not in {State.READY, State.INVALID}:
            raise Refused(f"This upload is {locked.get_state_display().lower()}.")
        if locked.findings.get("problem_count", 0) and not keep_good:
            raise Refused(
                "The file has errors. Mend them and upload it again, or load the good records only."
            )
        if is_outdated(locked, study):
            raise Refused("The study's settings changed since the check. Check the file again.")
        changed = locked.findings.get("changed", 0) + locked.findings.get("changed_judgments", 0)
        if changed and not replace and not keep_good:
            raise Refused(
                f"{changed} record{pluralize(changed)} {pluralize(changed, 'is,are')} here already "
                f"with another content. Ask to replace {pluralize(changed, 'it,them')}, or give "
                "the upload another run."
            )
        locked.replace, locked.keep_good = replace, keep_good
        locked.state, locked.position = State.QUEUED, 0
        locked.cancel_requested = False  # asked too late to stop the check
        locked.finished_at = timezone.now()
        locked.save(
            update_fields=[
                "replace",
                "keep_good",
                "state",
                "position",
                "cancel_requested",
                "finished_at",
            ]
        )
    upload.refresh_from_db()


def is_outdated(upload: Upload, study: Study) -> bool:
    """Whether the study would divide the file otherwise now than when it was checked."""
    checked = upload.findings.get("division")
    return bool(checked) and checked != way_of_dividing(study)


def confirm(upload: Upload, *, replace: bool = False, keep_good: bool = False) -> None:
    """Load what was checked."""
    accept(upload, replace=replace, keep_good=keep_good)
    start(upload)


def check_again(upload: Upload, *, system: str, run: str, mode: str) -> None:
    """Another name for the system or run, or another way to divide: look again."""
    with transaction.atomic():
        locked = Upload.objects.select_for_update().get(pk=upload.pk)
        if locked.state not in {State.READY, State.INVALID, State.FAILED, State.CANCELLED}:
            raise Refused(f"This upload is {locked.get_state_display().lower()}.")
        locked.system, locked.run, locked.mode = system.strip(), run.strip(), mode
        locked.state, locked.position = State.RECEIVED, 0
        locked.cancel_requested = False
        locked.finished_at = timezone.now()
        locked.save(
            update_fields=[
                "system",
                "run",
                "mode",
                "state",
                "position",
                "cancel_requested",
                "finished_at",
            ]
        )
    upload.refresh_from_db()
    start(upload)


def cancel(upload: Upload) -> None:
    """Stop the work. A worker stops at its next step and takes back what it wrote."""
    with transaction.atomic():
        locked = Upload.objects.select_for_update().get(pk=upload.pk)
        if not locked.is_working:
            raise Refused(f"Nothing to cancel: it is {locked.get_state_display().lower()}.")
        locked.cancel_requested = True
        if locked.state in {State.RECEIVED, State.QUEUED}:
            locked.state = State.CANCELLED
            locked.finished_at = timezone.now()
        locked.save(update_fields=["cancel_requested", "state", "finished_at"])
    upload.refresh_from_db()


def discard(upload: Upload) -> None:
    """Throw the file away. What was loaded stays."""
    with transaction.atomic():
        locked = Upload.objects.select_for_update().get(pk=upload.pk)
        if locked.is_working or locked.state == State.DONE:
            raise Refused(f"It cannot be discarded: it is {locked.get_state_display().lower()}.")
        locked.state = State.DISCARDED
        locked.save(update_fields=["state"])
    for file in (locked.file, locked.passages_file):
        if file:
            file.delete(save=False)
    upload.refresh_from_db()


def wake() -> int:
    """Send out again every upload that waits or was dropped by a killed worker."""
    ids = stale()
    for pk in ids:
        send(pk)
    return len(ids)


def outcome(upload: Upload) -> str:
    """One sentence on what loading did."""
    result: dict[str, Any] = upload.result
    parts = []
    for key, singular, plural in (
        ("responses", "response loaded", "responses loaded"),
        ("replaced", "response replaced", "responses replaced"),
        ("judgments", "judgment loaded", "judgments loaded"),
        ("replaced_judgments", "judgment replaced", "judgments replaced"),
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
    """Whether the upload has waited so long that probably no worker is running."""
    waiting = upload.state in {State.RECEIVED, State.QUEUED}
    since = upload.finished_at or upload.created_at
    return waiting and timezone.now() - since > PATIENCE


def look_after() -> None:
    """Nudge every upload that was left lying; a worker does this again and again."""
    for upload in Upload.objects.filter(pk__in=stale()):
        nudge(upload)


def nudge(upload: Upload) -> None:
    """Send an upload out again whose message or worker was lost, while somebody watches it.

    Not at every look: where no worker runs, messages would pile up.
    """
    lost = waits_for_a_worker(upload) or dropped().filter(pk=upload.pk).exists()
    if lost and cache.add(f"nudged-upload-{upload.pk}", True, PATIENCE.total_seconds()):
        send(upload.pk)

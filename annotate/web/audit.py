"""The audit log: entries are written with the action and added to the chain after it.

Functions that change something call `note` within their transaction. Pages and addresses that
return judgments are recorded when they answer (`READS`). The current request provides the person
and the network address.
"""

import hashlib
import logging
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError, models, transaction
from django.http import HttpRequest
from django.utils import timezone

from annotate.models import ApiToken, AuditChain, AuditEntry, Invitation, Study, User, Via
from annotate.work import jobs
from annotate.work.jobs.workers import this_worker
from annotate.work.telemetry import known

log = logging.getLogger(__name__)

ACTS: Mapping[str, str] = {
    # People
    "signed-in": "signed in",
    "sign-in-failed": "failed to sign in",
    "signed-out": "signed out",
    "account-made": "made an account",
    "password-changed": "changed a password",
    "address-changed": "changed an e-mail address",
    "factor-added": "added a second factor",
    "factor-removed": "removed a second factor",
    "account-changed": "gave or took the role of operator or researcher",
    "reset-link-made": "made a link for a new password",
    "sessions-ended": "signed out other browsers",
    "sso-connected": "connected single sign-on",
    "sso-disconnected": "disconnected single sign-on",
    "account-left": "left, with the account removed or made pseudonymous",
    "token-made": "made a token",
    "token-deleted": "deleted a token",
    "invited": "made an invitation link",
    "invitation-revoked": "withdrew an invitation link",
    "joined": "joined",
    "role-changed": "changed a role",
    "member-removed": "ended a membership",
    "admission-changed": "changed who may come by a link",
    "ids-hashed": "had participants' ids kept as digests",
    "released": "released a participant's id",
    "standing-changed": "paused, excluded or readmitted a rater",
    # The study
    "study-made": "made the study",
    "study-copied": "copied the study",
    "study-changed": "changed the settings",
    "dimensions-changed": "changed what is asked",
    "study-deleted": "deleted the study",
    "study-archived": "archived the study",
    "study-unarchived": "took the study out of the archive",
    "guidelines-written": "changed the guidelines",
    "system-changed": "changed a system",
    "response-noted": "wrote, changed or deleted a note on a response",
    "questions-described": "said of questions what data set or kind they are",
    "upload-received": "uploaded a file",
    "upload-accepted": "had a file loaded",
    "upload-cancelled": "cancelled an upload",
    "corpus-made": "made a corpus",
    "corpus-cancelled": "stopped the indexing of a corpus",
    "corpus-deleted": "deleted a corpus",
    "batch-made": "made a batch",
    "batch-drawn": "drew the tasks of a batch",
    "batch-changed": "changed a batch",
    "batch-opened": "opened a batch",
    "batch-closed": "closed a batch",
    "batch-deleted": "deleted a batch",
    "system-deleted": "deleted a system",
    "put-back": "restored a deleted item",
    "removed-now": "removed a deleted item permanently",
    "personal-data-erased": "erased the personal data",
    "decided": "decided a dispute",
    "example-changed": "made, changed or took away an example",
    "gold-judge-made": "made a judge of known answers for a batch",
    "gold-written": "opened a task to write its known answers",
    "participants-approved": "noted participants as approved",
    "part-ended": "ended a participant's part in a batch",
    "generation-started": "had a system made",
    "generation-paused": "paused the making of a system",
    "generation-resumed": "let the making of a system go on",
    "generation-cancelled": "cancelled the making of a system",
    "generation-deleted": "deleted a record of how a system was made",
    "run-started": "started a run",
    "run-paused": "paused a run",
    "run-resumed": "let a run go on",
    "run-cancelled": "cancelled a run",
    "run-budget": "gave a run another budget",
    "prompt-written": "wrote a prompt for language models",
    "threshold-chosen": "chose a judge's threshold on the study's labels",
    "jury-formed": "combined judges into a jury, or brought one up to date",
    "run-deleted": "deleted a run",
    "making-ordered": "had a system, claims or a scorer made",
    "making-cancelled": "cancelled the making of a system, of claims or of a scorer",
    "system-family-said": "said of which family a system is",
    "connection-saved": "saved a connection",
    "connection-lent": "lent a connection",
    "connection-deleted": "deleted a connection",
    "webhook-saved": "made or changed a webhook",
    "webhook-deleted": "deleted a webhook",
    "webhook-redelivered": "had a webhook's delivery sent again",
    "report-shared": "made a share link to a report",
    "report-unshared": "ended a share link",
    # Reading
    "report-opened": "opened a share link",
    "exported": "exported",
    "votes-read": "read raw votes",
}
"""The actions, with their words."""

READS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "download-outputs",
            "download-questions",
            "download-evidence",
            "download-inquiries",
            "download-flags",
            "download-claims",
            "download-notes",
            "download-tables",
            "download-dataset",
            "download-label-studio",
            "download-judgments",
            "download-labels",
            "download-exchange",
            "api-labels",
            "api-exchange",
            "dimensions-download",
            "api-protocol",
            "prompt-download",
            "report-table",
            "report-table-latex",
            "report-rows",
            "report-chart",
            "report-download",
            "report-comparison-table",
            "report-comparison-table-latex",
            "report-comparison-download",
            "participants-csv",
            "personal-download",
            "participants-mturk",
            "audit-log-csv",
            "audit-logs-csv",
            "api-outputs",
            "api-listed-questions",
            "api-report",
            "api-judgments",
            "api-tables",
            "api-dataset",
            "api-label-studio",
            "api-beside",
        ),
        "exported",
    ),
    **dict.fromkeys(
        ("response", "dispute", "rater", "api-responses-detail", "api-dispute"), "votes-read"
    ),
}
"""Pages and API addresses that return judgments, with the action that each one records."""

UNNAMED = (User, ApiToken, Invitation)
"""Models recorded only by id: their names identify people, and entries are permanent."""

SEALED_AT_ONCE = 500
SEAL_AFTER = timedelta(seconds=30)
"""After this time, a worker adds entries to the chain that a crashed process did not add."""


@dataclass(frozen=True, slots=True)
class Visit:
    """The current request, with its network address."""

    request: HttpRequest
    address: Callable[[], str]

    @property
    def user(self) -> User | None:
        user = getattr(self.request, "user", None)
        return user if isinstance(user, User) else None

    @property
    def token(self) -> ApiToken | None:
        return None if self.user is None else self.user.came_by


_visit: ContextVar[Visit | None] = ContextVar("visit", default=None)


@contextmanager
def visited(request: HttpRequest, address: Callable[[], str]) -> Iterator[None]:
    """Attribute actions in this context to the request's user and address."""
    token = _visit.set(Visit(request, address))
    try:
        yield
    finally:
        _visit.reset(token)


@dataclass(frozen=True, slots=True)
class FileTaken:
    """The protocol file that a study imported last, and whether its form has changed since."""

    name: str
    is_changed: bool


def file_taken(study: Study) -> FileTaken | None:
    """Return the study's last imported protocol file from the audit log, if there is one."""
    rows = AuditEntry.objects.filter(study_id=study.pk, act="dimensions-changed")
    is_changed = False
    for details in rows.order_by("-pk").values_list("details", flat=True).iterator():
        if name := details.get("file"):
            return FileTaken(name, is_changed)
        is_changed = True
    return None


def files_taken(study: Study) -> tuple[str, ...]:
    """Return the distinct protocol files that a study imported questions from, in order."""
    changed = AuditEntry.objects.filter(study_id=study.pk, act="dimensions-changed").order_by("id")
    names = (details.get("file") for details in changed.values_list("details", flat=True))
    return tuple(dict.fromkeys(str(name) for name in names if name))


def note(
    act: str,
    about: models.Model | None = None,
    *,
    study: Study | int | None = None,
    by: User | None = None,
    **details: object,
) -> AuditEntry:
    """Record an action within the current transaction."""
    if act not in ACTS:
        raise LookupError(f"No act is called {act!r}; add it to `ACTS`.")
    visit = _visit.get()
    by = by or (visit.user if visit else None)
    token = visit.token if visit else None
    entry = AuditEntry(
        at=timezone.now(),
        act=act,
        user_id=None if by is None else by.pk,
        via=_via(visit, token),
        token_id=None if token is None else token.pk,
        study_id=_study_of(about, study),
        kind="" if about is None else about._meta.model_name or "",
        object_id=None if about is None else about.pk,
        about="" if about is None or isinstance(about, UNNAMED) else _called(about),
        details=_kept(details),
        request_id=known().get("request_id", ""),
        address=visit.address()[:64] if visit else "",
        salt=secrets.token_hex(16),
    )
    entry.place = hashlib.sha256(f"{entry.salt}{entry.address}".encode()).hexdigest()
    entry.save(force_insert=True)
    transaction.on_commit(_seal_soon, robust=True)
    return entry


def note_account(user: User) -> None:
    """Record a new account with its roles."""
    roles = {"is_researcher": user.is_researcher, "is_staff": user.is_staff}
    note("account-made", user, by=user, **roles)


def note_reading(view: str, arguments: Mapping[str, object]) -> None:
    """Record that a page returns judgments, if it does."""
    act = READS.get(view)
    study = known().get("study_id")
    if act is not None:
        details: dict[str, Any] = {"what": view, **arguments}
        note(act, study=int(study) if study else None, **details)


def _via(visit: Visit | None, token: ApiToken | None) -> Via:
    if visit is not None:
        return Via.PAGE if token is None else Via.PROGRAM
    return Via.WORKER if this_worker() else Via.COMMAND


def _study_of(about: models.Model | None, study: Study | int | None) -> int | None:
    if study is not None:
        return study if isinstance(study, int) else study.pk
    if isinstance(about, Study):
        return about.pk
    found: int | None = getattr(about, "study_id", None)
    return found


def _called(about: models.Model) -> str:
    name = getattr(about, "name", "") or getattr(about, "label", "") or ""
    return str(name)[:200]


def _kept(details: Mapping[str, object]) -> dict[str, object]:
    """Return details in the form in which they are read again, which the hash requires."""
    encoder = DjangoJSONEncoder()
    plain = (str, int, bool, list, type(None))
    return {
        name: value if isinstance(value, plain) else encoder.default(value)
        for name, value in details.items()
        if name != "slug"
    }


# The chain -------------------------------------------------------------------------------------


def _seal_soon() -> None:
    try:
        seal()
    except DatabaseError:  # the entry is stored, and a worker adds it to the chain later
        log.warning("the entry could not be added to the chain now")


def seal() -> int:
    """Add new entries to the chain in their order, and return how many.

    If another process is doing so, return at once: a blocked process must not block all others.
    """
    with transaction.atomic():
        AuditChain.objects.get_or_create(pk=1)
        chain = AuditChain.objects.select_for_update(skip_locked=True).filter(pk=1).first()
        if chain is None:
            return 0
        waiting = AuditEntry.objects.filter(number=None).order_by("id")[:SEALED_AT_ONCE]
        for entry in waiting:
            entry.number = chain.length = chain.length + 1
            entry.hash = chain.last = entry.hash_after(chain.last)
            entry.save(update_fields=["number", "hash"])
        if waiting:
            chain.save()
    return len(waiting)


@jobs.swept
def seal_what_was_left(now: datetime) -> None:
    """Seal old entries whose process crashed or found the chain locked."""
    while AuditEntry.objects.filter(number=None, at__lt=now - SEAL_AFTER).exists():
        if not seal():
            break


@dataclass(frozen=True, slots=True)
class ChainState:
    """The result of verifying the chain."""

    length: int
    last: str
    fault: str = ""
    waiting: int = 0


def verify() -> ChainState:
    """Compute the whole chain again and compare it."""
    chain = AuditChain.objects.filter(pk=1).first() or AuditChain()
    waiting = AuditEntry.objects.filter(number=None).count()
    answer = partial(ChainState, chain.length, chain.last, waiting=waiting)
    before, number = AuditChain._meta.get_field("last").get_default(), 0
    sealed = AuditEntry.objects.filter(number__lte=chain.length).order_by("number")
    for entry in sealed.iterator():
        number += 1
        if entry.number != number:
            return answer(f"Entry {number} is missing.")
        if entry.hash != entry.hash_after(before):
            return answer(f"Entry {number} was changed.")
        before = entry.hash
    if number != chain.length:
        return answer(f"Entries {number + 1} to {chain.length} are missing.")
    if before != chain.last:
        return answer("The end of the chain was changed.")
    return answer()


def blank_addresses(before: datetime) -> int:
    """Delete network addresses of older entries. The chain remains valid."""
    return AuditEntry.objects.filter(at__lt=before).exclude(salt="").update(address="", salt="")

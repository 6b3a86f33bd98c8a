"""Quotas of one study and of one person: bytes, rows and jobs.

Rows that raters write are never refused, so no answer is lost to a limit. Quotas are checked when
a job is requested; two requests at the same moment can exceed them a little.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from django.conf import settings
from django.db.models import Q, QuerySet, Sum

from annotate.models import Judgment, Response, Study, Upload, User
from annotate.web.errors import Refused
from annotate.work.jobs.kinds import KINDS

_within_work: ContextVar[bool] = ContextVar("within_work", default=False)


@contextmanager
def within_work() -> Iterator[None]:
    """Do not count jobs that are started in this block: they are part of a counted job."""
    token = _within_work.set(True)
    try:
        yield
    finally:
        _within_work.reset(token)


CountBytes = Callable[[Q], int]

COUNTERS: list[CountBytes] = []


def counting_bytes(count: CountBytes) -> CountBytes:
    """Register a function that counts the bytes of other rows than uploads."""
    COUNTERS.append(count)
    return count


def refuse_bytes(study: Study, by: User | None, more: int) -> None:
    """Refuse a file above the quota of bytes."""
    instead = "Discard uploads that were not loaded, or delete corpora."
    for owner, setting, rows in _owners(study, by, "BYTES"):
        used = _bytes(Upload.objects.filter(rows)) + sum(count(rows) for count in COUNTERS)
        text = f"{owner} {used:,} bytes of files here, and this brings {more:,} more"
        _refuse_above(setting, used + more, text, instead)


def refuse_rows(study: Study, by: User | None, more: int) -> None:
    """Refuse outputs and judgments above the quota of rows."""
    instead = "Delete systems or studies that are no longer needed."
    for owner, setting, own in _owners(study, by, "ROWS"):
        if not getattr(settings, setting):
            continue  # counting takes a while
        if setting == "ATTEST_STUDY_ROWS":
            responses = Response.objects.filter(study=study)
            judgments = Judgment.objects.filter(judge__study=study)
        else:
            uploads = Upload.objects.filter(own)
            responses = Response.objects.filter(upload__in=uploads)
            judgments = Judgment.objects.filter(upload__in=uploads)
        used = responses.count() + judgments.count()
        text = f"{owner} {used:,} outputs and judgments here, and this brings {more:,} more"
        _refuse_above(setting, used + more, text, instead)


def refuse_work(study: Study, by: User | None) -> None:
    """Refuse a job above the quota of jobs in progress."""
    if _within_work.get():
        return
    for owner, setting, rows in _owners(study, by, "WORK"):
        kinds = [kind for kind in KINDS.values() if kind.asked_for]
        used = sum(kind.rows.filter(rows, state__in=kind.asked_for).count() for kind in kinds)
        text = f"{owner} {used:,} uploads, runs, comparisons and other work, and this is one more"
        _refuse_above(setting, used + 1, text, "Wait until one of them ends, or cancel one.")


def _owners(study: Study, by: User | None, what: str) -> list[tuple[str, str, Q]]:
    """Return the owners of quotas: the start of a message, the setting, and their rows."""
    owners = [("This study has", f"ATTEST_STUDY_{what}", Q(study=study))]
    if by is not None:
        owners.append(("You have", f"ATTEST_PERSON_{what}", Q(created_by=by)))
    return owners


def _refuse_above(setting: str, total: int, text: str, instead: str) -> None:
    most = getattr(settings, setting)
    if most and total > most:
        raise Refused(
            f"{text}; at most {most:,} are allowed (setting {setting}). "
            f"{instead} Or ask your administrator to raise the limit."
        )


def _bytes(uploads: QuerySet[Upload]) -> int:
    uploads = uploads.exclude(state=Upload.State.DISCARDED)
    total = uploads.aggregate(sum=Sum("size"))["sum"] or 0
    for upload in uploads.exclude(passages_file="").only("passages_file"):
        with suppress(OSError):
            total += upload.passages_file.size
    return total

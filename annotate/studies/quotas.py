"""What one study, and one person, may take of an installation that many share.

Rows that people write as raters are never refused: nobody's answer is lost to a limit. It is asked
when something is asked for; what two ask for at the same moment may go a little beyond.
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
    """What is begun meanwhile is a part of work that counts already."""
    token = _within_work.set(True)
    try:
        yield
    finally:
        _within_work.reset(token)


Kept = Callable[[Q], int]

KEPT: list[Kept] = []


def counting_bytes(kept: Kept) -> Kept:
    """Has a function asked how many bytes other rows than uploads keep, of one study or person."""
    KEPT.append(kept)
    return kept


def refuse_bytes(study: Study, by: User | None, more: int) -> None:
    """Refuse a file that is more than may be kept."""
    instead = "Discard uploads that were not loaded, or delete corpora."
    for whose, setting, rows in _whose(study, by, "BYTES"):
        _refuse(
            f"{whose} {{used:,}} bytes of files here, and this brings {more:,} more",
            setting,
            _bytes(Upload.objects.filter(rows)) + sum(kept(rows) for kept in KEPT),
            more,
            instead,
        )


def refuse_rows(study: Study, by: User | None, more: int) -> None:
    """Refuse outputs and judgments that are more than may be kept."""
    instead = "Delete systems or studies that are no longer needed."
    for whose, setting, brought in _whose(study, by, "ROWS"):
        if not getattr(settings, setting):
            continue  # to count them takes a while
        if setting == "ATTEST_STUDY_ROWS":
            responses = Response.objects.filter(study=study)
            judgments = Judgment.objects.filter(judge__study=study)
        else:
            uploads = Upload.objects.filter(brought)
            responses = Response.objects.filter(upload__in=uploads)
            judgments = Judgment.objects.filter(upload__in=uploads)
        _refuse(
            f"{whose} {{used:,}} outputs and judgments here, and this brings {more:,} more",
            setting,
            responses.count() + judgments.count(),
            more,
            instead,
        )


def refuse_work(study: Study, by: User | None) -> None:
    """Refuse to begin with more while so much is going on."""
    if _within_work.get():
        return
    for whose, setting, rows in _whose(study, by, "WORK"):
        kinds = [kind for kind in KINDS.values() if kind.asked_for]
        used = sum(kind.rows.filter(rows, state__in=kind.asked_for).count() for kind in kinds)
        _refuse(
            f"{whose} {{used:,}} uploads, runs, comparisons and other work, and this is one more",
            setting,
            used,
            1,
            "Wait until one of them ends, or cancel one.",
        )


def _whose(study: Study, by: User | None, what: str) -> list[tuple[str, str, Q]]:
    """Who has a quota: how that is said, its setting, and whose rows count."""
    found = [("This study has", f"ATTEST_STUDY_{what}", Q(study=study))]
    if by is not None:
        found.append(("You have", f"ATTEST_PERSON_{what}", Q(created_by=by)))
    return found


def _refuse(said: str, setting: str, used: int, more: int, instead: str) -> None:
    most = getattr(settings, setting)
    if most and used + more > most:
        raise Refused(
            f"{said.format(used=used)}; at most {most:,} are allowed (setting {setting}). "
            f"{instead} Or ask your administrator to raise the limit."
        )


def _bytes(uploads: QuerySet[Upload]) -> int:
    uploads = uploads.exclude(state=Upload.State.DISCARDED)
    kept = uploads.aggregate(sum=Sum("size"))["sum"] or 0
    for upload in uploads.exclude(passages_file="").only("passages_file"):
        with suppress(OSError):
            kept += upload.passages_file.size
    return kept

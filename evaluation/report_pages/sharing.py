"""Share links of reports.

A link works until it expires, until somebody ends it, and while its author is a researcher of the
study: a removed member knows the address and could otherwise continue to read.
"""

import hashlib
import secrets
from collections.abc import Collection, Iterable
from datetime import timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from annotate.access import researchers_of
from annotate.models import Study, System, User
from annotate.web import audit
from annotate.web.errors import Refused
from annotate.work.telemetry import learn
from evaluation.models import Report, ReportLink
from evaluation.report_pages.readers import ReportReader
from evaluation.report_pages.requests import ReportState, report_state
from evaluation.reports.filters import Filters

MOST = 100
"""The most active links of a study."""


def share(
    study: Study, filters: Filters, *, by: User, days: int, with_texts: bool, purpose: str = ""
) -> str:
    """Make a link and return its secret, which cannot be read again."""
    secret = secrets.token_urlsafe(32)
    now = timezone.now()
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        links = ReportLink.objects.filter(study=study, revoked_at__isnull=True)
        if links.filter(expires_at__gt=now).count() >= MOST:
            raise Refused(f"{MOST} links of this study work already. End one of them first.")
        link = ReportLink.objects.create(
            study=study,
            filters=filters.as_json(),
            purpose=purpose,
            digest=_digest(secret),
            with_texts=with_texts,
            created_by=by,
            expires_at=now + timedelta(days=days),
        )
        audit.note(
            "report-shared", study=study, by=by, link=link.pk, days=days, with_texts=with_texts
        )
    return secret


def end(link: ReportLink) -> None:
    """End a link."""
    with transaction.atomic():
        ended = ReportLink.objects.filter(pk=link.pk, revoked_at__isnull=True)
        if ended.update(revoked_at=timezone.now()):
            audit.note("report-unshared", study=link.study_id, link=link.pk)


def links_of(study: Study) -> QuerySet[ReportLink]:
    """Return a study's links, newest first."""
    return ReportLink.objects.filter(study=study).select_related("created_by", "study")


def why_over(study: Study, links: Iterable[ReportLink]) -> list[str]:
    """Return for each of a study's links why it no longer works; empty for active links."""
    researchers = researchers_of(study)
    return [_why_over(link, researchers) for link in links]


def _why_over(link: ReportLink, researchers: Collection[int]) -> str:
    """Return why a link no longer works; empty for an active link."""
    if link.revoked_at is not None:
        return "ended"
    if link.expires_at <= timezone.now():
        return "expired"
    if link.created_by_id not in researchers:
        return "who made it is no researcher of the study any more"
    return ""


def link_behind(secret: str) -> ReportLink | None:
    """Return the active link of this secret, if there is one."""
    found = ReportLink.objects.filter(digest=_digest(secret), study__deleted_at__isnull=True)
    link = found.select_related("study").first()
    if link is None or _why_over(link, researchers_of(link.study)):
        return None
    learn(study_id=link.study_id)
    return link


def note_opening(link: ReportLink) -> None:
    """Record that a visitor reads the page."""
    with transaction.atomic():
        used = ReportLink.objects.filter(pk=link.pk)
        used.update(last_used_at=timezone.now(), uses=F("uses") + 1)
        audit.note("report-opened", study=link.study_id, link=link.pk)


def note_taking(link: ReportLink, what: str) -> None:
    """Record that a visitor downloads a file."""
    with transaction.atomic():
        ReportLink.objects.filter(pk=link.pk).update(last_used_at=timezone.now())
        audit.note("exported", study=link.study_id, link=link.pk, what=what)


def reader_of(link: ReportLink) -> ReportReader:
    return ReportReader(names=False, texts=link.with_texts)


def report_under(link: ReportLink, filters: Filters) -> Report | None:
    """Return the newest report of the link's filters, or None if a system of it was deleted."""
    shown = report_state(link.study, filters).shown
    return None if shown is None or _has_deleted_systems(shown) else shown


def order_under(link: ReportLink, filters: Filters) -> ReportState:
    """Request a report for a link that has none to show.

    Only members can have a shown report built again, so that visitors cause no work.
    """
    return report_state(link.study, filters, order=True)


def _has_deleted_systems(report: Report) -> bool:
    present = System.objects.filter(study=report.study_id).values_list("name", flat=True)
    return not {name for name, *_ in report.data.get("systems", [])} <= set(present)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()

"""Reports, built in the background and kept while the study's data stay as they are.

The database is the truth about how a report stands: whoever holds its lease builds it, and one
whose worker died is built by another. What is shown of it meanwhile: see `ordering`.
"""

import logging
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotate.exchange.deletion import stopping
from annotate.models import Removal
from annotate.protocol.registry import ExtensionError
from annotate.studies.webhooks import notify
from annotate.web.errors import Refused
from annotate.work import jobs
from annotate.work.jobs import Holding
from evaluation.models import Report, ReportChart
from evaluation.report_pages.data_state import data_state, key_of
from evaluation.report_pages.page import ANSWER, sentences
from evaluation.reports.bundle import BundleError
from evaluation.reports.filters import FilterError, Filters
from evaluation.reports.sections.every import section_words
from evaluation.reports.sections.section import SectionError
from evaluation.reports.shape.report import Report as ReportBody
from evaluation.reports.shape.report import ReportError

log = logging.getLogger(__name__)

State = Report.State

QUEUE = "default"

KEPT = 12
"""Choices of filters whose reports a study keeps: those that were read last."""

KEPT_FOR, KEPT_BEFORE = timedelta(hours=24), 5
"""Who reads a report goes on taking files and pictures of it when a newer one takes its place: so
long after it was last opened, and so many before the newest."""

TOLD = (Refused, FilterError, SectionError, ExtensionError, BundleError, ReportError)
"""What says itself what was expected and what to do."""

TELL_EVERY = 0.5
"""Seconds between two notes of how far a report has come."""

REPORT = jobs.Kind(
    model=Report,
    task="evaluation.build_report",
    steps={State.QUEUED: State.BUILDING},
    since=lambda report: report.created_at,
    afresh={"phase": "", "progress": 0},
    advice="Choose fewer systems, or check the worker's log, then try again.",
)


@stopping
def build_no_more(removal: Removal) -> None:
    """Whoever builds a report of a study that was deleted notices that it is gone."""
    if removal.is_of_study:
        waiting = Report.objects.filter(study=removal.study_id)
        waiting.filter(state__in=[State.QUEUED, State.BUILDING]).delete()


def send_to_draw(report: Report) -> bool:
    """Have the pictures of its charts drawn."""
    return jobs.send(REPORT, QUEUE, [report.pk], task="evaluation.draw_report")


# Workers ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Building:
    """How far a report has come that is ours to build for the time being."""

    holding: Holding[Report]
    told_at: float = 0.0

    def tell(self, phase: str, share: float) -> None:
        """Note it now and then, and stop where the report was taken over."""
        self.holding.progress.update(phase=phase, progress=share)
        now = time.monotonic()
        if now - self.told_at >= TELL_EVERY:
            self.told_at = now
            self.holding.renew()

    def computing(self, part: str, done: int, total: int) -> None:
        """Told by the report before each of its parts."""
        words = section_words(part)
        self.tell(f"Computing: {words}" if words else "Computing", 0.1 + 0.8 * done / total)


def work(report_id: int, *, worker: str = "") -> bool:
    """Build a report that waits for it; whether it did."""
    return jobs.work(REPORT, report_id, _do, fail=fail, worker=worker)


def _do(holding: Holding[Report]) -> None:
    from evaluation.report_pages.charts import charts
    from evaluation.report_pages.gathering import gather
    from evaluation.reports.build import build as build_report
    from evaluation.reports.numbers import dumps

    began = time.monotonic()
    building, report = Building(holding), holding.row
    filters = Filters.from_json(report.filters)
    # Taken before the data are read: what comes in between makes the report older, never newer.
    data = data_state(report.study, filters.batch)
    building.tell("Reading the data", 0.0)
    gathered = gather(report.study)
    found = build_report(gathered, filters, progress=building.computing)
    building.tell("Drawing the charts", 0.9)
    made = {
        "body": dumps(found),
        "version": found["version"],
        "headline": _headline(found),
        "data": data,
        "key": key_of(report.study, filters, data),
    }
    _publish(holding, charts(found), made, time.monotonic() - began)


def _headline(found: ReportBody) -> str:
    """The first sentence of the answer, and how well the leading judge agrees with people: a line
    each."""
    first, kappa = sentences(found, ANSWER)[:1], sentences(found, ("kappa",))[:1]
    return "\n".join(dict.fromkeys(one["text"] for one in first + kappa))


def _publish(
    holding: Holding[Report], charts: list[ReportChart], made: dict[str, Any], seconds: float
) -> None:
    """Write it in one step, and let go of what it replaces."""
    report = holding.row
    with transaction.atomic():
        holding.renew()
        same = Report.objects.filter(study=report.study_id, filters_digest=report.filters_digest)
        same.exclude(pk__in=[report.pk, *_still_read(report, made["version"])]).delete()
        report.charts.all().delete()
        for chart in charts:
            chart.report = report
        ReportChart.objects.bulk_create(charts)
        holding.finish(
            State.DONE,
            **made,
            phase="",
            progress=1,
            error="",
            seconds=seconds,
            sent_at=timezone.now(),
        )
        notify(report.study_id, "report.ready", report=report.pk, filters=report.filters)
        transaction.on_commit(lambda: send_to_draw(report))
        over = Report.objects.filter(study=report.study_id, state__in=[State.DONE, State.FAILED])
        choices = over.order_by().values("filters_digest").annotate(at=Max("read_at"))
        old = choices.order_by("-at").values_list("filters_digest", flat=True)[KEPT:]
        over.filter(filters_digest__in=list(old)).delete()


def _still_read(report: Report, version: int) -> list[int]:
    """Those before it, of the same filters, that somebody may have open; of another version nothing
    is shown."""
    before = Report.objects.filter(study=report.study_id, filters_digest=report.filters_digest)
    opened = before.exclude(pk=report.pk).filter(
        state=State.DONE, version=version, read_at__gt=timezone.now() - KEPT_FOR
    )
    return list(opened.order_by("-pk").values_list("pk", flat=True)[:KEPT_BEFORE])


def fail(holding: Holding[Any], problem: Exception) -> None:
    """Say why there is no report, or no comparison of two."""
    if isinstance(problem, TOLD):
        error = str(problem)
    else:
        log.exception("%s %s failed", holding.kind.task, holding.row.pk)
        error = _said(problem)
    holding.finish(State.FAILED, error=error)


def _said(problem: Exception) -> str:
    if isinstance(problem, MemoryError):
        return "The worker's memory did not suffice. Give it more, or choose fewer systems."
    return (
        f"{type(problem).__name__}: {problem}. This is a bug in Attest. Ratings are not "
        "affected. The worker's log has the details. Try again, or use other filters."
    )


@jobs.swept
def look_after_pictures(now: datetime) -> None:
    """Have those drawn whose message was lost."""
    undrawn = Report.objects.filter(state=State.DONE, charts__is_drawn=False)
    for report in undrawn.filter(sent_at__lt=now - jobs.PATIENCE).distinct().defer("body"):
        send_to_draw(report)

"""Reports, built in the background and kept while the study's data stay as they are.

The state of a report is in the database: the worker with its lease builds it, and if that worker
dies, another one does. `requests` decides which report is shown meanwhile.
"""

import json
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
"""The number of choices of filters, read last, with kept reports."""

KEPT_FOR, KEPT_BEFORE = timedelta(hours=24), 5
"""How long after it was last opened, and how many, replaced reports stay for readers' downloads."""

EXPLAINED = (Refused, FilterError, SectionError, ExtensionError, BundleError, ReportError)
"""Errors with messages for users."""

SAVE_EVERY = 0.5
"""Seconds between two writes of a report's progress."""

REPORT = jobs.Kind(
    model=Report,
    task="evaluation.build_report",
    steps={State.QUEUED: State.BUILDING},
    since=lambda report: report.created_at,
    afresh={"phase": "", "progress": 0},
    advice="Choose fewer systems, or check the worker's log, then try again.",
)


@stopping
def delete_unfinished(removal: Removal) -> None:
    """Delete the unfinished reports of a deleted study; their workers stop when the row is gone."""
    if removal.is_of_study:
        waiting = Report.objects.filter(study=removal.study_id)
        waiting.filter(state__in=[State.QUEUED, State.BUILDING]).delete()


def send_to_draw(report: Report) -> bool:
    """Send a report's charts to a worker to be drawn."""
    return jobs.send(REPORT, QUEUE, [report.pk], task="evaluation.draw_report")


# Workers ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class BuildProgress:
    """The progress of a report under this worker's lease."""

    holding: Holding[Report]
    saved_at: float = 0.0

    def update(self, phase: str, share: float) -> None:
        """Save the progress from time to time, and stop if another worker has the report."""
        self.holding.progress.update(phase=phase, progress=share)
        now = time.monotonic()
        if now - self.saved_at >= SAVE_EVERY:
            self.saved_at = now
            self.holding.renew()

    def before_part(self, part: str, done: int, total: int) -> None:
        """Update the progress before a part of the report is computed."""
        words = section_words(part)
        self.update(f"Computing: {words}" if words else "Computing", 0.1 + 0.8 * done / total)


def work(report_id: int, *, worker: str = "") -> bool:
    """Build a waiting report, and return whether it did."""
    return jobs.work(REPORT, report_id, _do, fail=fail, worker=worker)


def _do(holding: Holding[Report]) -> None:
    from evaluation.report_pages.gathering import gather
    from evaluation.reports.build import build as build_report
    from evaluation.reports.numbers import dumps

    began = time.monotonic()
    progress, report = BuildProgress(holding), holding.row
    filters = Filters.from_json(report.filters)
    # Read before the data: changes in between make the report outdated, never too new.
    data = data_state(report.study, filters.batch)
    progress.update("Reading the data", 0.0)
    gathered = gather(report.study)
    body = build_report(gathered, filters, progress=progress.before_part)
    progress.update("Drawing the charts", 0.9)
    fields = {
        "body": dumps(body),
        "version": body["version"],
        "headline": _headline(body),
        "data": data,
        "key": key_of(report.study, filters, data),
    }
    _publish(holding, chart_rows(body), fields, time.monotonic() - began)


def _headline(body: ReportBody) -> str:
    """Return the first sentence of the answer and the one on the leading judge's kappa, as
    lines."""
    first, kappa = sentences(body, ANSWER)[:1], sentences(body, ("kappa",))[:1]
    return "\n".join(dict.fromkeys(one["text"] for one in first + kappa))


def _publish(
    holding: Holding[Report], charts: list[ReportChart], fields: dict[str, Any], seconds: float
) -> None:
    """Write a report in one transaction, and delete the reports that it replaces."""
    report = holding.row
    with transaction.atomic():
        holding.renew()
        same = Report.objects.filter(study=report.study_id, filters_digest=report.filters_digest)
        same.exclude(pk__in=[report.pk, *_still_read(report, fields["version"])]).delete()
        report.charts.all().delete()
        for chart in charts:
            chart.report = report
        ReportChart.objects.bulk_create(charts)
        holding.finish(
            State.DONE,
            **fields,
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
    """Return earlier reports with the same filters and version that a reader may have open."""
    before = Report.objects.filter(study=report.study_id, filters_digest=report.filters_digest)
    opened = before.exclude(pk=report.pk).filter(
        state=State.DONE, version=version, read_at__gt=timezone.now() - KEPT_FOR
    )
    return list(opened.order_by("-pk").values_list("pk", flat=True)[:KEPT_BEFORE])


def fail(holding: Holding[Any], problem: Exception) -> None:
    """Store why a report, or a comparison, could not be built."""
    if isinstance(problem, EXPLAINED):
        error = str(problem)
    else:
        log.exception("%s %s failed", holding.kind.task, holding.row.pk)
        error = _explanation(problem)
    holding.finish(State.FAILED, error=error)


def _explanation(problem: Exception) -> str:
    if isinstance(problem, MemoryError):
        return "The worker's memory did not suffice. Give it more, or choose fewer systems."
    return (
        f"{type(problem).__name__}: {problem}. This is a bug in Attest. Ratings are not "
        "affected. The worker's log has the details. Try again, or use other filters."
    )


@jobs.swept
def send_undrawn(now: datetime) -> None:
    """Send charts to be drawn again whose message was lost."""
    undrawn = Report.objects.filter(state=State.DONE, charts__is_drawn=False)
    for report in undrawn.filter(sent_at__lt=now - jobs.PATIENCE).distinct().defer("body"):
        send_to_draw(report)


# Charts -------------------------------------------------------------------------------------------
# Browsers draw the specifications, so no page waits for pictures: these are for files, and for
# readers without scripts. Web processes import no drawing library.


def chart_rows(report: ReportBody) -> list[ReportChart]:
    """Return each chart as an unsaved row."""
    from evaluation.reports.sections.every import charts_of

    return [
        ReportChart(
            key=key,
            position=number,
            table=chart.table_key,
            title=chart.title,
            description=chart.description,
            spec=json.dumps(chart.spec, ensure_ascii=False, separators=(",", ":")),
        )
        for number, (key, chart) in enumerate(charts_of(report).items(), 1)
    ]


def draw_charts(report_id: int) -> int:
    """Draw a report's missing pictures and return their number; repeating it is harmless."""
    from evaluation.reports.exports.images import chart_svg, svg_png

    waiting = ReportChart.objects.filter(report=report_id, is_drawn=False)
    keys = list(waiting.values_list("pk", flat=True))
    for key in keys:
        found = ReportChart.objects.filter(pk=key).values_list("spec", flat=True).first()
        if found is None:
            continue  # the report was replaced meanwhile
        svg = chart_svg(json.loads(found))
        ReportChart.objects.filter(pk=key).update(svg=svg, png=svg_png(svg), is_drawn=True)
    return len(keys)

"""Reports, built in the background and kept while the study's data stay as they are.

The database is the truth about how a report stands: whoever holds its lease builds it, and one
whose worker died is built by another. What is shown of it meanwhile: see `asking`.
"""

import logging
import secrets
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Q
from django.utils import timezone

from annotate.models import Study
from annotate.services.errors import Refused
from evaluation.models import Report, ReportChart
from evaluation.reporting.data_state import data_state, key_of
from evaluation.reports.filters import FilterError, Filters
from evaluation.reports.sections.every import words_of
from evaluation.running import queue as run_queue
from evaluation.running.leases import Kept
from evaluation.running.queue import LEASE, MOST_ATTEMPTS, PATIENCE

log = logging.getLogger(__name__)

State = Report.State

QUEUE = "default"

KEPT = 12
"""Choices of filters whose reports a study keeps: those that were read last."""

TELL_EVERY = 0.5
"""Seconds between two notes of how far a report has come."""

DIED = (
    f"Its worker was killed {MOST_ATTEMPTS} times while it built this report, perhaps since the "
    "memory did not suffice. Look at the worker's log, give it more memory or choose fewer "
    "systems, then try again."
)


class LeaseLost(Exception):  # noqa: N818
    """Another worker took over, so this one must write nothing more."""


def send(report: Report) -> bool:
    """Tell a worker; whether the queue took the message."""
    from evaluation.tasks import build_report

    return run_queue.send(QUEUE, build_report, [report.pk], Report.objects.filter(pk=report.pk))


def send_to_draw(report: Report) -> bool:
    """Have the pictures of its charts drawn."""
    from evaluation.tasks import draw_report

    return run_queue.send(QUEUE, draw_report, [report.pk], Report.objects.filter(pk=report.pk))


# Workers ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Building:
    """A report that is ours to build for the time being, and how far it has come."""

    report: Report
    phase: str = ""
    progress: float = 0.0
    told_at: float = 0.0

    def keep(self) -> bool:
        """Hold the lease for longer; whether it is still ours."""
        mine = Report.objects.filter(
            pk=self.report.pk, lease_token=self.report.lease_token, state=State.BUILDING
        )
        return bool(
            mine.update(
                lease_until=timezone.now() + LEASE, phase=self.phase, progress=self.progress
            )
        )

    def tell(self, phase: str, share: float) -> None:
        """Note it now and then, and stop where the report was taken over."""
        self.phase, self.progress = phase, share
        now = time.monotonic()
        if now - self.told_at >= TELL_EVERY:
            self.told_at = now
            if not self.keep():
                raise LeaseLost

    def computing(self, part: str, done: int, total: int) -> None:
        """Told by the report before each of its parts."""
        words = words_of(part)
        self.tell(f"Computing: {words}" if words else "Computing", 0.1 + 0.8 * done / total)


def build(
    report_id: int, *, worker: str = "", hold: Callable[[Kept], Any] | None = None
) -> Report | None:
    """Build a report that waits for it; as it is afterwards, or None if it is not there.

    `hold` is a context that keeps the lease meanwhile.
    """
    report = _claim(report_id, worker)
    if report is None:
        return Report.objects.filter(pk=report_id).first()
    building = Building(report)
    began = time.monotonic()
    try:
        with nullcontext() if hold is None else hold(building):
            made = _make(building)
        _publish(report, made, time.monotonic() - began)
    except (LeaseLost, Report.DoesNotExist, Study.DoesNotExist):
        log.warning("report %s: built by another worker, or removed", report_id)
    except (OperationalError, InterfaceError) as problem:
        log.warning("report %s: %s", report_id, problem)  # its lease runs out, others try again
    except (Refused, FilterError) as problem:
        _fail(report, str(problem))
    except Exception as problem:
        log.exception("report %s could not be built", report_id)
        _fail(report, _said(problem))
    return Report.objects.filter(pk=report_id).first()


def _claim(report_id: int, worker: str) -> Report | None:
    now = timezone.now()
    with transaction.atomic():
        rows = Report.objects.select_for_update(of=("self",), no_key=True).select_related("study")
        report = rows.filter(pk=report_id, state__in=[State.QUEUED, State.BUILDING]).first()
        if report is None or (report.lease_until is not None and report.lease_until >= now):
            return None
        report.state = State.BUILDING
        report.lease_token = secrets.token_hex(16)
        report.lease_until = now + LEASE
        report.worker = worker
        report.phase, report.progress = "", 0
        report.attempts += 1
        report.save(
            update_fields=[
                "state", "lease_token", "lease_until", "worker", "phase", "progress", "attempts",
            ]
        )  # fmt: skip
    if report.attempts > MOST_ATTEMPTS:
        _fail(report, DIED)
        return None
    return report


@dataclass(slots=True)
class Made:
    """A report with its charts, not written yet, and the state of the data that it is of."""

    body: str
    version: int
    headline: str
    charts: list[ReportChart]
    data: dict[str, Any]
    key: str


def _make(building: Building) -> Made:
    from evaluation.reporting.charts import charts
    from evaluation.reporting.gathering import gather
    from evaluation.reports.build import build as build_report
    from evaluation.reports.numbers import dumps

    report = building.report
    filters = Filters.from_json(report.filters)
    # Taken before the data are read: what comes in between makes the report older, never newer.
    data = data_state(report.study, filters.batch)
    building.tell("Reading the data", 0.0)
    gathered = gather(report.study)
    found = build_report(gathered, filters, progress=building.computing)
    building.tell("Drawing the charts", 0.9)
    rows = charts(found)
    headline = found["headline"][0]["text"] if found["headline"] else ""
    key = key_of(report.study, filters, data)
    return Made(dumps(found), found["version"], headline, rows, data, key)


def _publish(report: Report, made: Made, seconds: float) -> None:
    """Write it in one step, and let go of what it replaces."""
    with transaction.atomic():
        mine = Report.objects.select_for_update(of=("self",), no_key=True).filter(
            pk=report.pk, lease_token=report.lease_token, state=State.BUILDING
        )
        row = mine.first()
        if row is None:
            raise LeaseLost
        others = Report.objects.filter(study=report.study_id, filters_digest=row.filters_digest)
        others.exclude(pk=row.pk).delete()
        row.charts.all().delete()
        for chart in made.charts:
            chart.report = row
        ReportChart.objects.bulk_create(made.charts)
        row.state = State.DONE
        row.body, row.version, row.headline = made.body, made.version, made.headline
        row.data, row.key = made.data, made.key
        row.phase, row.progress, row.error = "", 1, ""
        row.seconds = seconds
        row.lease_token, row.lease_until = "", None
        row.finished_at = row.sent_at = timezone.now()
        row.save()
        transaction.on_commit(lambda: send_to_draw(row))
        over = Report.objects.filter(study=report.study_id, state__in=[State.DONE, State.FAILED])
        old = over.order_by("-read_at")
        Report.objects.filter(pk__in=list(old.values_list("pk", flat=True)[KEPT:])).delete()


def _fail(report: Report, error: str) -> None:
    Report.objects.filter(
        pk=report.pk, lease_token=report.lease_token, state=State.BUILDING
    ).update(
        state=State.FAILED,
        error=error,
        lease_token="",
        lease_until=None,
        finished_at=timezone.now(),
    )


def _said(problem: Exception) -> str:
    if isinstance(problem, MemoryError):
        return "The worker's memory did not suffice. Give it more, or choose fewer systems."
    return (
        f"{type(problem).__name__}: {problem}. This is a fault of Attest; what was rated is not "
        "touched. The worker's log says where it happened. Try again, or with other filters."
    )


# What was left lying ------------------------------------------------------------------------------


def look_after() -> None:
    """Have those built again whose message or whose worker was lost."""
    now = timezone.now()
    lost = Report.objects.filter(state=State.BUILDING, lease_until__lt=now)
    give_back(lost)
    silent = Q(sent_at__isnull=True) | Q(sent_at__lt=now - PATIENCE)
    for report in Report.objects.filter(silent, state=State.QUEUED):
        if report.sent_at is None or _is_silent(report, now):
            send(report)
    undrawn = Report.objects.filter(state=State.DONE, charts__is_drawn=False)
    for report in undrawn.filter(sent_at__lt=now - PATIENCE).distinct().defer("body"):
        send_to_draw(report)


def _is_silent(report: Report, now: datetime) -> bool:
    """Whether its message is taken for lost: given as long as all waiting before, each time."""
    assert report.sent_at is not None
    since = report.created_at
    return report.sent_at < min(now - PATIENCE, since + (now - since) / 2)


def give_back(reports: Any) -> None:
    """Let others build the reports whose worker is gone."""
    for report in reports:
        freed = Report.objects.filter(
            pk=report.pk, state=State.BUILDING, lease_token=report.lease_token
        ).update(state=State.QUEUED, lease_token="", lease_until=None, sent_at=None)
        if freed:
            send(report)


def free_what_died_here(name: str) -> None:
    """A worker starts: what those before it on this machine held when they died, it frees."""
    held = Report.objects.filter(state=State.BUILDING)
    names = set(held.values_list("worker", flat=True))
    gone = [other for other in names if other == name or run_queue.is_dead_here(other)]
    give_back(held.filter(worker__in=gone))
    look_after()

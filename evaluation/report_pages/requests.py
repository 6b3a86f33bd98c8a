"""Requests for a report: which one is shown, and when a new one is built.

Without a report of these filters from the present data, the last one is shown until the new one is
ready. A report of another version of Attest is not shown, since its content may have another shape.
It is built again, and its file can be downloaded meanwhile.
"""

from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotate.models import Study, Worker
from annotate.work import jobs
from evaluation.models import Report
from evaluation.report_pages import lifecycle
from evaluation.report_pages.data_state import changes, data_state, is_readable, key_of, same_data
from evaluation.reports.filters import Filters
from evaluation.reports.shape.report import VERSION

State = Report.State


@dataclass(slots=True)
class ReportState:
    """The reports to show for a request, and the state of the job."""

    current: Report | None
    """The report of the present data, or the one that is being built."""

    shown: Report | None
    """The readable report."""

    of_another_version: Report | None = None
    """A report of another version, available as a file, where no report is readable."""

    changes: int = 0
    """The number of changes since the shown report; 0 where it has the present data."""

    workers: list[Worker] = field(default_factory=list)

    version: int = VERSION
    """The version of shown reports."""

    @property
    def is_working(self) -> bool:
        return self.current is not None and self.current.is_working

    @property
    def has_failed(self) -> bool:
        return self.current is not None and self.current.state == State.FAILED

    @property
    def nobody_works(self) -> bool:
        """Whether it waits and no worker is running."""
        return self.is_working and not self.workers

    @property
    def is_late(self) -> bool:
        """Whether it waits for workers that are busy."""
        if self.current is None or self.current.state != State.QUEUED or not self.workers:
            return False
        return timezone.now() - self.current.created_at > jobs.PATIENCE / 3


def report_state(study: Study, filters: Filters, *, order: bool = False) -> ReportState:
    """Return the state of a report; with `order` a missing one of the present data is built.

    Simultaneous requests get one row, by its key. While a report is being built, no other one is
    started: raters who continue would otherwise cause builds without end.
    """
    data = data_state(study, filters.batch)
    key = key_of(study, filters, data)
    same = Report.objects.defer("body").filter(study=study, filters_digest=filters.digest)
    current = (
        same.filter(key=key).first()
        or same.filter(state__in=[State.QUEUED, State.BUILDING]).first()
    )
    if current is None and order:
        current = _order(study, filters, data, key)
    done = current if current is not None and current.state == State.DONE else None
    built = same.exclude(body="")
    shown = done or next(filter(is_readable, built), None)
    found = ReportState(current, shown)
    if shown is not None:
        Report.objects.filter(pk=shown.pk).update(read_at=timezone.now())
        found.changes = 0 if same_data(shown.data, data) else changes(shown.data, data)
    else:
        found.of_another_version = built.first()
    if found.is_working:
        found.workers = jobs.serving(lifecycle.QUEUE)
    return found


def again(study: Study, filters: Filters) -> Report:
    """Build a report again; one that is being built is not changed."""
    data = data_state(study, filters.batch)
    key = key_of(study, filters, data)
    with transaction.atomic():
        report = Report.objects.select_for_update(no_key=True).filter(key=key).first()
        if report is None:
            return _order(study, filters, data, key)
        if report.is_working:
            return report
        report.state = State.QUEUED
        report.error = report.phase = ""
        report.progress = 0
        report.reset_attempts()
        report.created_at = timezone.now()
        asked = ("state", "error", "phase", "progress", "created_at", *Report.UNTRIED)
        report.save(update_fields=asked)
        transaction.on_commit(lambda: jobs.send_row(lifecycle.REPORT, report))
    report.refresh_from_db()
    return report


def _order(study: Study, filters: Filters, data: dict[str, Any], key: str) -> Report:
    with transaction.atomic():
        report, is_new = Report.objects.get_or_create(
            key=key,
            defaults={
                "study": study,
                "filters": filters.as_json(),
                "filters_digest": filters.digest,
                "data": data,
            },
        )
        if is_new:
            transaction.on_commit(lambda: jobs.send_row(lifecycle.REPORT, report))
    report.refresh_from_db()
    return report


def whole_report(study: Study) -> Report | None:
    """Return the latest report about the whole study, without its body."""
    built = Report.objects.filter(study=study, filters_digest=Filters().digest).exclude(body="")
    return built.defer("body").first()

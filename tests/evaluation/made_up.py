"""Reports in the database: made up, with something in every section, or built as by a worker."""

from typing import Any

from annotate.models import Study
from evaluation.models import Report
from evaluation.reporting import charts as report_charts
from evaluation.reporting import lifecycle as reports
from evaluation.reporting.data_state import data_state, key_of
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.version import VERSION
from tests.evaluation.reports.sample import sample


def made_up_report(study: Study, filters: Filters | None = None, **more: Any) -> Report:
    """A report that is taken for the one of the study's present data; its charts are not drawn."""
    filters = filters or Filters()
    data = data_state(study)
    report = Report.objects.create(
        study=study,
        filters=filters.as_json(),
        filters_digest=filters.digest,
        data=data,
        **{
            "key": key_of(study, filters, data),
            "version": VERSION,
            "state": Report.State.DONE,
            "body": dumps(sample() | {"filters": filters.as_json()}),
            "headline": "Made up.",
            "finished_at": "2026-01-01T00:00Z",
            **more,
        },
    )
    if report.body:
        for chart in report_charts.charts(sample()):
            chart.report = report
            chart.save()
    return report


def build_it(key: int, **more: Any) -> Report:
    """Build a report as a worker does."""
    found = reports.build(key, **more)
    assert found is not None
    return found

"""Reports in the database: made up, with something in every section, or built as by a worker."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from annotate.models import Study
from evaluation.models import Report, ReportChart
from evaluation.report_pages import lifecycle as reports
from evaluation.report_pages.data_state import data_state, key_of
from evaluation.report_pages.lifecycle import chart_rows, draw_charts
from evaluation.reports.exports import images
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.shape.report import VERSION
from evaluation.reports.shape.report import Report as Body
from tests.evaluation.reports.sample import sample


def made_up_report(
    study: Study, filters: Filters | None = None, *, said: Body | None = None, **more: Any
) -> Report:
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
            "body": dumps((said or sample()) | {"filters": filters.as_json()}),
            "headline": "Made up.",
            "finished_at": "2026-01-01T00:00Z",
            **more,
        },
    )
    if report.body:
        for fields in charts_of_sample() if said is None else _fields(said):
            ReportChart.objects.create(report=report, **fields)
    return report


@cache
def charts_of_sample() -> tuple[dict[str, Any], ...]:
    """The sample is always the same, and specifying its charts takes longer than all else."""
    return tuple(_fields(sample()))


def _fields(said: Body) -> Iterator[dict[str, Any]]:
    names = ("key", "position", "table", "title", "description", "spec")
    for chart in chart_rows(said):
        yield {name: getattr(chart, name) for name in names}


def draw(key: int) -> None:
    """Draw a report's charts as a worker does; what was drawn before is not drawn again."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(images, "chart_svg", lambda spec: svg_of(json.dumps(spec)))
        patched.setattr(images, "svg_png", png_of)
        draw_charts(key)


chart_svg, svg_png = images.chart_svg, images.svg_png


@cache
def svg_of(spec: str) -> str:
    return chart_svg(json.loads(spec))


@cache
def png_of(picture: str) -> bytes:
    return svg_png(picture)


def build_it(key: int, **more: Any) -> Report:
    """Build a report as a worker does."""
    reports.work(key, **more)
    return Report.objects.get(pk=key)

"""All charts of a report, in the order in which they are looked at."""

from dataclasses import replace

from evaluation.reports.charts.chart import Chart
from evaluation.reports.charts.theme import theme
from evaluation.reports.sections.every import sections
from evaluation.reports.shape.report import Report


def charts_of(report: Report) -> dict[str, Chart]:
    """Every chart that the report has anything for, by key. Imports Altair, which is large."""
    charts = (_complete(chart) for section in sections() for chart in section.charts_of(report))
    return {chart.key: chart for chart in charts}


def _complete(chart: Chart) -> Chart:
    """With all that a page or a picture needs besides: title, table and theme."""
    besides = {"title": chart.title, "table": chart.table_key, "theme": theme()}
    return replace(chart, spec=chart.spec | {"usermeta": besides})

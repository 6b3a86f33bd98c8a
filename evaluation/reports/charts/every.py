"""All charts of a report, in the order in which they are looked at."""

from dataclasses import replace

from evaluation.reports.charts.cells import confusions, heat_maps
from evaluation.reports.charts.chart import Chart
from evaluation.reports.charts.distribution import distributions
from evaluation.reports.charts.scatter import scatters
from evaluation.reports.charts.systems import systems_charts
from evaluation.reports.charts.theme import theme
from evaluation.reports.charts.thresholds import threshold_charts
from evaluation.reports.tables.table import Report

FAMILIES = (scatters, systems_charts, distributions, heat_maps, confusions, threshold_charts)


def charts_of(report: Report) -> dict[str, Chart]:
    """Every chart that the report has anything for, by key. Imports Altair, which is large."""
    charts = (_complete(chart) for family in FAMILIES for chart in family(report))
    return {chart.key: chart for chart in charts}


def _complete(chart: Chart) -> Chart:
    """With all that a page or a picture needs besides: title, table and theme."""
    besides = {"title": chart.title, "table": chart.table_key, "theme": theme()}
    return replace(chart, spec=chart.spec | {"usermeta": besides})

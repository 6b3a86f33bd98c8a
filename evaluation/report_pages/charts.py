"""The charts of a report: specified when it is built, drawn as pictures afterwards.

Browsers draw the specifications, so no page waits for pictures; these are for files, and for
readers without scripts. Web processes import no drawing library.
"""

import json

from evaluation.models import ReportChart
from evaluation.reports.shape.report import Report


def charts(report: Report) -> list[ReportChart]:
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


def draw(report_id: int) -> int:
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

"""The charts of a report: specified where it is built, drawn as pictures afterwards.

Pages draw the specifications themselves, so nobody waits for pictures; they are for files, and for
readers without scripts. Web processes import no drawing library.
"""

import json

from evaluation.models import ReportChart
from evaluation.reports.shape.report import Report


def charts(report: Report) -> list[ReportChart]:
    """Each chart as a row that is not written yet."""
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
    """Draw the pictures that a report lacks; how many. Done twice, it does no harm."""
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

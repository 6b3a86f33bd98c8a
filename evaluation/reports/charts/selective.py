"""Coverage curve of a judge that abstains: share of answers kept against agreement with people."""

from typing import Any

from evaluation.reports.charts.chart import SQUARE, Chart, Row, coloured, finished, plot
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.values import KnownNumber
from evaluation.reports.tables.names import item_title, judge_title, pair_named


def selective_charts(report: Report) -> list[Chart]:
    """Return a chart for each judge and item with scores."""
    import altair as alt

    charts = []
    for row in report.get("selective", []):
        judge, item = judge_title(report, row["judge"]), item_title(report, row["item"])
        points: list[Row] = [
            {"of": judge, "x": one["kept"], **_shown(one["agreement"])}
            for one in row["curve"]
            if one["agreement"]["value"] is not None
        ]
        if len(points) < 2:
            continue
        axis = alt.Axis(format=".0%")
        y: dict[str, Any] = {
            "title": "Agreement with people",
            "scale": alt.Scale(zero=False, domainMax=1),
        }
        base = plot(points).encode(
            x=alt.X("x:Q", title="Answers kept", scale=alt.Scale(domain=[0, 1]), axis=axis),
            color=coloured(report),
        )
        tell = [
            alt.Tooltip("x:Q", title="Answers kept", format=".0%"),
            alt.Tooltip("y:Q", title="Agreement", format=".1%"),
        ]
        layers = [
            base.mark_rule().encode(y=alt.Y("low:Q", axis=axis, **y), y2="high:Q"),
            base.mark_line(style="curve").encode(y=alt.Y("y:Q", axis=axis, **y)),
            base.mark_point(style="dot", opacity=1).encode(
                y=alt.Y("y:Q", axis=axis, **y), tooltip=tell
            ),
        ]
        description = (
            f"Agreement of {judge} with people on {item}, by the share of its answers that it "
            "keeps: those with the highest confidence. With 95 % intervals."
        )
        spec = finished(alt.layer(*layers), description, width=SQUARE, height=300)
        key, title = pair_named(report, row)
        charts.append(
            Chart(f"kept-{key}", f"Agreement by share kept: {title}", description, spec,
                  f"coverage-{key}")
        )  # fmt: skip
    return charts


def _shown(agreement: KnownNumber) -> Row:
    return {"y": agreement["value"], "low": agreement["low"], "high": agreement["high"]}

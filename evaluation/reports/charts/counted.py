"""How often each answer was given that is not one choice: numbers, choices, kinds of marks."""

from typing import Any

from evaluation.reports.charts.chart import WIDE, Chart, Row, finished, plot
from evaluation.reports.shape.people import OpenRow
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import item_title

HIGH = 220

TITLES = {"histogram": "Numbers", "named": "Choices", "marks": "Marked words"}
"""By the kind of the table behind it."""


def counted(report: Report) -> list[Chart]:
    """One for each question of which there is something to count."""
    charts = [_chart(report, row) for row in report.get("open_answers", [])]
    return [chart for chart in charts if chart is not None]


def _chart(report: Report, row: OpenRow) -> Chart | None:
    title = item_title(report, row["item"])
    if "numbers" in row:
        bars: list[Row] = [
            {"low": each["low"], "high": each["high"], "count": each["count"]}
            for each in row["numbers"]["bins"]
        ]
        said = (f"{bar['low']:g} to {bar['high']:g} {bar['count']}" for bar in bars)
        description = f"Ratings on {title} from low to high: {', '.join(said)}."
        return _finished(row, title, "histogram", description, _columns(title, bars), HIGH)
    if "named" in row:
        bars = [{"name": one["label"], "count": one["count"]} for one in row["named"]]
        key, what = "named", "Ratings"
    elif "spans" in row and row["spans"]["spans"]:
        bars = [
            {"name": ", ".join(filter(None, (kind["label"], kind["severity"]))),
             "count": kind["spans"]}
            for kind in row["spans"]["kinds"]
        ]  # fmt: skip
        key, what = "marks", "Spans"
    else:
        return None
    said = (f"{bar['name']} {bar['count']}" for bar in bars)
    description = f"{what} on {title}: {', '.join(said)}."
    return _finished(row, title, key, description, _rows(what, bars), 30 + 30 * len(bars))


def _finished(
    row: OpenRow, title: str, table: str, description: str, chart: Any, height: int
) -> Chart:
    spec = finished(chart, description, width=WIDE, height=height)
    name = f"{TITLES[table]}: {title}"
    return Chart(f"counted-{row['item']}", name, description, spec, f"{table}-{row['item']}")


def _columns(title: str, bars: list[Row]) -> Any:
    """A histogram."""
    import altair as alt

    return (
        plot(bars)
        .mark_bar(style="dot")
        .encode(
            x=alt.X("low:Q", title=title, bin="binned", scale=alt.Scale(zero=False, nice=False)),
            x2="high:Q",
            y=alt.Y("count:Q", title="Ratings", axis=alt.Axis(tickMinStep=1, format=".0f")),
            tooltip=[
                alt.Tooltip("low:Q", title="From"),
                alt.Tooltip("high:Q", title="To"),
                alt.Tooltip("count:Q", title="Ratings"),
            ],
        )
    )


def _rows(what: str, bars: list[Row]) -> Any:
    """A bar for each name."""
    import altair as alt

    names = [bar["name"] for bar in bars]
    return (
        plot(bars)
        .mark_bar(style="dot")
        .encode(
            x=alt.X("count:Q", title=what, axis=alt.Axis(tickMinStep=1, format=".0f")),
            y=alt.Y("name:N", title=None, sort=names, axis=alt.Axis(labelLimit=0)),
            tooltip=[alt.Tooltip("name:N", title="Answer"), alt.Tooltip("count:Q", title=what)],
        )
    )

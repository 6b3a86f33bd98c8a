"""Systems with their intervals, one below the other: of people, and of judges of the same."""

from typing import Any

from evaluation.reports.charts.chart import HALF, WIDE, Chart, Row, finished, plot
from evaluation.reports.charts.named import (
    LINE_HEIGHT,
    PEOPLE,
    axis_of_names,
    colours_of,
    lines_of,
    shapes_of,
    shared_beginning,
    without,
)
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.systems import AutomaticColumn
from evaluation.reports.tables.names import item_title, judge_title, people_kind
from evaluation.reports.tables.shown import shown
from evaluation.reports.tables.table import Column, value_of

MOST = 4
"""Judges beside people; more could not be told apart."""


def systems_charts(report: Report) -> list[Chart]:
    """One for each item that people or judges gave systems a number for."""
    answered = [column["key"] for column in _answers(report)]
    keys = dict.fromkeys([*report["systems"]["people"], *answered])
    groups = report["systems"]["groups"]
    charts = (_chart(report, key, group) for key in keys for group in range(len(groups)))
    return [chart for chart in charts if chart is not None]


def _answers(report: Report) -> list[AutomaticColumn]:
    """The automatic columns that answer an item. A measure may have an item's key and be another
    thing: correctness finds the reference's claims, ALiiCE judges those of the answer."""
    items = {judge["id"]: judge["items"] for judge in report["judges"]}
    columns = report["systems"]["automatic"]
    return [column for column in columns if column["key"] in items.get(column["judge"], ())]


def _chart(report: Report, key: str, group: int) -> Chart | None:
    """Of the systems of one group: the others are not ranked with them."""
    import altair as alt

    groups = report["systems"]["groups"]
    rows, series = _rows(report, key, groups[group])
    if not rows:
        return None
    kind = people_kind(report, key)
    title = item_title(report, key)
    names = list(dict.fromkeys(row["name"] for row in rows))
    shared = shared_beginning([row["title"] for row in report["systems"]["rows"]])
    several = len(series) > 1
    base = plot(rows)
    lines = max(name.count("\n") + 1 for name in names)
    title_of_names = f"{shared}…" if shared else None
    y = alt.Y("name:N", title=title_of_names, sort=names, axis=axis_of_names(names))
    scale = alt.Scale(zero=False, nice=True)
    x = alt.X("value:Q", title=f"{title} (%)" if kind[0] == "share" else title, scale=scale)
    legend = alt.Legend(columns=2, values=series) if several else None
    encoding: dict[str, Any] = {
        "y": y,
        "color": alt.Color("by:N", title=None, scale=colours_of(report), legend=legend),
    }
    if several:
        encoding["yOffset"] = alt.YOffset("by:N", scale=alt.Scale(domain=series))
    points = base.mark_point(filled=True, opacity=1).encode(
        x=x,
        shape=alt.Shape("by:N", title=None, scale=shapes_of(report), legend=legend),
        tooltip=[
            alt.Tooltip("system:N", title="System"),
            alt.Tooltip("by:N", title="By"),
            alt.Tooltip("said:N", title=title),
        ],
        **encoding,
    )
    intervals = base.mark_rule().encode(
        x=alt.X("low:Q", title=x["title"], scale=scale), x2="high:Q", **encoding
    )
    height = len(names) * max(8 + 14 * len(series), 8 + LINE_HEIGHT * lines)
    description = (
        f"{title} of {len(names)} systems with 95 % intervals, "
        f"in the order of the tables: {', '.join(series)}."
    )
    width = WIDE if height < WIDE else HALF
    spec = finished(alt.layer(intervals, points), description, width=width, height=height)
    end, of = (f"-group-{group + 1}", f", group {group + 1}") if len(groups) > 1 else ("", "")
    return Chart(f"systems-{key}{end}", f"Systems: {title}{of}", description, spec, "systems")


def _rows(report: Report, key: str, names: list[str]) -> tuple[list[Row], list[str]]:
    """A row for each number there is, in the order of the tables; and who gave any."""
    found = report["systems"]
    judges = [column["judge"] for column in _answers(report) if column["key"] == key][:MOST]
    kind = people_kind(report, key)
    times = 100 if kind[0] == "share" else 1
    shared = shared_beginning([row["title"] for row in found["rows"]])
    rows: list[Row] = []
    for row in found["rows"]:
        if row["system"] not in names:
            continue
        numbers = [(PEOPLE, row["people"].get(key))]
        numbers += [(judge_title(report, j), row["automatic"].get(f"{j}/{key}")) for j in judges]
        for by, number in numbers:
            if number is None or number["value"] is None:
                continue
            value = number["value"]
            rows.append(
                {
                    "system": row["title"],
                    "name": "\n".join(lines_of(without(row["title"], shared))),
                    "by": by,
                    "value": value * times,
                    "low": (value if number["low"] is None else number["low"]) * times,
                    "high": (value if number["high"] is None else number["high"]) * times,
                    "said": shown(Column("", "", *kind, "interval"), value_of(number)).plain,
                }
            )
    given = {row["by"] for row in rows}
    series = [by for by in (PEOPLE, *(judge_title(report, j) for j in judges)) if by in given]
    return rows, series

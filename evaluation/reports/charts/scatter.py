"""Systems as points: the judge's number across, people's number upwards."""

from typing import Any

from evaluation.reports.charts.chart import (
    HALF,
    WIDE,
    Chart,
    Row,
    colours_of,
    finished,
    lines_of,
    plot,
    shared_beginning,
    without,
)
from evaluation.reports.charts.placing import places
from evaluation.reports.numbers import in_words
from evaluation.reports.shape.judges import SystemCorrelation
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.judges import group_suffix, points_key
from evaluation.reports.tables.names import (
    automatic_kind,
    automatic_title,
    item_title,
    judge_title,
    people_kind,
    system_title,
)
from evaluation.reports.tables.shown import shown
from evaluation.reports.tables.table import Column, Kind, value_of

LINE = 42
"""Characters in a line of the key below the points: this many fit on a phone."""


LONG = 15
"""Lines of the key that make the chart higher than wide."""

AHEAD = 5 * "\N{NO-BREAK SPACE}"


def scatters(report: Report) -> list[Chart]:
    """Return a chart for each correlation of systems that has a point."""
    charts = (_scatter(report, row) for row in report["correlations"]["systems"])
    return [chart for chart in charts if chart is not None]


def _scatter(report: Report, row: SystemCorrelation) -> Chart | None:
    import altair as alt

    across, upwards = automatic_kind(report, row["key"]), people_kind(report, row["people"])
    rows = _rows(report, row, across, upwards)
    if not rows:
        return None
    judge = by_judge = judge_title(report, row["judge"])
    if row["key"] != row["people"]:
        by_judge = automatic_title(report, row["judge"], row["key"])
    titles = (_axis(by_judge, across[0]), _axis(item_title(report, row["people"]), upwards[0]))
    x = alt.X("x:Q", title=titles[0], scale=_scale(rows, "x"))
    y = alt.Y("y:Q", title=f"People: {titles[1]}", scale=_scale(rows, "y"))
    key = _label(report, rows)
    base = plot(rows)
    outliers = any(point["outlier"] for point in rows)
    tell = [
        alt.Tooltip("system:N", title="System"),
        alt.Tooltip("judge_says:N", title=judge),
        alt.Tooltip("people_say:N", title="People"),
    ]
    standings = ["counted", "left out (hollow)"]
    legend = alt.Legend() if outliers else None
    # All points have an outline; only points that count are filled.
    points = base.mark_point(style="dot", opacity=1, strokeWidth=2, size=90).encode(
        x=x,
        y=y,
        stroke=alt.Stroke("of:N", scale=colours_of(report), legend=None),
        fill=alt.Fill("of:N", scale=colours_of(report), legend=None),
        shape=alt.Shape(
            "standing:N",
            title=None,
            scale=alt.Scale(domain=standings, range=["circle", "diamond"]),
            legend=legend,
        ),
        fillOpacity=alt.FillOpacity(
            "standing:O",
            title=None,
            sort=standings,
            scale=alt.Scale(domain=standings, range=[1, 0]),
            legend=legend,
        ),
        tooltip=tell,
    )
    layers = [
        base.mark_rule(style="error").encode(
            x=alt.X("x_low:Q", title=titles[0]), x2="x_high:Q", y=y
        ),
        base.mark_rule(style="error").encode(x=x, y=alt.Y("y_low:Q"), y2="y_high:Q"),
        *_line(row, rows, across[0], upwards[0]),
        points,
        *_names(base, x, y),
    ]
    description = _description(row, judge, len(rows), outliers)
    width = WIDE if len(key) < LONG else HALF
    spec = finished(alt.layer(*layers), description, width=width, height=400)
    if key:
        spec["title"] = {"text": key, "orient": "bottom", "offset": 12}
    key_of_chart = f"scatter-{row['people']}-{row['judge']}-{row['key']}{group_suffix(row)}"
    return Chart(key_of_chart, row["title"], description, spec, points_key(row))


def _axis(title: str, kind: Kind) -> str:
    return f"{title} (%)" if kind == "share" else title


def _rows(
    report: Report, row: SystemCorrelation, across: tuple[Kind, int], upwards: tuple[Kind, int]
) -> list[Row]:
    """Return the points that have both numbers, as shown."""
    found: list[Row] = []
    for point in row["points"]:
        x, y = point["x"], point["y"]
        if x["value"] is None or y["value"] is None:
            continue
        sides = (("x", x, x["value"], across[0]), ("y", y, y["value"], upwards[0]))
        each: Row = {
            "system": system_title(report, point["system"]),
            "outlier": point["outlier"],
            "of": judge_title(report, row["judge"]),
            "standing": "left out (hollow)" if point["outlier"] else "counted",
            "judge_says": shown(Column("", "", *across, "interval"), value_of(x)).plain,
            "people_say": shown(Column("", "", *upwards, "interval"), value_of(y)).plain,
        }
        for name, number, value, kind in sides:
            times = 100 if kind == "share" else 1
            each[name] = value * times
            for end, bound in (("low", number["low"]), ("high", number["high"])):
                each[f"{name}_{end}"] = (value if bound is None else bound) * times
        found.append(each)
    return found


def _ends(rows: list[Row], name: str) -> tuple[float, float]:
    low, high = min(row[f"{name}_low"] for row in rows), max(row[f"{name}_high"] for row in rows)
    room = (high - low) * 0.06 or abs(high) * 0.1 or 0.1
    return low - room, high + room


def _scale(rows: list[Row], name: str) -> Any:
    import altair as alt

    return alt.Scale(domain=list(_ends(rows, name)), nice=False, zero=False)


def _line(row: SystemCorrelation, rows: list[Row], across: Kind, upwards: Kind) -> list[Any]:
    """Return the line of best fit through the points that count, between the outermost two."""

    line, counted = row["line"], [point["x"] for point in rows if not point["outlier"]]
    if line["slope"] is None or line["intercept"] is None or len(counted) < 2:
        return []
    left, right = (100 if kind == "share" else 1 for kind in (across, upwards))
    ends = [
        {"x": x, "y": (line["intercept"] + line["slope"] * x / left) * right}
        for x in (min(counted), max(counted))
    ]
    fit = plot(ends).mark_line(style="fit", clip=True)
    return [fit.encode(x="x:Q", y="y:Q")]


def _label(report: Report, rows: list[Row]) -> list[str]:
    """Give each point its label and the label's place, and return the lines of the key.

    Labels are names if they do not cover each other, otherwise numbers that the key explains. A
    system has the same number in all scatters. Without room for numbers there is only the key.
    """
    shared = shared_beginning([row["title"] for row in report["systems"]["rows"]])
    numbers = {row["title"]: n for n, row in enumerate(report["systems"]["rows"], 1)}
    named = [without(row["system"], shared) for row in rows]
    numbered = [str(numbers.get(row["system"], "?")) for row in rows]
    ends = {name: _ends(rows, name) for name in "xy"}
    points = [(_along(row["x"], ends["x"]), _along(row["y"], ends["y"])) for row in rows]
    begin = [f"Names begin with “{shared}”."] if shared else []
    for labels, key in ((named, begin), (numbered, [])):
        found = places(points, labels)
        if found is not None:
            for row, label, place in zip(rows, labels, found, strict=True):
                row |= {"label": label, "dx": place.dx, "dy": place.dy}
            if labels is named:
                return key
            break
    pairs = zip(numbered, named, strict=True)
    return [*begin, *(line for pair in pairs for line in _in_lines("  ".join(pair)))]


def _in_lines(name: str) -> list[str]:
    """Break a name into lines, the later ones indented."""
    first, *rest = lines_of(name, LINE)
    return [first, *(f"{AHEAD}{line}" for line in rest)]


def _along(value: float, ends: tuple[float, float]) -> float:
    return (value - ends[0]) / (ends[1] - ends[0])


def _names(base: Any, x: Any, y: Any) -> list[Any]:
    """Labels where `_label` placed them."""
    import altair as alt

    text = base.transform_filter("isValid(datum.label)").mark_text(
        style="name", align="center", baseline="middle",
        dx=alt.expr("datum.dx"), dy=alt.expr("datum.dy"),
    )  # fmt: skip
    return [text.encode(x=x, y=y, text="label:N")]


def _description(row: SystemCorrelation, judge: str, points: int, outliers: bool) -> str:
    pearson = row["pearson"]
    said = (
        f"Pearson's correlation is {in_words(pearson['value'], 2)}."
        if pearson["value"] is not None
        else f"Pearson's correlation is undefined: {pearson['reason']}."
    )
    hollow = " Hollow points are systems that are left out of it." if outliers else ""
    plural = "1 system" if points == 1 else f"{points} systems"
    return (
        f"Scatter of {plural}: across the number of {judge}, upwards people's, with 95 % intervals "
        f"and the line of best fit. {said}{hollow}"
    )

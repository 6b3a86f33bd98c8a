"""Judges against each other: by how much every two differ, one below the other."""

from typing import Any

from evaluation.reports.charts.chart import WIDE, Chart, Row, finished, plot
from evaluation.reports.charts.named import LINE_HEIGHT, axis_of_names, colours_of, lines_of
from evaluation.reports.shape.judges import JudgeComparison, JudgePair, JudgesBy
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.judge_pairs import TITLES
from evaluation.reports.tables.names import item_title, judge_title
from evaluation.reports.tables.shown import shown
from evaluation.reports.tables.table import Column, value_of
from evaluation.stats.comparison import LEVEL

LINE = 28
"""Signs of a judge's name that stand in one line."""

DIFFERENCE = Column("", "", "number", 3, "interval")
P = Column("", "", "p", 3)


def judge_differences(report: Report) -> list[Chart]:
    """One for each item and number by which two judges were compared."""
    charts = (
        _chart(report, one, by, [pair for pair in by["pairs"] if _is_known(pair)])
        for one in report["judge_pairs"]
        for by in one["numbers"]
    )
    return [chart for chart in charts if chart is not None]


def _is_known(pair: JudgePair) -> bool:
    return pair["difference"]["value"] is not None


def _chart(
    report: Report, one: JudgeComparison, by: JudgesBy, pairs: list[JudgePair]
) -> Chart | None:
    import altair as alt

    if not pairs:
        return None
    rows = [_row(report, pair) for pair in pairs]
    names = [row["name"] for row in rows]
    number, item = TITLES[by["key"]], item_title(report, one["item"])
    base = plot(rows)
    higher = list(dict.fromkeys(row["of"] for row in rows))
    colour = alt.Color(
        "of:N",
        title="Higher",
        scale=colours_of(report),
        legend=alt.Legend(columns=2, values=higher),
    )
    y = alt.Y("name:N", title=None, sort=names, axis=axis_of_names(names))
    scale = alt.Scale(zero=True, nice=True)
    x = alt.X("value:Q", title=f"{number}, the first less the second", scale=scale)
    intervals = base.mark_rule().encode(
        x=alt.X("low:Q", title=x["title"], scale=scale), x2="high:Q", y=y, color=colour
    )
    layers: list[Any] = [
        plot([{"zero": 0}]).mark_rule(style="same").encode(x=alt.X("zero:Q", scale=scale)),
        intervals,
    ]
    # Hollow ones on the ground, so that no line shows through. An empty layer has no scale.
    for is_clear in sorted({row["clear"] for row in rows}):
        layers += [
            base.transform_filter(f"datum.clear == {'true' if is_clear else 'false'}")
            .mark_point(opacity=1, **({"filled": True} if is_clear else {"style": "hollow"}))
            .encode(x=x, y=y, color=colour, tooltip=_tell(number))
        ]
    apart = sum(row["clear"] for row in rows)
    description = (
        f"Differences of {len(rows)} pairs of judges in {number} on {item}, with 95 % intervals, "
        "in the colour of the higher one. Filled points differ with a p below "
        f"{LEVEL:g}, corrected by Holm's method ({apart}); hollow ones cannot be told apart."
    )
    lines = max(name.count("\n") + 1 for name in names)
    height = len(names) * (10 + LINE_HEIGHT * lines)
    spec = finished(alt.layer(*layers), description, width=WIDE, height=height)
    return Chart(
        f"judges-{by['key']}-{one['item']}",
        f"Judges two by two: {number}, {item}",
        description,
        spec,
        f"judge-pairs-{one['item']}",
    )


def _tell(number: str) -> list[Any]:
    import altair as alt

    return [
        alt.Tooltip("one:N", title="One"),
        alt.Tooltip("other:N", title="Other"),
        alt.Tooltip("said:N", title=number),
        alt.Tooltip("p:N", title="p, corrected"),
    ]


def _row(report: Report, pair: JudgePair) -> Row:
    made = pair["difference"]
    value = made["value"] or 0.0
    one, other = judge_title(report, pair["one"]), judge_title(report, pair["other"])
    return {
        "one": one,
        "other": other,
        "name": "\n".join([*lines_of(one, LINE), *lines_of(f"− {other}", LINE)]),
        "of": one if value >= 0 else other,
        "value": value,
        "low": value if made["low"] is None else made["low"],
        "high": value if made["high"] is None else made["high"],
        "clear": pair["p_holm"] is not None and pair["p_holm"] < LEVEL,
        "said": shown(DIFFERENCE, value_of(made)).plain,
        "p": shown(P, value_of(pair["p_holm"], reason=pair["reason"])).plain,
    }

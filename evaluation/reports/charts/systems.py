"""Systems with their intervals by people and judges, and differences of judges."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Any

from evaluation.reports.charts.chart import (
    HALF,
    LINE_HEIGHT,
    PEOPLE,
    WIDE,
    Chart,
    Row,
    axis_of_names,
    colours_of,
    finished,
    intervals_with_points,
    lines_of,
    plot,
    shared_beginning,
    without,
)
from evaluation.reports.shape.judges import AgreementRow, JudgeComparison, JudgePair, JudgesBy
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.systems import AutomaticColumn
from evaluation.reports.tables.judge_pairs import TITLES
from evaluation.reports.tables.names import item_title, judge_title, people_kind
from evaluation.reports.tables.shown import shown
from evaluation.reports.tables.table import Column, value_of
from evaluation.statistics.comparison import LEVEL

MOST = 4
"""Judges in one chart; more could not be told apart."""


def systems_charts(report: Report) -> list[Chart]:
    """Return a chart for each item on which systems have a number of people or judges."""
    answered = [column["key"] for column in _answers(report)]
    keys = dict.fromkeys([*report["systems"]["people"], *answered])
    groups = range(len(report["systems"]["groups"]))
    charts = [_chart(report, key, group) for key in keys for group in groups]
    return [chart for chart in charts if chart is not None]


def leading_systems(report: Report) -> list[Chart]:
    """Return a chart of people and only the leading judge, where its item has other judges."""
    leading = report["leading"]
    if leading is None or answered_by(report, leading["item"]) in ([], [leading["judge"]]):
        return []
    chart = _chart(report, leading["item"], 0, [leading["judge"]])
    return [] if chart is None else [replace(chart, key=f"leading-{chart.key}")]


def answered_by(report: Report, key: str) -> list[str]:
    """Return the judges that answer an item, the leading one first."""
    leading = report["leading"]
    judges = [column["judge"] for column in _answers(report) if column["key"] == key]
    return sorted(judges, key=lambda judge: leading is None or judge != leading["judge"])


def _answers(report: Report) -> list[AutomaticColumn]:
    """Return the automatic columns that answer an item. A measure with an item's key may be
    something else: correctness finds the reference's claims, ALiiCE judges those of the answer."""
    items = {judge["id"]: judge["items"] for judge in report["judges"]}
    columns = report["systems"]["automatic"]
    return [column for column in columns if column["key"] in items.get(column["judge"], ())]


def _chart(
    report: Report, key: str, group: int, judges: Sequence[str] | None = None
) -> Chart | None:
    """Chart the systems of one group, the best at the top."""
    import altair as alt

    groups = report["systems"]["groups"]
    judges = answered_by(report, key)[:MOST] if judges is None else judges
    rows, series = _rows(report, key, groups[group], judges)
    if not rows:
        return None
    kind = people_kind(report, key)
    title = item_title(report, key)
    names = list(dict.fromkeys(row["name"] for row in rows))
    shared = shared_beginning([row["title"] for row in report["systems"]["rows"]])
    lines = max(name.count("\n") + 1 for name in names)
    title_of_names = f"{shared}…" if shared else None
    y = alt.Y("name:N", title=title_of_names, sort=names, axis=axis_of_names(names))
    several = len(series) > 1
    legend = alt.Legend(columns=2, values=series) if several else None
    places = {"yOffset": alt.YOffset("by:N", scale=alt.Scale(domain=series))} if several else {}
    tooltip = [
        alt.Tooltip("system:N", title="System"),
        alt.Tooltip("by:N", title="By"),
        alt.Tooltip("said:N", title=title),
    ]
    across = f"{title} (%)" if kind[0] == "share" else title
    layers = intervals_with_points(report, rows, across, legend, tooltip, y=y, **places)
    height = len(names) * max(8 + 12 * len(series), 8 + LINE_HEIGHT * lines)
    description = (
        f"{title} of {len(names)} systems with 95 % intervals, "
        f"the highest above: {', '.join(series)}."
    )
    width = WIDE if height < WIDE else HALF
    spec = finished(layers, description, width=width, height=height)
    end, of = (f"-group-{group + 1}", f", group {group + 1}") if len(groups) > 1 else ("", "")
    return Chart(f"systems-{key}{end}", f"Systems: {title}{of}", description, spec, "systems")


def _rows(
    report: Report, key: str, names: list[str], judges: Sequence[str]
) -> tuple[list[Row], list[str]]:
    """Return a row for each number, the highest by people first, and who gave any."""
    found = report["systems"]
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
    best = {row["system"]: row["value"] for row in rows if row["by"] == series[0]}
    rows.sort(key=lambda row: -best.get(row["system"], -inf))
    return rows, series


# Judges against each other ------------------------------------------------------------------------

LINE = 28
"""Characters of a judge's name in one line."""

DIFFERENCE = Column("", "", "number", 3, "interval")
P = Column("", "", "p", 3)


def judge_differences(report: Report) -> list[Chart]:
    """Return a chart for each item and number by which two judges were compared."""
    charts = (
        _differences_chart(report, one, by, [pair for pair in by["pairs"] if _is_known(pair)])
        for one in report["judge_pairs"]
        for by in one["numbers"]
    )
    return [chart for chart in charts if chart is not None]


def _is_known(pair: JudgePair) -> bool:
    return pair["difference"]["value"] is not None


def _differences_chart(
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
    # Hollow points are filled with the background to cover lines. An empty layer has no scale.
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
        f"{LEVEL:g}, corrected by Holm's method ({apart}); hollow ones do not differ significantly."
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


# Judges and a left-out rater ----------------------------------------------------------------------

RATER = "A left-out rater"
KAPPA = Column("", "", "number", 2, "interval")
CEILING_LINE = 28
"""Characters of a judge's name in one line."""


def ceilings(report: Report) -> list[Chart]:
    """Return a chart for each item on which judges were compared with a left-out rater."""
    items = dict.fromkeys(row["item"] for row in report["agreement"])
    charts = (_ceiling(report, item) for item in items)
    return [chart for chart in charts if chart is not None]


def _ceiling(report: Report, item: str) -> Chart | None:
    import altair as alt

    compared = [row for row in report["agreement"] if row["item"] == item]
    rows = [each for row in compared for each in _kappas(report, row)]
    if not rows:
        return None
    title, names = item_title(report, item), list(dict.fromkeys(row["name"] for row in rows))
    layers = intervals_with_points(
        report,
        rows,
        "Kappa with the majority of the other raters",
        alt.Legend(values=[PEOPLE], labelExpr=f"'{RATER}'"),
        [alt.Tooltip("of:N", title="Who"), alt.Tooltip("said:N", title="Kappa")],
        y=alt.Y("name:N", title=None, sort=names, axis=axis_of_names(names)),
        yOffset=alt.YOffset("side:N", sort=["judge", "rater"]),
    )
    description = (
        f"Kappa of judges with the majority of the other raters on {title}, with 95 % intervals, "
        "next to that of a left-out rater: "
        + "; ".join(f"{row['of']} {row['said']}" for row in rows)
        + "."
    )
    lines = max(name.count("\n") + 1 for name in names)
    height = len(names) * max(36, 8 + LINE_HEIGHT * lines)
    spec = finished(layers, description, width=WIDE, height=height)
    heading = f"Judges and raters: {title}"
    return Chart(f"ceiling-{item}", heading, description, spec, "agreement")


def _kappas(report: Report, row: AgreementRow) -> list[Row]:
    """Return the judge's kappa and the left-out rater's, where both are known."""
    judge, one = judge_title(report, row["judge"]), row["one_more_rater"]
    sides = (("judge", judge, judge), ("rater", PEOPLE, RATER))
    found: list[Row] = []
    for side, by, of in sides:
        number = one["judge" if side == "judge" else "rater"]
        if (value := number["value"]) is None:
            return []
        found.append(
            {
                "name": "\n".join(lines_of(judge, CEILING_LINE)),
                "side": side,
                "by": by,
                "of": of,
                "value": value,
                "low": value if number["low"] is None else number["low"],
                "high": value if number["high"] is None else number["high"],
                "said": shown(KAPPA, value_of(number)).plain,
            }
        )
    return found

"""Judges and a left-out rater, both compared with the other raters of the same units."""

from evaluation.reports.charts.chart import (
    LINE_HEIGHT,
    PEOPLE,
    WIDE,
    Chart,
    Row,
    axis_of_names,
    finished,
    intervals_with_points,
    lines_of,
)
from evaluation.reports.shape.judges import AgreementRow
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import item_title, judge_title
from evaluation.reports.tables.shown import shown
from evaluation.reports.tables.table import Column, value_of

RATER = "A left-out rater"
KAPPA = Column("", "", "number", 2, "interval")
LINE = 28
"""Characters of a judge's name in one line."""


def ceilings(report: Report) -> list[Chart]:
    """Return a chart for each item on which judges were compared with a left-out rater."""
    items = dict.fromkeys(row["item"] for row in report["agreement"])
    charts = (_ceiling(report, item) for item in items)
    return [chart for chart in charts if chart is not None]


def _ceiling(report: Report, item: str) -> Chart | None:
    import altair as alt

    compared = [row for row in report["agreement"] if row["item"] == item]
    rows = [each for row in compared for each in _rows(report, row)]
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


def _rows(report: Report, row: AgreementRow) -> list[Row]:
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
                "name": "\n".join(lines_of(judge, LINE)),
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

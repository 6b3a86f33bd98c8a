"""People's answers as one bar for each question, in the order of the answers."""

from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.reports.charts.chart import (
    WIDE,
    Chart,
    Row,
    axis_of_names,
    finished,
    lines_of,
    plot,
    shared_beginning,
    without,
)
from evaluation.reports.shape.people import AnswerCount, OpenRow, PeopleRow
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import item_title, system_title

RANGES = {2: "diverging", 3: "heatmap", 5: "ordinal"}
"""The theme's colours by number of answers, from low to high; otherwise one for each answer."""

OF_SYSTEMS = "Answer 1 is the one of the system that is named"

NARROW, SIGN, BESIDE = 340, 6.2, 26
"""The widths of a legend, of a character, and of a label's symbol, in pixels."""

ROOM = 0.08
"""The share of a bar below which no number fits."""


def distributions(report: Report) -> list[Chart]:
    """Return one chart for all questions with the same answers."""
    groups: dict[tuple[str, ...], list[PeopleRow]] = {}
    for row in report["people"]:
        if any(each["count"] for each in row.get("distribution") or ()):
            labels = tuple(each["label"] for each in row["distribution"])
            groups.setdefault(labels, []).append(row)
    return [_chart(report, labels, rows) for labels, rows in groups.items()]


def _chart(report: Report, labels: tuple[str, ...], rows: list[PeopleRow]) -> Chart:
    import altair as alt

    asked = [item_title(report, row["item"]) for row in rows]
    bars = [bar for row in rows for bar in _bars(report, row, alone=len(rows) == 1)]
    titles = ["\n".join(lines) for _, lines, _ in bars]
    parts = [
        part
        for title, (_, _, given) in zip(titles, bars, strict=True)
        for part in _parts(title, given)
    ]
    names: Any = RANGES.get(len(labels), "category")
    base = plot(parts)
    y = alt.Y("item:N", title=None, sort=titles, axis=axis_of_names(titles))
    axis = alt.Axis(format=".0f", grid=False)
    scale = alt.Scale(domain=[0, 100], nice=False)
    bar = base.mark_bar().encode(
        x=alt.X("start:Q", title="Ratings (%)", axis=axis, scale=scale),
        x2="end:Q",
        y=y,
        color=alt.Color(
            "label:N",
            title=None,
            sort=list(labels),
            scale=alt.Scale(domain=list(labels), range=names),
            legend=alt.Legend(columns=_columns(labels), symbolType="square"),
        ),
        tooltip=[
            alt.Tooltip("item:N", title="Dimension"),
            alt.Tooltip("label:N", title="Answer"),
            alt.Tooltip("count:Q", title="Ratings"),
            alt.Tooltip("percent:N", title="Share"),
        ],
    )
    words = [
        base.transform_filter(f"datum.room && datum.strong == {'true' if strong else 'false'}")
        .mark_text(style="over-strong" if strong else "over")
        .encode(x=alt.X("middle:Q", scale=scale), y=y, text="percent:N")
        for strong in (False, True)
    ]
    description = "What people answered: " + " ".join(
        f"{title}: {', '.join(_said(given))}." for title, _, given in bars
    )
    spec = finished(alt.layer(bar, *words), description, width=WIDE, height=20 + 40 * len(titles))
    if any("by_system" in row for row in rows):
        spec["title"] = {"text": OF_SYSTEMS, "orient": "bottom", "offset": 12}
    first = rows[0]["item"]
    key = f"answers-{first}"
    return Chart(key, f"Answers: {', '.join(asked)}", description, spec, f"distribution-{first}")


def _columns(labels: Sequence[str]) -> int:
    """Return the legend's columns: as many as fit on a phone, at most three."""
    for columns in (3, 2):
        wide = [max(map(len, labels[n::columns]), default=0) for n in range(columns)]
        if sum(wide) * SIGN + columns * BESIDE <= NARROW:
            return columns
    return 1


def _bars(
    report: Report, row: PeopleRow, *, alone: bool
) -> Iterator[tuple[str, list[str], list[AnswerCount]]]:
    """Yield title, its lines and answers of a question; about pairs, of each system."""
    title = item_title(report, row["item"])
    if "by_system" not in row:
        yield title, lines_of(title), row["distribution"]
        return
    names = [system_title(report, one["system"]) for one in row["by_system"]]
    shared = shared_beginning(names)
    for name, one in zip(names, row["by_system"], strict=True):
        lines = lines_of(without(name, shared))
        called = name if alone else f"{title}, {name}"
        yield called, lines if alone else [*lines_of(title), *lines], one["distribution"]


def _parts(title: str, given: list[AnswerCount]) -> list[Row]:
    total = sum(each["count"] for each in given)
    strong = {0, len(given) - 1}
    parts: list[Row] = []
    before = 0
    for place, each in enumerate(given):
        start, end = (100 * part / total for part in (before, before + each["count"]))
        before += each["count"]
        parts.append(
            {
                "item": title,
                "label": each["label"],
                "count": each["count"],
                "percent": f"{end - start:.0f} %",
                "start": start,
                "end": end,
                "middle": (start + end) / 2,
                "strong": place in strong,
                "room": end - start >= 100 * ROOM,
            }
        )
    return parts


def _said(given: list[AnswerCount]) -> list[str]:
    return [f"{each['label']} {each['count']}" for each in given]


# Answers that are not one choice ------------------------------------------------------------------

HIGH = 220

TITLES = {"histogram": "Numbers", "named": "Choices", "marks": "Marked words"}
"""By the kind of its table."""


def counted(report: Report) -> list[Chart]:
    """Return a chart for each question with something to count."""
    charts = [_counts_chart(report, row) for row in report.get("open_answers", [])]
    return [chart for chart in charts if chart is not None]


def _counts_chart(report: Report, row: OpenRow) -> Chart | None:
    title = item_title(report, row["item"])
    if "numbers" in row:
        bars: list[Row] = [
            {"low": each["low"], "high": each["high"], "count": each["count"]}
            for each in row["numbers"]["bins"]
        ]
        said = (f"{bar['low']:g} to {bar['high']:g} {bar['count']}" for bar in bars)
        description = f"Ratings on {title} from low to high: {', '.join(said)}."
        return _finished(row, title, "histogram", description, _histogram(title, bars), HIGH)
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


def _histogram(title: str, bars: list[Row]) -> Any:
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
    """Return a bar for each name."""
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

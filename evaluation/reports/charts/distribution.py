"""What people answered, as one bar for each question, in the order of the answers."""

from typing import Any

from evaluation.reports.charts.chart import WIDE, Chart, Row, finished, plot
from evaluation.reports.shape.people import PeopleRow
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import item_title

RANGES = {2: "diverging", 3: "heatmap", 5: "ordinal"}
"""The theme's colours for so many answers from low to high; of other numbers, one for each."""

ROOM = 0.08
"""In narrower parts of a bar no number fits."""


def distributions(report: Report) -> list[Chart]:
    """One for all questions with the same answers."""
    groups: dict[tuple[str, ...], list[PeopleRow]] = {}
    for row in report["people"]:
        if any(each["count"] for each in row.get("distribution") or ()):
            labels = tuple(each["label"] for each in row["distribution"])
            groups.setdefault(labels, []).append(row)
    return [_chart(report, labels, rows) for labels, rows in groups.items()]


def _chart(report: Report, labels: tuple[str, ...], rows: list[PeopleRow]) -> Chart:
    import altair as alt

    parts = [part for row in rows for part in _parts(report, row)]
    titles = [item_title(report, row["item"]) for row in rows]
    names: Any = RANGES.get(len(labels), "category")
    base = plot(parts)
    y = alt.Y("item:N", title=None, sort=titles, axis=alt.Axis(ticks=False, domain=False, offset=4))
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
            legend=alt.Legend(columns=3, symbolType="square"),
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
        f"{title}: {', '.join(_said(row))}." for title, row in zip(titles, rows, strict=True)
    )
    spec = finished(alt.layer(bar, *words), description, width=WIDE, height=20 + 40 * len(titles))
    first = rows[0]["item"]
    key = f"answers-{first}"
    return Chart(key, f"Answers: {', '.join(titles)}", description, spec, f"distribution-{first}")


def _parts(report: Report, row: PeopleRow) -> list[Row]:
    total = sum(each["count"] for each in row["distribution"])
    strong = {0, len(row["distribution"]) - 1}
    parts: list[Row] = []
    before = 0
    for place, each in enumerate(row["distribution"]):
        start, end = (100 * part / total for part in (before, before + each["count"]))
        before += each["count"]
        parts.append(
            {
                "item": item_title(report, row["item"]),
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


def _said(row: PeopleRow) -> list[str]:
    return [f"{each['label']} {each['count']}" for each in row["distribution"]]

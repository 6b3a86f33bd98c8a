"""Heat maps: kappas of every two raters, and confusion tables."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from evaluation.reports.charts.chart import WIDE, Chart, Row, coloured, finished, plot
from evaluation.reports.shape.judges import AgreementRow
from evaluation.reports.shape.people import PeopleRow
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import item_title, judge_title, value_label
from evaluation.reports.tables.shown import digits
from evaluation.reports.tables.table import Column

STRONG = 0.55
"""In cells above this strength, words change colour to stay readable."""

LEVEL = 4
"""With more columns, their names are slanted."""

LEANING = 60
"""Room on the right for the last slanted name, in pixels."""

SEEN = 30
"""With more raters there is only the table: cells would be too small."""

WORDY = 12
"""With more columns there is no room for numbers."""


def heat_maps(report: Report) -> list[Chart]:
    """Return Cohen's kappa of every two raters, for each item that two people rated."""
    return [
        _heat_map(report, row)
        for row in report["people"]
        if row.get("matrix") and 1 < len(row["matrix"]["raters"]) <= SEEN
    ]


def _heat_map(report: Report, row: PeopleRow) -> Chart:
    matrix = row["matrix"]
    names = matrix["raters"]
    column = Column("", "", "number", 2)
    cells: list[Row] = []
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            kappa = matrix["kappas"][i][j]
            if i != j:
                said = "undefined" if kappa is None else digits(column, kappa)
                words = "–" if kappa is None else said
                units = matrix["units"][i][j]
                cells.append(_cell(one, other, kappa, words) | {"said": said, "units": units})
    title = item_title(report, row["item"])
    description = (
        f"Cohen's kappa of every two of {len(names)} raters on {title}. "
        "The stronger the colour, the more they agree."
    )
    size = min(max(40, 640 // (len(names) + 2)), 72)
    spec = finished(
        _cells(cells, names, names, ("", ""), words=len(names) <= WORDY),
        description,
        width=min(WIDE, size * len(names) + 150),
        height=len(names) * min(44, size if len(names) <= WORDY else 20),
    )
    if len(names) > LEVEL:  # the last name reaches over the edge
        spec["padding"]["right"] = LEANING
    key = f"kappas-{row['item']}"
    return Chart(key, f"Pairs of raters: {title}", description, spec, f"matrix-{row['item']}")


def confusions(report: Report) -> list[Chart]:
    """Return a confusion table for each judge and item with a label."""
    return [_confusion(report, row) for row in report["agreement"] if row["units"]]


def _confusion(report: Report, row: AgreementRow) -> Chart:
    confusion = row["confusion"]
    labels = [value_label(report, row["item"], value) for value in confusion["values"]]
    judge, title = judge_title(report, row["judge"]), item_title(report, row["item"])
    cells: list[Row] = []
    for label, counts in zip(labels, confusion["table"], strict=True):
        total = sum(counts)
        for other, count in zip(labels, counts, strict=True):
            share = count / total if total else None
            percent = "" if share is None else f" ({share * 100:.0f} %)"
            cell = _cell(label, other, share, f"{count}{percent}")
            cells.append(cell | {"said": f"{count}{percent}", "units": total, "of": judge})
    description = (
        f"Confusion table of {judge} on {title}, {row['units']} units: in each row what people "
        "say, in each column what the judge says, with the share of the row."
    )
    spec = finished(
        _cells(
            cells,
            labels,
            labels,
            (f"{judge} says", "People say"),
            words=True,
            colour={"color": coloured(report)},
        ),
        description,
        width=min(WIDE, 130 * len(labels) + 150),
        height=56 * len(labels),
    )
    key = f"{row['judge']}-{row['item']}"
    return Chart(f"confusion-{key}", f"{judge}: {title}", description, spec, f"confusion-{key}")


def _cell(one: str, other: str, share: float | None, words: str) -> Row:
    return {
        "one": one,
        "other": other,
        "strength": None if share is None else min(max(share, 0.0), 1.0),
        "strong": share is not None and share > STRONG,
        "words": words,
    }


def _cells(
    cells: list[Row],
    across: list[str],
    down: list[str],
    titles: tuple[str, str],
    *,
    words: bool,
    colour: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    import altair as alt

    base = plot(cells)
    angle = 0 if len(across) <= LEVEL else -45
    bare: dict[str, Any] = {"domain": False, "ticks": False}
    place = {
        "x": alt.X(
            "other:N",
            title=titles[0] or None,
            sort=across,
            scale=alt.Scale(domain=across),
            axis=alt.Axis(orient="top", labelAngle=angle, labelLimit=110, **bare),
        ),
        "y": alt.Y(
            "one:N",
            title=titles[1] or None,
            sort=down,
            scale=alt.Scale(domain=down),
            axis=alt.Axis(labelLimit=130, **bare),
        ),
    }
    tell = [
        alt.Tooltip("one:N", title=titles[1] or "One"),
        alt.Tooltip("other:N", title=titles[0] or "Other"),
        alt.Tooltip("said:N", title="Units" if titles[0] else "Kappa"),
        alt.Tooltip("units:Q", title="Of" if titles[0] else "Units"),
    ]
    opacity = alt.FillOpacity(
        "strength:Q", scale=alt.Scale(domain=[0, 1], range=[0.06, 1], clamp=True), legend=None
    )
    layers = [
        base.transform_filter("datum.strength === null")
        .mark_rect(style="empty-cell")
        .encode(**place, tooltip=tell),
        base.transform_filter("datum.strength !== null")
        .mark_rect(style="filled-cell")
        .encode(**place, fillOpacity=opacity, tooltip=tell, **colour),
    ]
    if words:
        layers += [
            base.transform_filter(f"datum.strong == {'true' if strong else 'false'}")
            .mark_text(style="over-strong" if strong else "over")
            .encode(**place, text="words:N", tooltip=tell)
            for strong in (False, True)
        ]
    return alt.layer(*layers)

"""A judge's scores: ROC curve, kappa by threshold, calibration."""

from typing import Any

from evaluation.reports.charts.chart import HALF, SQUARE, Chart, Row, coloured, finished, plot
from evaluation.reports.numbers import in_words
from evaluation.reports.shape.judges import AtThreshold, ThresholdRow
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.values import KnownNumber
from evaluation.reports.tables.names import item_title, judge_title, pair_named

KAPPA_HEIGHT = 260


def threshold_charts(report: Report) -> list[Chart]:
    """Return up to three charts for each judge and item with scores."""
    charts: list[Chart] = []
    for row in report["thresholds"]:
        judge, colour = judge_title(report, row["judge"]), coloured(report)
        name = f"{judge}, {item_title(report, row['item'])}"
        made = (_roc, _kappas, _calibration)
        found = [make(row, name, {"of": judge}, colour) for make in made]
        charts += [chart for chart in found if chart is not None]
    return charts


def _key(row: ThresholdRow) -> str:
    return f"{row['judge']}-{row['item']}"


def _square(title: str) -> dict[str, Any]:
    import altair as alt

    axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f")
    return {"title": title, "scale": alt.Scale(domain=[0, 1]), "axis": axis}


def _same() -> Any:
    """Return the diagonal from corner to corner."""

    ends = [{"x": 0, "y": 0}, {"x": 1, "y": 1}]
    return plot(ends).mark_line(style="same").encode(x="x:Q", y="y:Q")


def _roc(row: ThresholdRow, name: str, of: Row, colour: Any) -> Chart | None:
    import altair as alt

    if len(row["roc"]) < 2:
        return None
    points: list[Row] = [
        {"x": x, "y": y, "at": "" if at is None else f"{at:.3f}", "place": place} | of
        for place, (x, y, at) in enumerate(row["roc"])
    ]
    x = alt.X("x:Q", **_square("False “yes”"))
    y = alt.Y("y:Q", **_square("True “yes”"))
    order = alt.Order("place:Q")
    curve = plot(points).mark_line(style="curve").encode(x=x, y=y, order=order, color=colour)
    layers = [_same(), curve, *_at_fixed(row, x, y)]
    auc = row["auc"]["value"]
    said = (
        f"The area under it is {auc:.2f}."
        if auc is not None
        else f"The area under it is undefined: {row['auc']['reason']}."
    )
    description = (
        f"ROC curve of {name}: share of the units without support that the judge takes for "
        f"supported, against the share of the supported ones that it finds. {said}"
    )
    spec = finished(alt.layer(*layers), description, width=SQUARE, height=330)
    return Chart(f"roc-{_key(row)}", f"ROC curve: {name}", description, spec, "thresholds")


def _at_fixed(row: ThresholdRow, x: Any, y: Any) -> list[Any]:
    """Mark the point of the curve at the judge's own threshold."""
    import altair as alt

    fixed = row.get("fixed")
    if not fixed or fixed.get("threshold") is None:
        return []
    threshold = fixed["threshold"]
    # A score counts as yes from the threshold on: the next threshold above it gives the same point.
    above = [(at, x, y) for x, y, at in row["roc"] if at is not None and at >= threshold]
    if not above:
        return []
    _, across, upwards = min(above, key=lambda point: point[0])
    mark = [{"x": across, "y": upwards, "words": f"threshold {threshold:g}"}]
    base = plot(mark).encode(x=x, y=y)
    return [
        base.mark_point(style="marked", shape="diamond", size=110, opacity=1).encode(
            tooltip=[alt.Tooltip("words:N", title="At")]
        ),
        base.mark_text(style="name", align="left", dx=9, dy=10).encode(text="words:N"),
    ]


def _kappas(row: ThresholdRow, name: str, of: Row, colour: Any) -> Chart | None:
    import altair as alt

    points = [{"x": at, "y": kappa} | of for at, kappa in row["kappas"] if kappa is not None]
    if len(points) < 2:
        return None
    x = alt.X("x:Q", title="Threshold", scale=alt.Scale(nice=False, zero=False))
    y = alt.Y("y:Q", title="Cohen's kappa", scale=alt.Scale(zero=False))
    layers: list[Any] = [plot(points).mark_line(style="curve").encode(x=x, y=y, color=colour)]
    for at, name_of, shape, style in (
        (row["fixed"], "fixed", "diamond", "marked"),
        (row["best"], "best", "triangle-up", "dot"),
    ):
        if at and at["kappa"] is not None:
            layers += _marked(at, name_of, shape, style, x, y)
    said = _said(row)
    description = f"Cohen's kappa of {name} with people by threshold of the score. {said}"
    spec = finished(alt.layer(*layers), description, width=HALF, height=KAPPA_HEIGHT)
    key, title = f"threshold-{_key(row)}", f"Kappa by threshold: {name}"
    return Chart(key, title, description, spec, "thresholds")


def _marked(at: AtThreshold, name: str, shape: str, style: str, x: Any, y: Any) -> list[Any]:
    import altair as alt

    kappa = at["kappa"]
    words = f"{name}: {at['threshold']:.3g}"
    said = "" if kappa is None else in_words(kappa, 2)
    values = [{"x": at["threshold"], "y": kappa, "words": words, "kappa": said}]
    base = plot(values)
    tell = [alt.Tooltip("words:N", title="Threshold"), alt.Tooltip("kappa:N", title="Kappa")]
    down = name == "fixed"
    rule = [base.mark_rule(style="same").encode(x=x)] if down else []
    return [
        *rule,
        base.mark_point(style=style, shape=shape, size=110, opacity=1).encode(
            x=x, y=y, tooltip=tell
        ),
        base.mark_text(style="name", align="left", dx=8, dy=-10).encode(
            x=x, y=alt.value(KAPPA_HEIGHT) if down else y, text="words:N"
        ),
    ]


def _said(row: ThresholdRow) -> str:
    fixed = row.get("fixed")
    if not fixed or fixed.get("threshold") is None:
        return "The judge has no threshold of its own."
    kappa = fixed["kappa"]
    words = "undefined" if kappa is None else in_words(kappa, 2)
    return f"At the judge's own threshold of {fixed['threshold']:g} it is {words}."


def _calibration(row: ThresholdRow, name: str, of: Row, colour: Any) -> Chart | None:
    import altair as alt

    points = [
        {"x": each["score"], "y": each["share"]["value"], "n": each["share"]["n"], "place": place}
        | {"low": each["share"]["low"], "high": each["share"]["high"]}
        | of
        for place, each in enumerate(row["calibration"])
    ]
    if not points:
        return None
    across = _square("People say yes")
    base = plot(points).encode(x=alt.X("x:Q", **_square("Mean score")), y=alt.Y("y:Q", **across))
    tell = [
        alt.Tooltip("x:Q", title="Mean score", format=".2f"),
        alt.Tooltip("y:Q", title="People say yes", format=".2f"),
        alt.Tooltip("n:Q", title="Units"),
    ]
    layers = [
        _same(),
        base.mark_line(style="curve").encode(order="place:Q", color=colour),
        base.mark_rule().encode(y=alt.Y("low:Q", **across), y2="high:Q", color=colour),
        base.mark_point(style="dot", opacity=1).encode(tooltip=tell, color=colour),
    ]
    description = (
        f"Reliability diagram of {name}: mean score of the units in each of {len(points)} bins, "
        "against the share of them that people answered with yes, with 95 % intervals. On the "
        "dashed line both are the same."
    )
    spec = finished(alt.layer(*layers), description, width=SQUARE, height=330)
    key = f"calibration-{_key(row)}"
    return Chart(key, f"Calibration: {name}", description, spec, key)


# Judges that abstain ------------------------------------------------------------------------------


def selective_charts(report: Report) -> list[Chart]:
    """Return a chart for each judge and item with scores."""
    import altair as alt

    charts = []
    for row in report.get("selective", []):
        judge, item = judge_title(report, row["judge"]), item_title(report, row["item"])
        points: list[Row] = [
            {"of": judge, "x": one["kept"], **_with_interval(one["agreement"])}
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


def _with_interval(agreement: KnownNumber) -> Row:
    return {"y": agreement["value"], "low": agreement["low"], "high": agreement["high"]}

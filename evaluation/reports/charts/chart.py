"""What a chart is, and how a specification is finished."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt
import re
from collections.abc import Sequence

from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import judge_title

Spec = dict[str, Any]
Row = dict[str, Any]

WIDE = 640
SQUARE = 420

HALF = 480
"""At most so wide is a chart that on paper stands beside another one, as those that are higher than
wide do."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of a table. `description` is what a reader is told who cannot see it.

    `spec` is Vega-Lite without any colour or font: those come from the theme, in its `usermeta`,
    when it is drawn. Its width is the widest that it should be.
    """

    key: str
    title: str
    description: str
    spec: Spec
    table_key: str


def plot(rows: list[Row]) -> alt.Chart:
    """A chart of these rows, which are written into the specification."""
    import altair as alt

    return alt.Chart({"values": rows})


WIDER = 18


def finished(chart: Any, description: str, *, width: int, height: int) -> Spec:
    """The specification with its size. The width is that of the whole picture, names included, and
    room beside them: where a reader lacks the theme's letters, others are wider."""
    spec: Spec = chart.properties(width=width, height=height).to_dict(validate=False)
    del spec["config"]  # Altair's own; the theme has all of it
    return spec | {
        "description": description,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": {"left": WIDER, "top": 5, "right": 5, "bottom": 5},
    }


# Systems and judges look the same in each chart ---------------------------------------------------

PEOPLE = "People"

LINE = 20
"""Signs of a name that stand in one line."""

LINE_HEIGHT = 14

WORTH = 4
"""A beginning that all names share is left out where it is at least so long."""

SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down", "triangle-right")


def voices(report: Report) -> list[str]:
    """People and then each judge, as they are called: their place is their colour and shape."""
    return [PEOPLE, *(judge_title(report, judge["id"]) for judge in report["judges"])]


def colours_of(report: Report) -> Any:
    """The scale that gives people and each judge a colour, whoever else is in the chart."""
    import altair as alt

    return alt.Scale(domain=voices(report), range="category")


def shapes_of(report: Report) -> Any:
    import altair as alt

    several = voices(report)
    return alt.Scale(
        domain=several, range=[SHAPES[place % len(SHAPES)] for place in range(len(several))]
    )


def intervals_with_points(
    report: Report, rows: list[Row], title: str, legend: Any, tooltip: Sequence[Any], **places: Any
) -> Any:
    """Draw each row's `value` on its interval from `low` to `high`, in the colour of whom it is
    `by`."""
    import altair as alt

    base, scale = plot(rows), alt.Scale(zero=False, nice=True)
    places["color"] = alt.Color("by:N", title=None, scale=colours_of(report), legend=legend)
    points = base.mark_point(filled=True, opacity=1).encode(
        x=alt.X("value:Q", title=title, scale=scale),
        shape=alt.Shape("by:N", title=None, scale=shapes_of(report), legend=legend),
        tooltip=list(tooltip),
        **places,
    )
    intervals = base.mark_rule().encode(
        x=alt.X("low:Q", title=title, scale=scale), x2="high:Q", **places
    )
    return alt.layer(intervals, points)


def coloured(report: Report) -> Any:
    """The colour of marks whose rows name a judge, or people, as `of`."""
    import altair as alt

    return alt.Color("of:N", scale=colours_of(report), legend=None)


def shared_beginning(names: Sequence[str]) -> str:
    """What all names begin with, to the end of a word; nothing where that is not worth a word."""
    if len(set(names)) < 2:
        return ""
    first, last = min(names), max(names)
    alike = next(
        (i for i, pair in enumerate(zip(first, last, strict=False)) if len(set(pair)) > 1),
        len(first),
    )
    found = re.match(r".*[-_ /.:|,]", first[:alike], re.DOTALL)
    shared = found[0] if found else ""
    return shared if len(shared) >= WORTH and len(shared) < min(map(len, names)) else ""


def without(name: str, shared: str) -> str:
    return f"…{name.removeprefix(shared)}" if shared else name


def lines_of(name: str, longest: int = LINE) -> list[str]:
    """The whole name in lines, broken after a sign that is no letter where there is one."""
    lines, rest = [], name
    while len(rest) > longest:
        breaks = [found.end() for found in re.finditer(r"[-_ /.:|,]", rest[:longest])]
        at = breaks[-1] if breaks and breaks[-1] > longest // 3 else longest
        lines.append(rest[:at].rstrip())
        rest = rest[at:]
    return [*lines, rest]


def axis_of_names(names: Sequence[str]) -> Any:
    """The axis of names, of which some have several lines: these are lifted, so that their middle
    stands beside the points."""
    import altair as alt

    above = [
        {"test": f"length(split(datum.value, '\\n')) == {n}", "value": (1 - n) * LINE_HEIGHT / 2}
        for n in range(2, max(name.count("\n") + 1 for name in names) + 1)
    ]
    return alt.Axis(
        ticks=False,
        domain=False,
        labelExpr="split(datum.label, '\\n')",
        labelLimit=0,
        labelLineHeight=LINE_HEIGHT,
        labelOffset={"condition": above, "value": 0} if above else alt.Undefined,
    )

"""Charts, and the parts that their specifications share."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import judge_title

Spec = dict[str, Any]
Row = dict[str, Any]

WIDE = 640
SQUARE = 420

HALF = 480
"""The width up to which two charts are printed side by side. Charts higher than wide have it."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of a table. `description` is its text alternative.

    `spec` is Vega-Lite without colours and fonts: those come from the theme, in its `usermeta`,
    when it is drawn. Its width is a maximum.
    """

    key: str
    title: str
    description: str
    spec: Spec
    table_key: str


def plot(rows: list[Row]) -> Any:
    """Return a chart of these rows, which become part of the specification."""
    import altair as alt

    return alt.Chart({"values": rows})


WIDER = 18


def finished(chart: Any, description: str, *, width: int, height: int) -> Spec:
    """Return the specification with its size. The width is that of the whole picture with names,
    and room for a reader's fallback font, which is wider than the theme's."""
    spec: Spec = chart.properties(width=width, height=height).to_dict(validate=False)
    del spec["config"]  # Altair's own; the theme replaces it
    return spec | {
        "description": description,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": {"left": WIDER, "top": 5, "right": 5, "bottom": 5},
    }


# Systems and judges look the same in each chart ---------------------------------------------------

PEOPLE = "People"

LINE = 20
"""Characters of a name in one line."""

LINE_HEIGHT = 14

WORTH = 4
"""A shared beginning of all names is left out if it has at least this length."""

SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down", "triangle-right")


def voices(report: Report) -> list[str]:
    """Return people and then each judge; the place decides colour and shape."""
    return [PEOPLE, *(judge_title(report, judge["id"]) for judge in report["judges"])]


def colours_of(report: Report) -> Any:
    """Return the scale that gives people and each judge the same colour in every chart."""
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
    """Draw each row's `value` on its interval from `low` to `high`, coloured by its `by`."""
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
    """Return the colour of marks whose rows name a judge, or people, as `of`."""
    import altair as alt

    return alt.Color("of:N", scale=colours_of(report), legend=None)


def shared_beginning(names: Sequence[str]) -> str:
    """Return the whole words that all names begin with; empty if they are too short."""
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
    """Break a name into lines, after punctuation where there is some."""
    lines, rest = [], name
    while len(rest) > longest:
        breaks = [found.end() for found in re.finditer(r"[-_ /.:|,]", rest[:longest])]
        at = breaks[-1] if breaks and breaks[-1] > longest // 3 else longest
        lines.append(rest[:at].rstrip())
        rest = rest[at:]
    return [*lines, rest]


def axis_of_names(names: Sequence[str]) -> Any:
    """Return the axis of names. Names of several lines are raised to centre them on the points."""
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


# Theme --------------------------------------------------------------------------------------------

THEME_FILE = Path(__file__).with_name("theme.json")
ROLE = "@"
"""The prefix of a colour's name in the theme."""


@cache
def theme() -> dict[str, Any]:
    """Return the theme."""
    return cast(dict[str, Any], json.loads(THEME_FILE.read_text(encoding="utf-8")))


def colours(*, dark: bool = False) -> dict[str, str]:
    return cast(dict[str, str], theme()["colours"]["dark" if dark else "light"])


def themed(spec: Spec, *, dark: bool = False) -> Spec:
    """Return the specification with the theme's colours and fonts, ready to be drawn."""
    return spec | {"config": _coloured(theme()["config"], colours(dark=dark))}


def _coloured(part: Any, named: dict[str, str]) -> Any:
    if isinstance(part, dict):
        return {key: _coloured(value, named) for key, value in part.items()}
    if isinstance(part, list):
        return [_coloured(value, named) for value in part]
    if isinstance(part, str) and part.startswith(ROLE):
        return named[part.removeprefix(ROLE)]
    return part

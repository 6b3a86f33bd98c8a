"""What a chart is, and how a specification is finished."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

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

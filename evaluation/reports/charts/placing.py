"""Place names next to points so that none covers another at any width of the chart.

A chart is drawn between a narrow and a wide width, with one height. The vertical distance of two
labels is fixed; the horizontal one grows linearly with the width. Two labels that overlap
vertically therefore never meet if they are apart at both widths, in the same order.
"""

from collections.abc import Sequence
from typing import NamedTuple

NARROW, WIDE, HEIGHT = 220.0, 540.0, 340.0
"""The size of the plot area, in pixels."""

SIGN, LINE = 6.4, 13.0
"""The mean width of a label's character and the height of a line, in pixels."""

DOT = 7.0
"""The radius of a point with its margin."""

ASIDE = 9.0
"""The least vertical distance of a label: the intervals go through the point."""


class LabelPlace(NamedTuple):
    """The middle of a label, in pixels from its point; downwards is positive."""

    dx: float
    dy: float


class _Box(NamedTuple):
    x: float
    """Of the point, from 0 to 1."""

    y: float
    """Of the point, in pixels from above."""

    dx: float
    dy: float
    width: float
    height: float


def places(points: Sequence[tuple[float, float]], labels: Sequence[str]) -> list[LabelPlace] | None:
    """Return a place for each label of points with sides from 0 to 1; None without room."""
    dots = [_Box(x, (1 - y) * HEIGHT, 0, 0, 2 * DOT, 2 * DOT) for x, y in points]
    taken: list[_Box] = list(dots)
    found: list[LabelPlace] = []
    for dot, label in zip(dots, labels, strict=True):
        box = next((one for one in _tried(dot, len(label) * SIGN) if _is_free(one, taken)), None)
        if box is None:
            return None
        taken.append(box)
        found.append(LabelPlace(round(box.dx, 1), round(box.dy, 1)))
    return found


def _tried(dot: _Box, width: float) -> list[_Box]:
    """Return candidate boxes off the lines through the point, the closest first."""
    side, found = width / 2 + DOT, []
    for step in range(8):
        away = ASIDE + step * LINE
        for dx in (side, -side, 0.0):
            for dy in (-away, away):
                found.append(_Box(dot.x, dot.y, dx, dy, width, LINE))
    return [box for box in found if _is_inside(box)]


def _is_inside(box: _Box) -> bool:
    middle = box.y + box.dy
    if not box.height / 2 <= middle <= HEIGHT - box.height / 2:
        return False
    return all(
        box.width / 2 <= box.x * wide + box.dx <= wide - box.width / 2 for wide in (NARROW, WIDE)
    )


def _is_free(box: _Box, taken: Sequence[_Box]) -> bool:
    return not any(_meet(box, other) for other in taken)


def _meet(one: _Box, other: _Box) -> bool:
    if abs(one.y + one.dy - other.y - other.dy) >= (one.height + other.height) / 2:
        return False
    apart = (one.width + other.width) / 2
    narrow, wide = ((one.x - other.x) * w + one.dx - other.dx for w in (NARROW, WIDE))
    return not (min(narrow, wide) >= apart or max(narrow, wide) <= -apart)

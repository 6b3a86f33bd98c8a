"""What answers to a question are counted as: choices, what may be named, stretches of numbers."""

from collections.abc import Callable
from functools import lru_cache, partial
from math import inf

from annotate.protocol.answers import NOTHING, said, shown_number
from annotate.protocol.dimensions import Dimension

STRETCHES = 5
"""Into which numbers are cut."""

Kind = tuple[str, Callable[[str], bool]]
"""Its words, and whether an answer is one of them."""


@lru_cache
def kinds_of(dimension: Dimension) -> list[Kind]:
    if dimension.answer == "number":
        return _stretches(dimension)
    names = {one.value: one.label for one in (*dimension.choices, *dimension.severities)}
    if names and not dimension.is_choice:
        words = dimension.label(NOTHING)
        names[NOTHING] = words[0].upper() + words[1:]
    return [(label, partial(_names, name)) for name, label in names.items()]


def _names(name: str, value: str) -> bool:
    return name in said(value)


def _stretches(dimension: Dimension) -> list[Kind]:
    """As wide as each other; an end belongs to the higher one."""
    wide = (dimension.high - dimension.low) / STRETCHES
    edges = [dimension.low + number * wide for number in range(STRETCHES)]
    return [
        (f"{shown_number(round(low, 6))} to {shown_number(round(low + wide, 6))}",
         partial(_lies, low, low + wide if low < edges[-1] else inf))
        for low in edges
    ]  # fmt: skip


def _lies(low: float, high: float, value: str) -> bool:
    return low <= float(value) < high

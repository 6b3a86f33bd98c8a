"""Answers to tests' questions, of whatever type."""

from annotate.protocol.answers import NOTHING, format_number
from annotate.protocol.dimensions import Dimension


def values_of(dimension: Dimension) -> list[str]:
    """Some answers to a question, of choices all."""
    if dimension.answer == "number":
        return [format_number(dimension.low), format_number(dimension.high)]
    if dimension.answer == "text":
        return ["A text."]
    if dimension.is_choice:
        return [*dimension.values]
    if dimension.answer == "several":
        return [*dimension.values, NOTHING]
    place = "p1@" if dimension.marks == "passages" else ""
    return [*(f"{place}0-1:{value}" for value in dimension.values), NOTHING]

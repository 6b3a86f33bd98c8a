"""Kinds of answers: choices, names and ranges of numbers, to count them or to search for them."""

from collections.abc import Callable, Set
from functools import lru_cache, partial
from itertools import pairwise
from math import inf

from annotate.content.responses_by_label import LabelItem
from annotate.models.judging import JudgmentQuerySet
from annotate.protocol.answers import NOTHING, format_number, named_values
from annotate.protocol.dimensions import Dimension

INTERVALS = 5
"""The number of intervals to count numbers in."""

Kind = tuple[str, Callable[[str], bool]]
"""A label, and whether an answer is of this kind."""


@lru_cache
def kinds_of(dimension: Dimension) -> list[Kind]:
    if dimension.answer == "number":
        return _intervals(dimension)
    names = {one.value: one.label for one in (*dimension.choices, *dimension.severities)}
    if names and not dimension.is_choice:
        words = dimension.label(NOTHING)
        names[NOTHING] = words[0].upper() + words[1:]
    return [(label, partial(_names, name)) for name, label in names.items()]


def _names(name: str, value: str) -> bool:
    return name in named_values(value)


def _intervals(dimension: Dimension) -> list[Kind]:
    """Return equal intervals; a bound belongs to the higher one."""
    wide = (dimension.high - dimension.low) / INTERVALS
    edges = [dimension.low + number * wide for number in range(INTERVALS)]
    return [
        (f"{format_number(round(low, 6))} to {format_number(round(low + wide, 6))}",
         partial(_is_within, low, low + wide if low < edges[-1] else inf))
        for low in edges
    ]  # fmt: skip


def _is_within(low: float, high: float, value: str) -> bool:
    return low <= float(value) < high


RANGES = 4
"""The number of equal ranges between the bounds to search for numbers in."""

BETWEEN = ".."


def open_item(asked: Dimension) -> LabelItem:
    """Return the answers to search for if the answer is not a choice."""
    if asked.answer == "number":
        choices = [(part, " to ".join(part.split(BETWEEN))) for part in _parts(asked)]
    else:
        choices = [(name, asked.called(name)) for name in asked.named]
    return LabelItem(asked.key, asked.title, tuple(choices))


def _parts(asked: Dimension) -> list[str]:
    length = (asked.high - asked.low) / RANGES
    edges = [format_number(round(asked.low + n * length, 6)) for n in range(RANGES + 1)]
    return [f"{low}{BETWEEN}{high}" for low, high in pairwise(edges)]


def responses_naming(answers: JudgmentQuerySet, asked: Dimension, wanted: str) -> Set[int]:
    """Return the responses with an answer that matches, or with any answer.

    One person with this answer is enough.
    """
    rows = answers.filter(dimension=asked.key).order_by()
    if not wanted:
        return {*rows.values_list("unit__response", flat=True).distinct()}
    found = rows.values_list("unit__response", "value").distinct().iterator()
    return {response for response, value in found if matches_answer(asked, value, wanted)}


def matches_answer(asked: Dimension, value: str, wanted: str) -> bool:
    """Whether an answer names the wanted choice or label, or is in the wanted range."""
    if asked.answer != "number":
        return wanted in named_values(value)
    low, _, high = wanted.partition(BETWEEN)
    return float(low) <= float(value) <= float(high)

"""Finding responses by answers that are no choice: those that name a choice or a label, numbers
within a range, texts that are there. Of people it is enough that one of them said so."""

from collections.abc import Set
from itertools import pairwise

from annotate.content.responses_by_label import LabelItem
from annotate.models.judging import JudgmentQuerySet
from annotate.protocol.answers import said, shown_number
from annotate.protocol.dimensions import Dimension

RANGES = 4
"""Into how many parts of one length the numbers between the bounds are divided."""

BETWEEN = ".."


def open_item(asked: Dimension) -> LabelItem:
    """What may be asked for of an answer that is no choice."""
    if asked.answer == "number":
        choices = [(part, " to ".join(part.split(BETWEEN))) for part in _parts(asked)]
    else:
        choices = [(name, asked.called(name)) for name in asked.named]
    return LabelItem(asked.key, asked.title, tuple(choices))


def _parts(asked: Dimension) -> list[str]:
    length = (asked.high - asked.low) / RANGES
    edges = [shown_number(round(asked.low + n * length, 6)) for n in range(RANGES + 1)]
    return [f"{low}{BETWEEN}{high}" for low, high in pairwise(edges)]


def naming(answers: JudgmentQuerySet, asked: Dimension, wanted: str) -> Set[int]:
    """The keys of the responses with an answer that names what is wanted, or with any."""
    rows = answers.filter(dimension=asked.key).order_by()
    if not wanted:
        return {*rows.values_list("unit__response", flat=True).distinct()}
    found = rows.values_list("unit__response", "value").distinct().iterator()
    return {response for response, value in found if is_meant(asked, value, wanted)}


def is_meant(asked: Dimension, value: str, wanted: str) -> bool:
    """Whether an answer names what is wanted."""
    if asked.answer != "number":
        return wanted in said(value)
    low, _, high = wanted.partition(BETWEEN)
    return float(low) <= float(value) <= float(high)

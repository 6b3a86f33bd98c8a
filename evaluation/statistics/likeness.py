"""How alike two answers to one question are, from 0 to 1: what one rater is compared by.

    choice     1 where they are the same, else 0
    number     1 - |x - y| / (highest - lowest that may be answered)
    several    |A ∩ B| / |A ∪ B|, and 1 where both name nothing
    spans      2 |A ∩ B| / (|A| + |B|) of the characters with their labels, and 1 of none and none

Texts are not compared.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.answers import parse_spans
from annotate.protocol.dimensions import Dimension
from evaluation.statistics import distances, spans
from evaluation.statistics.coded import Ints
from evaluation.statistics.leave_one_out import Likeness

Floats = NDArray[np.float64]


def likeness(dimension: Dimension, values: Sequence[str]) -> Likeness | None:
    """Between places among the values of votes; None where answers are the same or are not, or not
    compared."""
    if dimension.answer == "number":
        numbers = np.array([float(value) for value in values])
        width = dimension.high - dimension.low
        return lambda one, other: 1 - np.abs(numbers[one] - numbers[other]) / width
    if dimension.answer == "several":
        apart = distances.set_distances(values, "jaccard")
        return lambda one, other: 1 - apart[one, other]
    return _of_spans(dimension, values) if dimension.answer == "spans" else None


def _of_spans(dimension: Dimension, values: Sequence[str]) -> Likeness:
    known = [parse_spans(value) for value in values]
    labels = [choice.value for choice in dimension.choices]

    def alike(one: int, other: int) -> float:
        found = [spans.overlap([known[one], known[other]], label)[:2] for label in labels]
        shared, marked = (sum(column) for column in zip(*found, strict=True))
        return shared / marked if marked else 1.0

    def each(one: Ints, other: Ints) -> Floats:
        both = zip(one.tolist(), other.tolist(), strict=True)
        return np.array([alike(*pair) for pair in both], dtype=np.float64)

    return each

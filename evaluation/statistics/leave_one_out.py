"""Every rater against each of the others.

For judge w on unit u, with the others O = { v ≠ w : v has a vote and answered u }:

    share(w, u) = Σ_{v in O} likeness(y_uv, y_uw) / | O |     where O is not empty
    agreement(w) = mean of share(w, u) over the units u that w and somebody else answered

Likeness of two answers to one question, from 0 to 1:

    choice     1 where they are the same, else 0, also on ordinal scales
    number     1 - |x - y| / (highest - lowest that may be answered)
    several    |A ∩ B| / |A ∪ B|, and 1 where both name nothing
    spans      2 |A ∩ B| / (|A| + |B|) of the characters with their labels, and 1 of none and none

Texts are not compared. Raters without a vote are compared with the others, and nobody with them.
Units that nobody else rated say nothing.

Each of the others counts separately, not their majority: with three raters the two others often
tie, and a rule for ties would then decide who agrees.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.answers import parse_spans
from annotate.protocol.dimensions import Dimension
from evaluation.statistics import spans
from evaluation.statistics.coded import Coded, Ints
from evaluation.statistics.distances import pairs, set_distances

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Likeness = Callable[[Ints, Ints], Floats]
"""The likeness of values given by their places, from 0 to 1."""


@dataclass(slots=True)
class Alike:
    """The agreement of a rater's answers with those of the others."""

    units: int = 0
    comparisons: int = 0
    """Comparisons with each of the others on each unit."""

    shares: float = 0.0
    """The sum of the units' shares."""

    def add(self, same: float, others: int) -> None:
        """Add one unit, on which `same` of `others` gave the same answer."""
        if others:
            self.units += 1
            self.comparisons += others
            self.shares += same / others

    def join(self, other: "Alike") -> None:
        """Add the agreement on other units, or on another question."""
        self.units += other.units
        self.comparisons += other.comparisons
        self.shares += other.shares

    @property
    def value(self) -> float | None:
        return self.shares / self.units if self.units else None

    @property
    def percent(self) -> float:
        return 100 * self.shares / self.units if self.units else 0.0


def compared(
    ratings: Coded, voters: Sequence[bool], likeness: Likeness | None = None
) -> tuple[Floats, Floats]:
    """Return for each answer how many others gave the same one, and how many others there are.

    With `likeness` the first is the sum of likenesses. `voters` says which judges count as others.
    """
    votes = np.asarray(voters, dtype=bool)
    if likeness is not None:
        return _alike(ratings, votes, likeness)
    own = votes[ratings.judge]
    said = np.zeros((len(ratings.units), ratings.size))
    np.add.at(said, (ratings.unit[own], ratings.code[own]), 1.0)
    same: Floats = said[ratings.unit, ratings.code] - own
    others: Floats = said.sum(axis=1)[ratings.unit] - own
    return same, others


def _alike(ratings: Coded, votes: Flags, likeness: Likeness) -> tuple[Floats, Floats]:
    same, others = np.zeros((2, len(ratings.unit)))
    for one, other in pairs(ratings.unit):
        near = likeness(ratings.code[one], ratings.code[other])
        for own, theirs in ((one, other), (other, one)):
            counts = votes[ratings.judge[theirs]]
            same[own] += near * counts
            others[own] += counts
    return same, others


def alike(ratings: Coded, voters: Sequence[bool], likeness: Likeness | None = None) -> list[Alike]:
    """Return the agreement of each judge with each of the others, over all units."""
    same, others = compared(ratings, voters, likeness)
    some = others > 0
    judge, wide = ratings.judge[some], len(ratings.judges)
    units = np.bincount(judge, minlength=wide).tolist()
    comparisons = np.bincount(judge, others[some], minlength=wide).astype(np.int64).tolist()
    shares = np.bincount(judge, same[some] / others[some], minlength=wide).tolist()
    return [Alike(*one) for one in zip(units, comparisons, shares, strict=True)]


def likeness(dimension: Dimension, values: Sequence[str]) -> Likeness | None:
    """Return the likeness of places among the values of votes.

    It is None for choices and for answers that are not compared.
    """
    if dimension.answer == "number":
        numbers = np.array([float(value) for value in values])
        width = dimension.high - dimension.low
        return lambda one, other: 1 - np.abs(numbers[one] - numbers[other]) / width
    if dimension.answer == "several":
        apart = set_distances(values, "jaccard")
        return lambda one, other: 1 - apart[one, other]
    return _of_spans(dimension, values) if dimension.answer == "spans" else None


def _of_spans(dimension: Dimension, values: Sequence[str]) -> Likeness:
    known = [parse_spans(value) for value in values]
    labels = [choice.value for choice in dimension.choices]

    def alike(one: int, other: int) -> float:
        result = [spans.overlap([known[one], known[other]], label)[:2] for label in labels]
        shared, marked = (sum(column) for column in zip(*result, strict=True))
        return shared / marked if marked else 1.0

    def each(one: Ints, other: Ints) -> Floats:
        both = zip(one.tolist(), other.tolist(), strict=True)
        return np.array([alike(*pair) for pair in both], dtype=np.float64)

    return each

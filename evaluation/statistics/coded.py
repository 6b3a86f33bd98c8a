"""Ratings as arrays of places, for many raters and units."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.ratings import Key, Ratings

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Coded:
    """Answers, a row for each, by unit: places of the unit, of the judge and of the value."""

    units: tuple[Key, ...]
    judges: tuple[Key, ...]
    size: int
    """How many values there are."""

    unit: Ints
    judge: Ints
    code: Ints

    @cached_property
    def counts(self) -> Floats:
        """How often each value was given: units × values."""
        cells = self.unit * self.size + self.code
        result = np.bincount(cells, minlength=len(self.units) * self.size)
        return result.reshape(len(self.units), self.size).astype(float)

    @cached_property
    def per_unit(self) -> Ints:
        """How many answers each unit has."""
        return np.bincount(self.unit, minlength=len(self.units)).astype(np.int64)

    @cached_property
    def per_judge(self) -> Ints:
        """How many answers each judge gave."""
        return np.bincount(self.judge, minlength=len(self.judges)).astype(np.int64)

    def of_judges(self, judges: Sequence[int]) -> "Coded":
        """Return the answers of some judges, given by their places in the new order."""
        places = np.full(len(self.judges), -1, dtype=np.int64)
        places[list(judges)] = np.arange(len(judges))
        kept = places[self.judge] >= 0
        return Coded(
            self.units,
            tuple(self.judges[place] for place in judges),
            self.size,
            self.unit[kept],
            places[self.judge[kept]],
            self.code[kept],
        )


def coded(ratings: Ratings, values: Sequence[str], judges: Sequence[Key]) -> Coded:
    """Return ratings as arrays; `judges` must include all raters, `values` ascend."""
    place = {value: column for column, value in enumerate(values)}
    columns = {judge: column for column, judge in enumerate(judges)}
    every = list(ratings.values())
    each = np.fromiter(map(len, every), dtype=np.int64, count=len(every))
    total = int(each.sum())
    return Coded(
        tuple(ratings),
        tuple(judges),
        len(values),
        np.repeat(np.arange(len(every), dtype=np.int64), each),
        np.fromiter((columns[j] for votes in every for j in votes), np.int64, count=total),
        np.fromiter((place[v] for votes in every for v in votes.values()), np.int64, count=total),
    )

"""Cohen's kappa of every two of many raters, and resampling of its mean, see `cohen`.

Of hundreds of raters most share no unit. So a table is kept only of pairs that share one, and of
what each question adds to it only the cells that are not 0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.alpha import Metric
from evaluation.statistics.coded import Coded
from evaluation.statistics.cohen import kappas
from evaluation.statistics.pooled_kappa import AnswerPairs, among, occurrences, without

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCK = 4_000_000
"""Sums held at a time when resampling: 32 MB."""


@dataclass(frozen=True)
class RaterPairs:
    """The pairs of raters who share a unit, by place, and everything that they answered both."""

    ones: Ints
    others: Ints
    size: int
    unit: Ints
    """Of each shared answer: the place of its unit,"""

    pair: Ints
    """of its pair,"""

    cell: Ints
    """and of the two answers in the pair's table."""

    compared: AnswerPairs
    """The same answers as `pooled_kappa` takes them."""

    @property
    def tables(self) -> Floats:
        """The table of each pair."""
        cells = self.size * self.size
        found = np.bincount(self.pair * cells + self.cell, minlength=len(self.ones) * cells)
        return found.reshape(len(self.ones), self.size, self.size).astype(float)

    def mean_kappas(self, clusters: Ints, number: int, metric: Metric) -> "MeanKappas":
        """The mean kappa under weights of clusters, of which there are so many. `clusters` has the
        cluster of each unit."""
        cells = self.size * self.size
        rows, height = self.pair * cells + self.cell, len(self.ones) * cells
        sums = occurrences(rows, clusters[self.unit], height, number)
        return MeanKappas(sums, self.size, metric)


@dataclass(frozen=True, eq=False)
class MeanKappas:
    """From weights (draws × clusters) to the mean kappa, for `error_bars`."""

    sums: Any
    """Of each cluster: by pair and cell how many answers."""

    size: int
    metric: Metric

    def __call__(self, weights: Floats) -> Floats:
        turned = np.ascontiguousarray(weights.T)
        return self._means(lambda some: self.sums[some] @ turned, len(weights))

    def without_each(self, clusters: int) -> Floats:
        step = max(1, BLOCK // max(1, self.sums.shape[0]))
        parts = (slice(n, min(n + step, clusters)) for n in range(0, clusters, step))
        return np.concatenate([self._without(part) for part in parts])

    def _without(self, part: slice) -> Floats:
        draws = part.stop - part.start
        return self._means(lambda some: without(self.sums[some], part), draws)

    def _means(self, summed: Callable[[slice], Floats], draws: int) -> Floats:
        """`summed` has the sums of some rows, whose last axis are the draws."""
        cells = self.size * self.size
        step = cells * max(1, BLOCK // (cells * draws))
        total, known = np.zeros((2, draws))
        for first in range(0, self.sums.shape[0], step):
            some = summed(slice(first, first + step))
            each = kappas(some.T.reshape(draws, -1, self.size, self.size), self.metric)
            defined = np.isfinite(each)
            total += np.where(defined, each, 0.0).sum(axis=1)
            known += defined.sum(axis=1)
        with np.errstate(invalid="ignore"):
            means: Floats = total / known
        return means


def rater_pairs(ratings: Coded) -> RaterPairs:
    """Every two raters who share a unit; the one with the lower place stands in the rows."""
    compared = among(ratings)
    ones, others, pair = compared.pairs
    cell = compared.said * ratings.size + compared.told
    return RaterPairs(ones, others, ratings.size, compared.unit, pair, cell, compared)

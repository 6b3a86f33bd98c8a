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
from evaluation.statistics.pooled_kappa import AnswerPairs, among

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

    def mean_kappas(
        self, clusters: Ints, number: int, metric: Metric
    ) -> Callable[[Floats], Floats]:
        """The mean kappa under weights of clusters (draws × clusters), for `error_bars`.

        `clusters` has the cluster of each unit.
        """
        # Imported at use: it takes part of a second that a web process need not spend.
        from scipy.sparse import csr_array

        cells = self.size * self.size
        key = (self.pair * cells + self.cell) * number + clusters[self.unit]
        found, often = np.unique(key, return_counts=True)
        rows, columns = np.divmod(found, number)
        shape = (len(self.ones) * cells, number)
        sums: Any = csr_array((often.astype(float), (rows, columns)), shape=shape)

        def statistic(weights: Floats) -> Floats:
            step = max(1, BLOCK // (cells * len(weights)))
            total, known = np.zeros(len(weights)), np.zeros(len(weights))
            turned = np.ascontiguousarray(weights.T)
            for first in range(0, len(self.ones), step):
                some = sums[first * cells : (first + step) * cells] @ turned
                tables = some.T.reshape(len(weights), -1, self.size, self.size)
                each = kappas(tables, metric)
                defined = np.isfinite(each)
                total += np.where(defined, each, 0.0).sum(axis=1)
                known += defined.sum(axis=1)
            with np.errstate(invalid="ignore"):
                means: Floats = total / known
            return means

        return statistic


def rater_pairs(ratings: Coded) -> RaterPairs:
    """Every two raters who share a unit; the one with the lower place stands in the rows."""
    compared = among(ratings)
    ones, others, pair = compared.pairs
    cell = compared.said * ratings.size + compared.told
    return RaterPairs(ones, others, ratings.size, compared.unit, pair, cell, compared)

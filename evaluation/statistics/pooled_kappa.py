"""Pooled Cohen's kappa: one kappa of many pairs of judges, who need not share the same units.

Observed and expected disagreement are summed over the pairs before they are divided, each pair with
the weight of the units that it shares. With n_ab the units that judges a and b both answered, d_ab
the mean of v over their answers to these, and p_ai the share of value i in all answers of a that
are compared with others:

    D_o = Σ_ab n_ab d_ab
    D_e = Σ_ab n_ab Σ_ij v_ij p_ai p_bj
    κ   = 1 - D_o / D_e

with v as for Cohen's kappa (`cohen`). Of two judges it is Cohen's kappa. Where all answered all
units it is that of L. Hubert (1977), Kappa revisited, Psychological Bulletin 84(2), 289-297, and
A. J. Conger (1980), Integration and generalization of kappas for multiple raters, Psychological
Bulletin 88(2), 322-328. The quotient of sums follows H. de Vries, M. N. Elliott, D. E. Kanouse and
S. S. Teleki (2008), Using pooled kappa to summarize interrater agreement across many items, Field
Methods 20(3), 272-282.

Chance uses all of a judge's compared answers, not only those of a pair: of two units, a judge's own
answers already explain half of the disagreement, of one unit all of it. So the mean of the pairs'
kappas falls towards 0 where pairs share few units, even if they agree well.

Within slices of the questions (`stratified`), p_ai are the shares within the slice: a judge counts
as another one in each slice.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.alpha import Metric
from evaluation.statistics.coded import Coded
from evaluation.statistics.cohen import ALL_THE_SAME, distances, kappas
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCK = 4_000_000
"""Numbers held in memory at a time when resampling: 32 MB."""

ALONE = "fewer than two raters"
NOBODY_SHARES = "no two raters rated the same"


@dataclass(frozen=True, eq=False)
class AnswerPairs:
    """Pairs of answers of two judges to the same unit, a row for each."""

    judges: int
    size: int
    """The number of values."""

    unit: Ints
    one: Ints
    other: Ints
    """The places of the two judges."""

    first: Ints
    second: Ints
    """The places of the values of `one` and of `other`."""

    @cached_property
    def pairs(self) -> tuple[Ints, Ints, Ints]:
        """The judges `one` and `other` of each pair that occurs, and the pair of each row."""
        result, row = np.unique(self.one * self.judges + self.other, return_inverse=True)
        return result // self.judges, result % self.judges, row.astype(np.int64)

    @cached_property
    def shared(self) -> Ints:
        """The number of units that each pair shares."""
        ones, _, row = self.pairs
        return np.bincount(row, minlength=len(ones)).astype(np.int64)

    @cached_property
    def units(self) -> int:
        return int(np.count_nonzero(np.bincount(self.unit)))

    def of_clusters(self, clusters: Ints) -> int:
        """Return the number of clusters of these units."""
        return int(np.count_nonzero(np.bincount(clusters[self.unit])))

    @property
    def complete(self) -> bool:
        """Whether every pair shares all of these units."""
        return bool((self.shared == self.units).all())

    def within(self, slices: Ints) -> "AnswerPairs":
        """Return the pairs with chance inside each slice; `slices` has the slice of each unit."""
        part = slices[self.unit]
        wide = int(slices.max(initial=0)) + 1
        one, other = self.one * wide + part, self.other * wide + part
        return replace(self, judges=self.judges * wide, one=one, other=other)

    def kappas(self, clusters: Ints, number: int, metric: Metric) -> "Pooled":
        """Return kappa as a statistic of weights of clusters.

        `clusters` has the place of each unit's cluster among `number`.
        """
        v, size = distances(self.size, metric), self.size
        ones, others, pair = self.pairs
        where = clusters[self.unit]
        judge, value, unit = self._answers
        return Pooled(
            v,
            ones,
            others,
            seen=np.bincount(where, v[self.first, self.second], number).astype(float),
            together=occurrences(pair, where, len(ones), number),
            answers=occurrences(judge * size + value, clusters[unit], self.judges * size, number),
        )

    def kappa(self, metric: Metric) -> Figure:
        """Return kappa of all pairs."""
        if not len(self.unit):
            return undefined(ALONE if self.judges < 2 else NOBODY_SHARES)
        lowest = min(self.first.min(), self.second.min())
        if lowest == max(self.first.max(), self.second.max()):
            return undefined(ALL_THE_SAME.replace("both", "all raters"))
        at_once = self.kappas(np.zeros(int(self.unit.max()) + 1, dtype=np.int64), 1, metric)
        value = float(at_once(np.ones((1, 1)))[0])
        if not np.isfinite(value):
            return undefined("no disagreement is to be expected by chance")
        return Figure(value)

    @cached_property
    def _cells(self) -> Ints:
        """For each row, the place of its cell among those of all pairs' tables."""
        return (self.pairs[2] * self.size + self.first) * self.size + self.second

    @cached_property
    def tables(self) -> Floats:
        """The table of values of each pair that occurs: pairs × values × values."""
        shape = len(self.pairs[0]), self.size, self.size
        return np.bincount(self._cells, minlength=prod(shape)).reshape(shape).astype(float)

    def mean_kappas(self, clusters: Ints, number: int, metric: Metric) -> "MeanKappas":
        """Return the mean of the pairs' own kappas under weights of clusters, as in `kappas`."""
        height = len(self.pairs[0]) * self.size**2
        counted = occurrences(self._cells, clusters[self.unit], height, number)
        return MeanKappas(counted, self.size, metric)

    @cached_property
    def _answers(self) -> tuple[Ints, Ints, Ints]:
        """Judge, value and unit of every compared answer, each once."""
        unit = np.concatenate([self.unit, self.unit])
        judge = np.concatenate([self.one, self.other])
        of = unit * self.judges + judge
        # Each is written wherever it is compared. Sorting them takes ten times as long.
        values = np.full(int(of.max(initial=-1)) + 1, -1)
        values[of] = np.concatenate([self.first, self.second])
        answered = np.flatnonzero(values >= 0)
        return answered % self.judges, values[answered], answered // self.judges


@dataclass(frozen=True, eq=False)
class Pooled:
    """Pooled kappa from weights (draws × clusters), for `error_bars`; NaN where undefined.

    A jackknife uses differences of the sums.
    """

    v: Floats
    ones: Ints
    others: Ints
    seen: Floats
    """The disagreement by cluster."""

    together: Any
    """The number of compared answers by pair and cluster."""

    answers: Any
    """The number of answers by judge and value, and cluster."""

    def __call__(self, weights: Floats) -> Floats:
        turned = np.ascontiguousarray(weights.T)
        return self._kappas(
            self.answers @ turned, lambda pairs: self.together[pairs] @ turned, weights @ self.seen
        )

    def without_each(self, clusters: int) -> Floats:
        step = max(1, BLOCK // max(1, self.answers.shape[0]))
        return np.concatenate(
            [self._without(slice(first, first + step)) for first in range(0, clusters, step)]
        )

    def _without(self, some: slice) -> Floats:
        return self._kappas(
            without(self.answers, some),
            lambda pairs: without(self.together[pairs], some),
            self.seen.sum() - self.seen[some],
        )

    def _kappas(self, answers: Floats, together: Callable[[slice], Floats], seen: Floats) -> Floats:
        """Return kappa from sums whose last axis is the draws."""
        size, draws = len(self.v), len(seen)
        given = answers.reshape(-1, size, draws)
        shares = given / np.maximum(given.sum(axis=1, keepdims=True), 1e-300)
        apart = np.einsum("ij,ajd->aid", self.v, shares)
        expected = np.zeros(draws)
        step = max(1, BLOCK // (size * draws))
        for first in range(0, len(self.ones), step):
            some = slice(first, first + step)
            chance = np.einsum("pid,pid->pd", shares[self.ones[some]], apart[self.others[some]])
            expected += (chance * together(some)).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            result: Floats = np.where(expected > 1e-12, 1 - seen / expected, np.nan)
        return result


@dataclass(frozen=True, eq=False)
class MeanKappas:
    """The mean kappa of pairs from weights (draws × clusters), for `error_bars`."""

    sums: Any
    """The number of answers by pair and cell, and cluster."""

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
        """Return means; `summed` returns the sums of some rows, with draws as the last axis."""
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


def among(ratings: Coded) -> AnswerPairs:
    """Return every two raters of each unit; the one with the lower place comes first."""
    # Nearly sorted already, which makes a stable sort of one key fast.
    order = np.argsort(ratings.unit * len(ratings.judges) + ratings.judge, kind="stable")
    unit, judge, code = ratings.unit[order], ratings.judge[order], ratings.code[order]
    starts = np.concatenate([[0], np.cumsum(ratings.per_unit)])[:-1]
    firsts, seconds = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for raters in np.unique(ratings.per_unit):
        # Units with the same number of raters form one table, of which all pairs of columns count.
        one, other = np.triu_indices(int(raters), k=1)
        rows = starts[ratings.per_unit == raters, None]
        firsts.append((rows + one).ravel())
        seconds.append((rows + other).ravel())
    a, b = np.concatenate(firsts), np.concatenate(seconds)
    return AnswerPairs(
        len(ratings.judges), ratings.size, unit[a], judge[a], judge[b], code[a], code[b]
    )


def with_judge(ratings: Coded, said: Ints) -> AnswerPairs:
    """Return every rater paired with one more judge, whose place comes after theirs.

    `said` has the place of the judge's value for each unit, or -1.
    """
    second = said[ratings.unit]
    kept = second >= 0
    judge = np.full(int(kept.sum()), len(ratings.judges), dtype=np.int64)
    return AnswerPairs(
        len(ratings.judges) + 1,
        ratings.size,
        ratings.unit[kept],
        ratings.judge[kept],
        judge,
        ratings.code[kept],
        second[kept],
    )


def occurrences(rows: Ints, columns: Ints, height: int, width: int) -> Any:
    """Return the counts of each row with each column, as a sparse matrix if they are many."""
    if height * width <= BLOCK:
        result = np.bincount(rows * width + columns, minlength=height * width)
        return result.reshape(height, width).astype(float)
    # Imported at use: it takes part of a second that a web process need not spend.
    from scipy.sparse import csr_array

    once = np.ones(len(rows))
    return csr_array((once, (rows, columns)), shape=(height, width))


def without(counted: Any, some: slice) -> Floats:
    """Return the sum of each row without each of these columns."""
    result: Floats = counted.sum(axis=1)[:, None] - counted[:, some]
    return result

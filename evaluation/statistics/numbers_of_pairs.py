"""How alike two raters' numbers are: how far apart, and whether they rise and fall together.

    difference = mean of |x - y| over all pairs of answers to the same unit
    r          = Pearson's correlation of two raters' answers to the units that both answered,
                 and of several pairs of raters the mean of those that have one

A pair has no correlation where it shares fewer than three units, or one of the two always gives the
same number.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.distances import pairs

Floats = NDArray[np.float64]
Places = NDArray[np.signedinteger[Any]]

LEAST_SHARED = 3
BLOCK = 4_000_000
"""Sums held at a time when resampling: 32 MB."""

_ROUNDING = 1e-12


def differences(unit: Places, number: Floats, units: int) -> Floats:
    """By unit, of which there are so many: |x - y| of its pairs, and how many they are. `unit` is
    the place of each answer's, in order."""
    found = np.zeros((units, 2))
    for one, other in pairs(unit):
        apart = np.abs(number[one] - number[other])
        found[:, 0] += np.bincount(unit[one], apart, minlength=units)
        found[:, 1] += np.bincount(unit[one], minlength=units)
    return found


def mean_correlations(
    unit: Places, judge: Places, number: Floats, clusters: Places, count: int
) -> Callable[[Floats], Floats]:
    """The mean of the pairs' correlations under weights of clusters (draws × clusters), of which
    there are so many; `clusters` has that of each unit, by its place."""
    # Imported at use: it takes part of a second that a web process need not spend.
    from scipy.sparse import csr_array

    rows = [np.stack(both) for both in pairs(unit)]
    one, other = np.hstack(rows) if rows else np.zeros((2, 0), dtype=np.int64)
    first, second = np.minimum(judge[one], judge[other]), np.maximum(judge[one], judge[other])
    of_pair = first.astype(np.int64) * (int(judge.max(initial=0)) + 1) + second
    names, pair = np.unique(of_pair, return_inverse=True)
    middle = float(np.median(number).round()) if len(number) else 0.0
    turned = judge[one] > judge[other]
    x = np.where(turned, number[other], number[one]) - middle
    y = np.where(turned, number[one], number[other]) - middle
    parts = np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y])
    size = len(parts)
    where = (pair[None, :] * size + np.arange(size)[:, None]).ravel()
    column = np.broadcast_to(clusters[unit[one]], parts.shape).ravel()
    sums: Any = csr_array((parts.ravel(), (where, column)), shape=(len(names) * size, count))

    def statistic(weights: Floats) -> Floats:
        step = max(1, BLOCK // (size * len(weights)))
        total, known = np.zeros((2, len(weights)))
        turned = np.ascontiguousarray(weights.T)
        for start in range(0, len(names), step):
            some = sums[start * size : (start + step) * size] @ turned
            each = _correlations(some.reshape(-1, size, len(weights)))
            defined = np.isfinite(each)
            total += np.where(defined, each, 0.0).sum(axis=0)
            known += defined.sum(axis=0)
        missing = np.full(len(weights), np.nan)
        means: Floats = np.divide(total, known, out=missing, where=known > 0)
        return means

    return statistic


def _correlations(sums: Floats) -> Floats:
    """Of each pair and draw; NaN where it has none."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, 1, 0)
    across, up, down = n * xy - x * y, n * xx - x * x, n * yy - y * y
    known = (n >= LEAST_SHARED) & (up > _ROUNDING * n * xx) & (down > _ROUNDING * n * yy)
    below = np.sqrt(np.where(known, up * down, 1.0))
    found: Floats = np.where(known, across / below, np.nan)
    return found

"""Agreement of raters' numbers: mean difference and pooled correlation.

    difference = mean of |x - y| over all pairs of answers to the same unit

**Pearson's correlation, pooled** over pairs of raters, who need not share the same units. With n_ab
the units that raters a and b both answered, n_a those where a's answer is compared with anybody's,
m_a and s_a (by n_a - 1) the mean and standard deviation of these answers, x_au a's answer on u:

    r = Σ_ab Σ_u (x_au - m_a) (x_bu - m_b) / Σ_ab n_ab s_a s_b k_ab / f_ab
    k = 1 - 1 / n_a - 1 / n_b + n_ab / (n_a n_b)
    f = 1 - 1 / (4 n_a) - 1 / (4 n_b) + n_ab / (2 n_a n_b)

Of two raters it is Pearson's. Sums come before the quotient, and the spread is that of all of a
rater's answers, as in the pooled kappa (`pooled_kappa`): a pair that shares three units says next
to nothing of its spread, and the mean of such pairs' correlations is too low. k corrects for means
that are taken from the same answers, as n - 1 instead of n does for one rater; f for the mean of a
standard deviation, which is about 1 - 1 / (4 n) of the true one (W. H. Holtzman, 1950, The unbiased
estimate of the population variance and standard deviation, American Journal of Psychology 63(4),
615-617), without the part that two raters of the same units have in common.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.distances import pairs

Floats = NDArray[np.float64]
Places = NDArray[np.signedinteger[Any]]

LEAST_SHARED = 3
"""The least number of pairs of answers."""

BLOCK = 4_000_000
"""Sums held at a time when resampling: 32 MB."""

_ROUNDING = 1e-12


def differences(unit: Places, number: Floats, units: int) -> Floats:
    """Return the sum of |x - y| over the pairs of each of `units` units, and their number.

    `unit` has the place of each answer's unit, sorted.
    """
    result = np.zeros((units, 2))
    for one, other in pairs(unit):
        apart = np.abs(number[one] - number[other])
        result[:, 0] += np.bincount(unit[one], apart, minlength=units)
        result[:, 1] += np.bincount(unit[one], minlength=units)
    return result


def pooled_correlations(
    unit: Places, judge: Places, number: Floats, clusters: Places, count: int
) -> Callable[[Floats], Floats]:
    """Return the pooled correlation as a statistic of weights of clusters (draws × clusters).

    `clusters` has the place of each unit's cluster among `count`.
    """
    rows = [np.stack(both) for both in pairs(unit)]
    one, other = np.hstack(rows) if rows else np.zeros((2, 0), dtype=np.int64)
    wide = int(judge.max(initial=0)) + 1
    names, pair = np.unique(judge[one].astype(np.int64) * wide + judge[other], return_inverse=True)
    ones, others = names // wide, names % wide
    x = number - (float(np.median(number).round()) if len(number) else 0.0)
    compared = np.unique(np.concatenate([one, other]))
    own = x[compared]
    answers = _by_cluster(
        [np.ones(len(own)), own, own * own], judge[compared], clusters[unit[compared]], wide, count
    )
    together = _by_cluster(
        [np.ones(len(one)), x[one], x[other], x[one] * x[other]],
        pair,
        clusters[unit[one]],
        len(names),
        count,
    )

    def statistic(weights: Floats) -> Floats:
        turned = np.ascontiguousarray(weights.T)
        n, total, squares = (part @ turned for part in answers)
        n = np.maximum(n, 1.0)
        mean = total / n
        spread = np.where(squares - n * mean**2 > _ROUNDING * squares, squares - n * mean**2, 0.0)
        spread = np.sqrt(spread / np.maximum(n - 1, 1.0))
        across, apart, shared = np.zeros((3, len(weights)))
        step = max(1, BLOCK // (8 * len(weights)))
        for start in range(0, len(names), step):
            some = slice(start, start + step)
            a, b = ones[some], others[some]
            both, by_one, by_other, product = (part[some] @ turned for part in together)
            across += (product - mean[a] * by_other - mean[b] * by_one).sum(axis=0)
            across += (both * mean[a] * mean[b]).sum(axis=0)
            less, joint = 1 / n[a] + 1 / n[b], both / (n[a] * n[b])
            scale = (1 - less + joint) / (1 - less / 4 + joint / 2)
            apart += (both * scale * spread[a] * spread[b]).sum(axis=0)
            shared += both.sum(axis=0)
        known = (shared >= LEAST_SHARED) & (apart > 0)
        result: Floats = np.divide(across, apart, out=np.full(len(weights), np.nan), where=known)
        return np.clip(result, -1, 1)

    return statistic


def _by_cluster(
    parts: list[Floats], row: Places, cluster: Places, height: int, width: int
) -> list[Any]:
    """Return a sparse matrix, rows × clusters, of each part."""
    # Imported at use: it takes part of a second that a web process need not spend.
    from scipy.sparse import csr_array

    return [csr_array((part, (row, cluster)), shape=(height, width)) for part in parts]

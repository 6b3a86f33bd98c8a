"""Cohen's kappa: agreement of two judges beyond chance.

With p_ij the share of units that one judge gave value i and the other j, p_i+ and p_+j the shares
of each judge, and v_ij how far apart two values count:

    D_o = Σ_ij v_ij p_ij          observed disagreement
    D_e = Σ_ij v_ij p_i+ p_+j     by chance
    κ   = 1 - D_o / D_e

v_ij = [i ≠ j] for nominal values; (i - j)² for ordered ones, the places counted from low to high.

J. Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological
Measurement 20(1), 37-46; J. Cohen (1968), Weighted kappa, Psychological Bulletin 70(4), 213-220.

A table of one unit is a single 1; tables of several units add up, with weights in a bootstrap.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.alpha import Metric
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]

NOTHING_SHARED = "nothing was judged by both"
ALL_THE_SAME = "all answers of both are the same"


def distances(size: int, metric: Metric) -> Floats:
    """Return v_ij for values in their order."""
    places = np.arange(size, dtype=float)
    apart = (places[:, None] - places[None, :]) ** 2
    return apart if metric == "ordinal" else np.minimum(apart, 1.0)


def kappas(summed: Floats, metric: Metric) -> Floats:
    """Return kappa of each of several tables (the last two axes); NaN where undefined."""
    v = distances(summed.shape[-1], metric)
    total = summed.sum(axis=(-2, -1))
    chance = summed.sum(axis=-1)[..., :, None] * summed.sum(axis=-2)[..., None, :]
    seen = (summed * v).sum(axis=(-2, -1)) * total
    expected = (chance * v).sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.where(expected > 0, 1 - seen / expected, np.nan)
    return result


def kappa(table: Floats, metric: Metric) -> Figure:
    """Return kappa of one table: one judge's answers in rows, the other's in columns."""
    if not table.sum():
        return undefined(NOTHING_SHARED)
    rows, columns = table.sum(axis=1) > 0, table.sum(axis=0) > 0
    if np.count_nonzero(rows | columns) == 1:
        return undefined(ALL_THE_SAME)
    return Figure(float(kappas(table[None], metric)[0]))


def mean_kappas(summed: Floats, metric: Metric) -> Floats:
    """Return the mean over pairs of each set of tables; NaN where no pair has a kappa."""
    each = kappas(summed, metric)
    known = np.isfinite(each)
    with np.errstate(invalid="ignore"):
        result: Floats = np.where(known, each, 0.0).sum(axis=1) / known.sum(axis=1)
    return result


def mean_kappa(figures: Sequence[Figure]) -> Figure:
    """Return the mean of the kappas that are defined."""
    known = [figure.value for figure in figures if figure.value is not None]
    if known:
        return Figure(sum(known) / len(known))
    if figures:
        return undefined("no two judges have a kappa: " + figures[0].reason)
    return undefined("fewer than two judges")

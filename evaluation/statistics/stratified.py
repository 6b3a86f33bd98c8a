"""Agreement within slices: chance is computed inside each slice of the questions.

A judge that knows only the data set of an answer agrees with people wherever data sets have
different shares of "yes". With D_o(s) the observed disagreement in slice s and D_e(s) that by
chance from the answers in s, both summed over the comparisons there, as in `cohen` or `alpha`:

    κ_s, α_s = 1 - Σ_s D_o(s) / Σ_s D_e(s)

δ² of an ordinal alpha is that of all slices together. See `pooled_kappa` for many raters.

W. E. Barlow, M.-Y. Lai and S. P. Azen (1991), A comparison of methods for calculating a stratified
kappa, Statistics in Medicine 10(9), 1465-1472; the quotient of sums follows H. de Vries et al.
(2008), see `pooled_kappa`.
"""

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.alpha import AlphaMetric, Metric, squared_distances
from evaluation.statistics.cohen import distances

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def by_slice(sums: Floats, slices: Ints) -> Floats:
    """Return each cluster's sums on a second axis, at the place of its slice."""
    result = np.zeros((len(sums), int(slices.max(initial=0)) + 1, *sums.shape[1:]))
    result[np.arange(len(sums)), slices] = sums
    return result


def kappas_within(tables: Floats, metric: Metric) -> Floats:
    """Return kappa of each set of tables (draws × slices × values × values); NaN if undefined."""
    v = distances(tables.shape[-1], metric)
    chance = tables.sum(axis=-1)[..., :, None] * tables.sum(axis=-2)[..., None, :]
    return _rest(tables * v, chance * v, tables.sum(axis=(-2, -1)))


def alphas_within(matrices: Floats, metric: AlphaMetric) -> Floats:
    """Return alpha of each set of coincidences (draws × slices × values × values)."""
    totals = matrices.sum(axis=-1)
    apart = squared_distances(totals.sum(axis=1), metric)[:, None]
    chance = totals[..., :, None] * totals[..., None, :]
    return _rest(matrices * apart, chance * apart, totals.sum(axis=-1) - 1)


def _rest(seen: Floats, chance: Floats, number: Floats) -> Floats:
    """Return 1 - D_o / D_e; the chance of each slice is first divided by its number."""
    expected = (chance.sum(axis=(-2, -1)) / np.maximum(number, 1)).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.where(
            expected > 1e-12, 1 - seen.sum(axis=(-3, -2, -1)) / expected, np.nan
        )
    return result

"""Agreement within slices: chance is computed inside each slice of the questions.

A judge that knows only the data set of an answer agrees with people wherever data sets have unlike
shares of "yes". With D_o(s) the disagreement seen in slice s and D_e(s) that by chance from the
answers in s, both summed over what is compared there, as in `cohen` or `alpha`:

    κ_s, α_s = 1 - Σ_s D_o(s) / Σ_s D_e(s)

δ² of an ordinal alpha is that of all slices together. See `pooled_kappa` for many raters.

W. E. Barlow, M.-Y. Lai and S. P. Azen (1991), A comparison of methods for calculating a stratified
kappa, Statistics in Medicine 10(9), 1465-1472; that sums come before the quotient is after
H. de Vries et al. (2008), see `pooled_kappa`.
"""

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.alpha import AlphaMetric, Metric, squared_distances
from evaluation.statistics.cohen import distances

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def by_slice(sums: Floats, slices: Ints) -> Floats:
    """What each cluster adds, on a second axis at the place of its slice."""
    found = np.zeros((len(sums), int(slices.max(initial=0)) + 1, *sums.shape[1:]))
    found[np.arange(len(sums)), slices] = sums
    return found


def kappas_within(tables: Floats, metric: Metric) -> Floats:
    """Kappa of each of several sets of tables (draws × slices × values × values); NaN, to be dealt
    with, where undefined."""
    v = distances(tables.shape[-1], metric)
    chance = tables.sum(axis=-1)[..., :, None] * tables.sum(axis=-2)[..., None, :]
    return _rest(tables * v, chance * v, tables.sum(axis=(-2, -1)))


def alphas_within(matrices: Floats, metric: AlphaMetric) -> Floats:
    """Alpha of each of several sets of coincidences (draws × slices × values × values)."""
    totals = matrices.sum(axis=-1)
    apart = squared_distances(totals.sum(axis=1), metric)[:, None]
    chance = totals[..., :, None] * totals[..., None, :]
    return _rest(matrices * apart, chance * apart, totals.sum(axis=-1) - 1)


def _rest(seen: Floats, chance: Floats, number: Floats) -> Floats:
    """One minus what is seen by what chance gives, each slice's divided by its number before."""
    expected = (chance.sum(axis=(-2, -1)) / np.maximum(number, 1)).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(
            expected > 1e-12, 1 - seen.sum(axis=(-3, -2, -1)) / expected, np.nan
        )
    return found

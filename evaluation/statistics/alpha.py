"""Krippendorff's alpha: agreement beyond chance, for any number of raters and missing answers.

Each unit u that has m_u >= 2 ratings pairs every rating with every other one and adds to the
coincidences of values c and k:

    o_ck = Σ_u n_uc (n_uk - [c = k]) / (m_u - 1)
    n_c  = Σ_k o_ck,   n = Σ_c n_c
    D_o  = Σ_c Σ_k o_ck δ²(c, k) / n
    D_e  = Σ_c Σ_k n_c n_k δ²(c, k) / (n (n - 1))
    α    = 1 - D_o / D_e

δ² is 0 or 1 for nominal values; for ordinal ones it counts the ratings in between:

    δ²(c, k) = (Σ_{g=c..k} n_g - (n_c + n_k) / 2)²

and for values that are numbers, of an interval scale, it is (c - k)², the places counted from low
to high: every degree is as far from the next.

K. Krippendorff (2011), Computing Krippendorff's alpha-reliability; A. F. Hayes and
K. Krippendorff (2007), Answering the call for a standard reliability measure for coding data,
Communication Methods and Measures 1(1), 77-89.

The coincidences of one unit never depend on other units. They are computed once (`coincidences`); a
bootstrap only adds them up with other weights (`alphas`).
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.ratings import Figure, undefined

Metric = Literal["nominal", "ordinal"]
AlphaMetric = Literal["nominal", "ordinal", "interval"]
Floats = NDArray[np.float64]


def coincidences(table: Floats) -> Floats:
    """Return one matrix o_ck for each unit, zeros where it has no pair.

    `table` says how often each value was given: units × values.
    """
    pairs = table[:, :, None] * table[:, None, :]
    diagonal = np.arange(table.shape[1])
    pairs[:, diagonal, diagonal] -= table
    partners = np.maximum(table.sum(axis=1) - 1, 1)
    result: Floats = pairs / partners[:, None, None]
    return result


def alphas(summed: Floats, metric: AlphaMetric) -> Floats:
    """Return alpha of each of several coincidence matrices; NaN where undefined."""
    totals = summed.sum(axis=2)
    n = totals.sum(axis=1)
    distance = squared_distances(totals, metric)
    seen = (summed * distance).sum(axis=(1, 2))
    chance = (totals[:, :, None] * totals[:, None, :] * distance).sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = 1 - (n - 1) * seen / chance
    result[chance == 0] = np.nan
    return result


def alpha(summed: Floats, metric: AlphaMetric) -> Figure:
    """Return alpha of one coincidence matrix."""
    if not summed.sum():
        return undefined("nothing has two ratings yet")
    if np.count_nonzero(summed.sum(axis=1)) == 1:
        return undefined("all answers are the same")
    return Figure(float(alphas(summed[None], metric)[0]))


def squared_distances(totals: Floats, metric: AlphaMetric) -> Floats:
    """Return δ² for each matrix; for nominal values and numbers the same for all."""
    size = totals.shape[1]
    if metric == "interval":
        places = np.arange(size, dtype=float)
        apart = (places[:, None] - places[None, :]) ** 2
        return np.broadcast_to(apart, (len(totals), size, size))
    if metric == "nominal":
        return np.broadcast_to(1.0 - np.eye(size), (len(totals), size, size))
    # With s_c the ratings below c and half of those at c, the ratings between c and k are
    # |s_k - s_c|: those at c and k count half, those in between whole.
    middles = totals.cumsum(axis=1) - totals / 2
    result: Floats = (middles[:, :, None] - middles[:, None, :]) ** 2
    return result

"""Gwet's AC1, and AC2 for ordered values: agreement beyond chance for skewed answers.

Where nearly all answers are the same, kappa and alpha expect nearly all agreement by chance and
come near 0 though the judges hardly ever differ. Gwet's chance is small then. With r_ik ratings
of unit i with value k, r_i of it in all, q values on the scale, and w_kl how near two values are:

    P_a = mean over units with r_i >= 2 of Σ_k r_ik (Σ_l w_kl r_il - 1) / (r_i (r_i - 1))
    π_k = mean over units with r_i >= 1 of r_ik / r_i
    P_e = Σ_kl w_kl / (q (q - 1)) · Σ_k π_k (1 - π_k)
    AC  = (P_a - P_e) / (1 - P_e)

w_kl = [k = l] for nominal values (AC1); 1 - (k - l)² / (q - 1)² for ordered ones (AC2).

K. L. Gwet (2008), Computing inter-rater reliability and its variance in the presence of high
agreement, British Journal of Mathematical and Statistical Psychology 61(1), 29-48; K. L. Gwet
(2014), Handbook of inter-rater reliability, 4th edition, chapters 2 to 4.
"""

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.alpha import Metric
from evaluation.statistics.cohen import distances
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]


def nearness(size: int, metric: Metric) -> Floats:
    """Return w_kl for values in their order."""
    apart = distances(size, metric)
    return 1 - apart / max(float(apart.max()), 1.0)


def contributions(table: Floats, metric: Metric) -> Floats:
    """Return each unit's agreement, 1 if it has a pair, 1 if it has a rating, and its shares.

    `table` says how often each value was given: units × values.
    """
    each = table.sum(axis=1)
    near = (table * (table @ nearness(table.shape[1], metric) - 1)).sum(axis=1)
    agreeing = near / np.maximum(each * (each - 1), 1)
    several, rated = each >= 2, each >= 1
    shares = table / np.maximum(each, 1)[:, None]
    return np.column_stack([agreeing * several, several, rated, shares])


def coefficients(summed: Floats, metric: Metric) -> Floats:
    """Return AC1 or AC2 of each of several sums of contributions; NaN where undefined."""
    size = summed.shape[1] - 3
    with np.errstate(divide="ignore", invalid="ignore"):
        agreement = summed[:, 0] / summed[:, 1]
        shares = summed[:, 3:] / summed[:, 2:3]
    spread = (shares * (1 - shares)).sum(axis=1)
    chance = nearness(size, metric).sum() / (size * (size - 1)) * spread
    result: Floats = (agreement - chance) / (1 - chance)
    return result


def coefficient(summed: Floats, metric: Metric) -> Figure:
    """Return AC1 or AC2 of one sum of contributions."""
    if not summed[1]:
        return undefined("nothing has two ratings yet")
    return Figure(float(coefficients(summed[None], metric)[0]))

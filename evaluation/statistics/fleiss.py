"""Fleiss' kappa: agreement of several raters beyond chance.

With N units, n ratings each, n_ij of them in category j of unit i:

    P_i = Σ_j n_ij (n_ij - 1) / (n (n - 1))        agreement about unit i
    P   = Σ_i P_i / N                              observed
    p_j = Σ_i n_ij / (N n)                         share of category j
    P_e = Σ_j p_j²                                 by chance
    κ   = (P - P_e) / (1 - P_e)

J. L. Fleiss (1971), Measuring nominal scale agreement among many raters, Psychological Bulletin
76(5), 378-382.

**Generalised** to different numbers of ratings n_i, P is the mean of P_i = Σ_j n_ij (n_ij - 1) /
(n_i (n_i - 1)) over the units with at least two ratings, and p_j that of n_ij / n_i over all units
with a rating; where all units have the same number, it is Fleiss' kappa. With few units of two
ratings among many of one it can fall below -1, and is then undefined. K. L. Gwet (2014), Handbook
of inter-rater reliability, 4th edition, chapter 2.

Both are computed from sums of `gwet.contributions` of nominal values.
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]

BELOW = "below -1: agreement is that of few units, chance that of all"
_ROUNDING = 1e-12


def words(raters: int, kept: int, out: int) -> str:
    """Return a sentence about the units kept for Fleiss' kappa and those left out."""
    if not raters:
        return "No unit has two ratings."
    if not out:
        return f"All {kept} units have {raters} ratings."
    return (
        f"{kept} of {kept + out} units, those with {raters} ratings; "
        f"{out} with fewer or more are left out."
    )


def most_frequent_number(per_unit: Iterable[int]) -> int:
    """Return the most frequent number of ratings of a unit, at least 2, or 0 without such units."""
    numbers = Counter(number for number in per_unit if number > 1)
    return max(numbers, key=lambda n: (numbers[n], n)) if numbers else 0


def kappas(summed: Floats) -> Floats:
    """Return kappa of each of several sums of contributions; NaN where undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = summed[:, 0] / summed[:, 1]
        by_chance = ((summed[:, 3:] / summed[:, 2:3]) ** 2).sum(axis=1)
        result: Floats = (observed - by_chance) / (1 - by_chance)
    # Tested by counts: rounding could leave 1 - P_e slightly above 0.
    result[np.count_nonzero(summed[:, 3:], axis=1) < 2] = np.nan
    result[result < -1 - _ROUNDING] = np.nan
    return result


def kappa(summed: Floats) -> Figure:
    """Return kappa of one sum of contributions."""
    if not summed[1]:
        return undefined("nothing has two ratings yet")
    if np.count_nonzero(summed[3:]) < 2:
        return undefined("all answers are the same")
    value = float(kappas(summed[None])[0])
    return Figure(value) if np.isfinite(value) else undefined(BELOW)

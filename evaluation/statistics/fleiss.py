"""Fleiss' kappa: agreement of several raters beyond chance, each unit rated by as many.

With N units, n ratings each, n_ij of them in category j of unit i:

    P_i = Σ_j n_ij (n_ij - 1) / (n (n - 1))        agreement about unit i
    P   = Σ_i P_i / N                              observed
    p_j = Σ_i n_ij / (N n)                         share of category j
    P_e = Σ_j p_j²                                 by chance
    κ   = (P - P_e) / (1 - P_e)

J. L. Fleiss (1971), Measuring nominal scale agreement among many raters, Psychological Bulletin
76(5), 378-382.

**Generalised** to different numbers of ratings n_i, P is the mean of P_i = Σ_j n_ij (n_ij - 1) /
(n_i (n_i - 1)) over the units that have two ratings at least, and p_j that of n_ij / n_i over those
that have any; where all units have as many, it is Fleiss' kappa. With few units of two ratings
among many of one it can fall below -1, and is then undefined. K. L. Gwet (2014), Handbook of
inter-rater reliability, 4th edition, chapter 2.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics import gwet
from evaluation.statistics.counting import counts
from evaluation.statistics.ratings import Figure, Ratings, undefined

BELOW = "below -1: agreement is that of few units, chance that of all"


def fleiss_of(table: NDArray[np.int64]) -> Figure:
    """The same, from how often each value was given: units × values."""
    if not len(table):
        return undefined("nothing was rated")
    per_unit = table.sum(axis=1)
    n = int(per_unit[0])
    if (per_unit != n).any():
        return undefined("the units do not all have the same number of ratings")
    if n < 2:
        return undefined("fewer than two raters")
    observed = float((table * (table - 1)).sum(axis=1).mean()) / (n * (n - 1))
    shares = table.sum(axis=0) / table.sum()
    by_chance = float((shares**2).sum())
    if np.count_nonzero(shares) == 1:
        return undefined("all answers are the same")
    return Figure((observed - by_chance) / (1 - by_chance))


def words(raters: int, kept: int, out: int) -> str:
    """How many units were kept for having as many ratings, and how many left out."""
    if not raters:
        return "No unit has two ratings."
    if not out:
        return f"All {kept} units have {raters} ratings."
    return (
        f"{kept} of {kept + out} units, those with {raters} ratings; "
        f"{out} with fewer or more are left out."
    )


def most_frequent_number(per_unit: Iterable[int]) -> int:
    """The most frequent number of ratings of a unit, two at least; 0 where no unit has two."""
    numbers = Counter(number for number in per_unit if number > 1)
    return max(numbers, key=lambda n: (numbers[n], n)) if numbers else 0


def contributions(ratings: Ratings, values: Sequence[str]) -> NDArray[np.float64]:
    """For each unit: P_i, 1, and its shares n_ij / n. Their sums are all that kappa needs.

    The units must all have the same number of ratings, two at least.
    """
    return contributions_of(counts(ratings, values))


def contributions_of(table: NDArray[np.int64]) -> NDArray[np.float64]:
    """The same, from how often each value was given: units × values."""
    each = table.sum(axis=1, keepdims=True)
    if len(table) and (each.min() != each.max() or each.min() < 2):
        raise ValueError("The units must all have the same number of ratings, two at least.")
    agreeing = (table * (table - 1)).sum(axis=1, keepdims=True) / (each * (each - 1))
    return np.hstack([agreeing, np.ones_like(agreeing), table / each])


def kappas(summed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Kappa of each of several sums of contributions; NaN, to be dealt with, where undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        means = summed / summed[:, 1:2]
        by_chance = (means[:, 2:] ** 2).sum(axis=1)
        found: NDArray[np.float64] = (means[:, 0] - by_chance) / (1 - by_chance)
    # The same test as for one table: rounding could leave 1 - P_e a little over 0.
    found[np.count_nonzero(summed[:, 2:], axis=1) < 2] = np.nan
    return found


def generalised_of(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each unit, with any number of ratings: P_i, whether it has two, whether it has one, and
    its shares n_ij / n_i; from how often each value was given."""
    return gwet.contributions_of(table, "nominal")


def generalised_kappas(summed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Generalised kappa of each of several sums of these; NaN, to be dealt with, if undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = summed[:, 0] / summed[:, 1]
        by_chance = ((summed[:, 3:] / summed[:, 2:3]) ** 2).sum(axis=1)
        found: NDArray[np.float64] = (observed - by_chance) / (1 - by_chance)
    found[np.count_nonzero(summed[:, 3:], axis=1) < 2] = np.nan
    found[found < -1] = np.nan
    return found


def generalised(summed: NDArray[np.float64]) -> Figure:
    """Generalised kappa of one sum."""
    if not summed[1]:
        return undefined("nothing has two ratings yet")
    if np.count_nonzero(summed[3:]) < 2:
        return undefined("all answers are the same")
    value = float(generalised_kappas(summed[None])[0])
    return Figure(value) if np.isfinite(value) else undefined(BELOW)

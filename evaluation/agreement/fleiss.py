"""Fleiss' kappa: agreement of several raters beyond chance, each unit rated by as many.

With N units, n ratings each, n_ij of them in category j of unit i:

    P_i = Σ_j n_ij (n_ij - 1) / (n (n - 1))        agreement about unit i
    P   = Σ_i P_i / N                              observed
    p_j = Σ_i n_ij / (N n)                         share of category j
    P_e = Σ_j p_j²                                 by chance
    κ   = (P - P_e) / (1 - P_e)

J. L. Fleiss (1971), Measuring nominal scale agreement among many raters, Psychological Bulletin
76(5), 378-382.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.ratings import Figure, Ratings, undefined


def counts(ratings: Ratings, values: Sequence[str]) -> NDArray[np.int64]:
    """How often each value was given: a row for each unit, a column for each value."""
    place = {value: column for column, value in enumerate(values)}
    table = np.zeros((len(ratings), len(values)), dtype=np.int64)
    for row, votes in enumerate(ratings.values()):
        for value in votes.values():
            table[row, place[value]] += 1
    return table


def fleiss_kappa(ratings: Ratings, values: Sequence[str]) -> Figure:
    """Fleiss' kappa of ratings whose units all have the same number of raters."""
    table = counts(ratings, values)
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


def rated_by_all(ratings: Ratings) -> Ratings:
    """The units that every judge who occurs in the ratings has rated."""
    judges = {judge for votes in ratings.values() for judge in votes}
    return {unit: votes for unit, votes in ratings.items() if len(votes) == len(judges)}

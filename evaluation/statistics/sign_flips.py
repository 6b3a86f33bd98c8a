"""Does what was varied move a judge's answers one way?

If it did not matter which of two answers to a unit came with what was varied, each question's sum
of differences could as well have the other sign. So signs are drawn at random, all of a question's
together, and p is how often the sum then lies as far from 0 as the one that was seen:

    p = (1 + draws with |Σ_q s_q d_q| >= |Σ_q d_q|) / (1 + draws)

This holds its level with any number of questions. Beyond `BLOCKS` they keep their signs in blocks
of neighbours. R. A. Fisher (1935), The design of experiments,
section 21; with the sums of clusters, M. D. Ernst (2004), Permutation methods, Statistical Science
19(4), 676-685.
"""

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.comparison import two_sided
from evaluation.statistics.error_bars import ErrorBar
from evaluation.statistics.ratings import Figure
from evaluation.statistics.swaps import BLOCKS, p_value

Floats = NDArray[np.float64]

PERMUTATIONS = 10_000
"""Enough that p stays small where it is corrected for a hundred tests."""


def flipped(differences: Floats, *, seed: int) -> Figure:
    """p of the sums of each question."""
    some = differences[differences != 0]
    wide = min(len(some), BLOCKS)
    blocks = np.array([part.sum() for part in np.array_split(some, wide)]) if wide else some
    signs = np.random.default_rng(seed).integers(0, 2, size=(PERMUTATIONS, wide)) * 2.0 - 1
    return p_value(float(some.sum()), signs @ blocks)


def p_of_t(value: float, bar: ErrorBar, clusters: int) -> Figure:
    """Two-sided p of a number by Student's t with its error by the bootstrap: below .05 where the
    interval by t (`error_bars.by_t`) does not hold 0."""
    error = bar.standard_error
    if error.value is None:
        return error
    return two_sided(value / error.value, clusters - 1)

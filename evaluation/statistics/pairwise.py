"""Observed agreement: the share of pairs of judges of the same unit who agree.

With n_uc the number of ratings of unit u with value c and m_u = Σ_c n_uc:

    agreeing = Σ_u Σ_c n_uc (n_uc - 1) / 2
    pairs    = Σ_u m_u (m_u - 1) / 2
    share    = agreeing / pairs

It is not corrected for chance. With the same number of ratings of all units it is the P of Fleiss
(1971), see `fleiss`.
"""

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.ratings import Figure, undefined


def pairs_of_counts(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return agreeing pairs and all pairs of each unit.

    `table` says how often each value was given: units × values.
    """
    each = table.sum(axis=1)
    agreeing = (table * (table - 1)).sum(axis=1) / 2
    return np.column_stack([agreeing, each * (each - 1) / 2])


def shares(summed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of each of several sums of pairs; NaN where there is none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: NDArray[np.float64] = summed[:, 0] / summed[:, 1]
    return result


def share(summed: NDArray[np.float64]) -> Figure:
    """Return the share of one sum of pairs."""
    agreeing, total = summed
    if not total:
        return undefined("nothing has two ratings yet")
    return Figure(float(agreeing / total))

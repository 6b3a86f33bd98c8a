"""Could systems have got their order by chance? A permutation test of Pearson's correlation.

    p = share of all orders of y whose correlation with x is at least the one found; where that is
        below 0, at most the one found

All orders where there are few, otherwise drawn ones, the one found among them. A judge whose
numbers have nothing to do with people's reaches p <= a, on either side, in at most a share a of
studies, however the numbers are distributed and however few the systems are.

E. J. G. Pitman (1937), Significance tests which may be applied to samples from any populations II:
the correlation coefficient test, Supplement to the Journal of the Royal Statistical Society 4(2),
225-232; B. Phipson and G. K. Smyth (2010), Permutation p-values should never be zero, Statistical
Applications in Genetics and Molecular Biology 9(1), 39.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.intp]

MOST_IN_FULL = 8
"""Up to so many systems all orders are looked at: 40,320."""

DRAWN = 19_999
ROUNDING = 1e-9


def chance_of_order(x: Sequence[float], y: Sequence[float]) -> float:
    """How often an order by chance fits at least as well, or as badly; 1 where all values are the
    same."""
    one, other = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    one, other = one - one.mean(), other - other.mean()
    size = float(np.sqrt((one**2).sum() * (other**2).sum()))
    if not size:
        return 1.0
    found = float((one * other).sum())
    if found < 0:
        one, found = -one, -found
    reached = int(np.count_nonzero(other[_orders(len(one))] @ one >= found - ROUNDING * size))
    if len(one) <= MOST_IN_FULL:
        return reached / len(_orders(len(one)))
    return (1 + reached) / (1 + DRAWN)


@lru_cache(maxsize=2)
def _orders(systems: int) -> Places:
    if systems <= MOST_IN_FULL:
        return np.array(list(permutations(range(systems))), dtype=np.intp)
    draw = np.random.default_rng(0)
    return draw.permuted(np.tile(np.arange(systems), (DRAWN, 1)), axis=1)

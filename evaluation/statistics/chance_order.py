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

from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.intp]

MOST_IN_FULL = 8
"""Up to so many systems all orders are looked at: 40,320."""

DRAWN = 19_999
ROUNDING = 1e-9


def chance_of_order(x: Floats, y: Floats) -> float:
    """How often an order by chance fits at least as well, or as badly; 1 where all values are the
    same."""
    return chance_of_fit(x if ((x - x.mean()) * (y - y.mean())).sum() >= 0 else -x, y)


def chance_of_fit(x: Floats, y: Floats, tier: Flags | None = None) -> float:
    """How often an order by chance fits at least as well; 1 where all values are the same.

    With tiers, of which the lower comes first, chance exchanges only systems of the same tier.
    """
    one, other = x - x.mean(), y - y.mean()
    size = float(np.sqrt((one**2).sum() * (other**2).sum()))
    if not size:
        return 1.0
    orders = _orders((False,) * len(x) if tier is None else tuple(tier.tolist()))
    reached = int(np.count_nonzero(other[orders] @ one >= one @ other - ROUNDING * size))
    if len(one) <= MOST_IN_FULL:
        return reached / len(orders)
    return (1 + reached) / (1 + DRAWN)


@lru_cache(maxsize=4)
def _orders(tier: tuple[bool, ...]) -> Places:
    if len(tier) <= MOST_IN_FULL:
        every = np.array(list(permutations(range(len(tier)))), dtype=np.intp)
        stays: Flags = (np.array(tier)[every] == tier).all(axis=1)
        return every[stays]
    draw = np.random.default_rng(0)
    return np.argsort(np.array(tier) + draw.random((DRAWN, len(tier))), axis=1)

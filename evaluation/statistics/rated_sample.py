"""Are rated responses like the others? Their judge's score, length and data set compared.

With r_qs whether the response of system s to question q is rated, x_qs the compared value, both
minus their mean over the responses of the system (0 where there is no response), Q questions:

    d = Σ_qs r_qs x_qs        z = d / sqrt(Σ_st (RᵀR)_st (XᵀX)_st / (Q - 1))

z has the variance of d over all orders of the questions, each with all its responses, so that it
asks for no independence of responses to one question; p is the normal distribution's. Where fewer
than 5 rated responses are expected on one side of the mean of x, or as few others, p is the share
of drawn orders with a d at least as far from 0 (B. Phipson and G. K. Smyth, 2010). Of a data set
x is 1 in it and 0 elsewhere, and the p of the most unlike one counts for all but one of them
(Bonferroni). Data sets with fewer than 5 expected rated questions, or others, are not compared.

By hand: scipy's permutation tests exchange single responses, not questions with all of theirs.

H. Strasser and C. Weber (1999), On the asymptotic theory of permutation statistics, Mathematical
Methods of Statistics 8, 220-250.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

FEWEST = 5
DRAWN = 999
"""Orders of the questions."""


@dataclass(frozen=True, slots=True)
class RatedAgainstRest:
    """The mean of rated responses and of the others, with a test."""

    rated: float
    others: float
    p: float
    name: str = ""
    """The name of a data set."""


def compared(rated: Flags, others: Flags, values: Floats) -> RatedAgainstRest | None:
    """Compare values by question and system; None where there is nothing to compare."""
    known = np.isfinite(values)
    rated, others = rated & known, others & known
    if not (rated.any() and others.any()):
        return None
    own, x = (_centred(one, rated | others) for one in (rated.astype(float), values))
    spread = float(((own.T @ own) * (x.T @ x)).sum()) / max(1, len(x) - 1)
    z = float((own * x).sum()) / sqrt(spread) if spread > 1e-12 else 0.0
    high = float((values[rated | others] > values[rated | others].mean()).mean())
    fewest = min(np.count_nonzero(rated), np.count_nonzero(others)) * min(high, 1 - high)
    p = erfc(abs(z) / sqrt(2)) if fewest >= FEWEST else _share_of_orders(own, x)
    return RatedAgainstRest(float(values[rated].mean()), float(values[others].mean()), p)


def _share_of_orders(own: Floats, x: Floats) -> float:
    draw, result = np.random.default_rng(0), abs(float((own * x).sum())) - 1e-9
    drawn = (abs(float((own * draw.permutation(x)).sum())) for _ in range(DRAWN))
    return (1 + sum(one >= result for one in drawn)) / (1 + DRAWN)


def compared_sets(rated: Flags, others: Flags, names: Sequence[str]) -> RatedAgainstRest | None:
    """Compare shares of data sets, given for each question, and return the most different one."""
    here = (rated | others).any(axis=1)
    share = float(rated.any(axis=1).sum()) / max(1.0, float(here.sum()))
    result = []
    for name in sorted(set(names)):
        inside = np.array([one == name for one in names], dtype=bool)
        fewest = min(np.count_nonzero(inside & here), np.count_nonzero(~inside & here))
        values = np.broadcast_to(inside[:, None], rated.shape).astype(float)
        one = compared(rated, others, values)
        if one is not None and fewest * min(share, 1 - share) >= FEWEST:
            result.append(replace(one, name=name))
    if not result:
        return None
    most = min(result, key=lambda one: (round(one.p, 12), -one.rated))
    return replace(most, p=min(1.0, most.p * max(1, len(result) - 1)))


def _centred(values: Floats, known: Flags) -> Floats:
    """Return values minus the mean of their column; 0 where they are unknown."""
    result = np.where(known, values, 0.0)
    return np.where(known, result - result.sum(axis=0) / np.maximum(1, known.sum(axis=0)), 0.0)

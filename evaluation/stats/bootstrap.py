"""Error bars by resampling whole responses: ratings of one response are not independent.

Of C clusters, C are drawn with replacement, again and again; each draw is a vector of weights
(how often each cluster was drawn), and a statistic is computed from the weighted sums of what
each cluster contributes. The interval runs from the 2.5th to the 97.5th percentile of the draws.

B. Efron and R. J. Tibshirani (1993), An introduction to the bootstrap, chapters 8 and 13;
C. A. Field and A. H. Welsh (2007), Bootstrapping clustered data, Journal of the Royal Statistical
Society B 69(3), 369-390.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
DRAWS = 1_000
CELLS = 2_000_000
"""Weights made at a time: 16 MB."""

LEAST_DEFINED = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """Where 95 % of the draws lie, or the reason why that is not known."""

    low: float | None
    high: float | None
    reason: str = ""


def per_cluster(statistics: Floats, clusters: Sequence[Hashable]) -> Floats:
    """The sums of the units' statistics in each cluster; the first axis are the units."""
    numbers: dict[Hashable, int] = {}
    rows = [numbers.setdefault(cluster, len(numbers)) for cluster in clusters]
    found = np.zeros((len(numbers), *statistics.shape[1:]))
    np.add.at(found, rows, statistics)
    return found


def weights(clusters: int, *, draws: int = DRAWS, seed: int = 0) -> Iterator[Floats]:
    """How often each cluster is drawn, a row for each draw, some draws at a time."""
    generator = np.random.default_rng(seed)
    step = max(1, CELLS // max(clusters, 1))
    share = np.full(clusters, 1 / clusters)
    for first in range(0, draws, step):
        size = min(step, draws - first)
        yield generator.multinomial(clusters, share, size=size).astype(float)


def interval(
    sums: Floats, statistic: Callable[[Floats], Floats], *, draws: int = DRAWS, seed: int = 0
) -> Interval:
    """The 95 % percentile interval of a statistic of summed contributions.

    `sums` holds what each cluster contributes; `statistic` takes the sums of several draws and
    gives a number for each, NaN where it is undefined. Draws in which it is are left out; with
    more than one in twenty of them, the interval is undefined.
    """
    clusters = len(sums)
    if clusters < 2:
        return Interval(None, None, "fewer than two responses")
    flat = sums.reshape(clusters, -1)
    drawn = np.concatenate(
        [
            statistic((some @ flat).reshape(len(some), *sums.shape[1:]))
            for some in weights(clusters, draws=draws, seed=seed)
        ]
    )
    defined = drawn[np.isfinite(drawn)]
    if len(defined) < LEAST_DEFINED * draws:
        return Interval(None, None, "too few different answers to tell")
    low, high = np.percentile(defined, [2.5, 97.5])
    return Interval(float(low), float(high))

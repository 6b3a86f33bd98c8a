"""Drawing clusters: answers about one question are correlated, so they are drawn together.

Of C clusters, C are drawn with replacement, again and again; each draw is a vector of weights
(how often each cluster was drawn). A statistic is computed from the weighted sums of what each
cluster contributes, see `error_bars`.

B. Efron and R. J. Tibshirani (1993), An introduction to the bootstrap, chapters 8 and 13;
C. A. Field and A. H. Welsh (2007), Bootstrapping clustered data, Journal of the Royal Statistical
Society B 69(3), 369-390.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.signedinteger[Any]]
CELLS = 2_000_000
"""Weights held in memory at a time: 16 MB."""

LEAST_DEFINED = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval, or the reason why there is none."""

    low: float | None
    high: float | None
    reason: str = ""


def numbered(clusters: Iterable[Hashable]) -> Places:
    """Return the place of each item's cluster, in the order in which the clusters occur."""
    places: dict[Hashable, int] = {}
    return np.array([places.setdefault(one, len(places)) for one in clusters], dtype=np.int64)


def per_cluster(rows: Floats, clusters: Places, number: int | None = None) -> Floats:
    """Return the sums of the rows of each cluster, by its place.

    `number` counts all clusters, where some of them have no row.
    """
    if len(clusters) and clusters.min() < 0:
        raise ValueError("Something that is not selected belongs to no question.")
    wide = int(clusters.max(initial=-1)) + 1 if number is None else number
    flat = rows.reshape(len(rows), prod(rows.shape[1:]))
    result = np.empty((wide, flat.shape[1]))
    for place, column in enumerate(flat.T):
        result[:, place] = np.bincount(clusters, column, wide)
    return result.reshape(wide, *rows.shape[1:])


def weights(clusters: int, *, draws: int, seed: int = 0) -> Iterator[Floats]:
    """Yield how often each cluster is drawn, a row for each draw, some draws at a time."""
    generator = np.random.default_rng(seed)
    step = max(1, CELLS // max(clusters, 1))
    share = np.full(clusters, 1 / clusters)
    for first in range(0, draws, step):
        size = min(step, draws - first)
        yield generator.multinomial(clusters, share, size=size).astype(float)

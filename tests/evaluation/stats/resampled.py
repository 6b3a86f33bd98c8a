"""Statistics of drawn responses in a way of their own: what those of sums are held to."""

from collections.abc import Sequence

import numpy as np
import scipy.stats
from numpy.typing import ArrayLike, NDArray

from evaluation.statistics.correlation import HARDLY
from evaluation.statistics.error_bars import Statistic

Floats = NDArray[np.float64]


def spearmans_of_weights(x: ArrayLike, y: ArrayLike, weights: Floats) -> Floats:
    """Spearman of responses under each row of weights of the responses; NaN where undefined.

    A response that was drawn w times stands in the ranks w times: its rank is, but for a constant,
    the weight of all lower values and half of the weight of all equal ones.
    """
    places = [np.unique(np.asarray(one, dtype=float), return_inverse=True)[1] for one in (x, y)]
    one, other = (_weighted_ranks(place, weights) for place in places)
    n = weights.sum(axis=1, keepdims=True)
    one, other = one - n / 2, other - n / 2  # the weighted mean of such ranks is n / 2
    spread_x, spread_y = (weights * one**2).sum(axis=1), (weights * other**2).sum(axis=1)
    hardly = HARDLY * n[:, 0] ** 3
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (weights * one * other).sum(axis=1) / np.sqrt(spread_x * spread_y)
    flat = (spread_x <= hardly) | (spread_y <= hardly)
    return np.where(flat, np.nan, np.clip(found, -1, 1))


def value_tables(x: ArrayLike, y: ArrayLike) -> Floats:
    """A table for each response: 1 at its values of x and y, both from low to high.

    It holds responses × values of x × values of y: meant for answers, not for scores.
    """
    xs, rows = np.unique(np.asarray(x, dtype=float), return_inverse=True)
    ys, columns = np.unique(np.asarray(y, dtype=float), return_inverse=True)
    found = np.zeros((len(rows), len(xs), len(ys)))
    found[np.arange(len(rows)), rows, columns] = 1
    return found


def on_fishers_scale(
    value: float | None, error: float | None, questions: int
) -> tuple[float, float]:
    """The ends of the interval of a kappa, with artanh by its logarithms."""
    assert value is not None
    assert error is not None
    half = error * scipy.stats.t.ppf(0.975, questions - 1) / (1 - value**2)
    middle = np.log((1 + value) / (1 - value)) / 2
    low, high = (np.exp(2 * (middle + side * half)) for side in (-1, 1))
    return (low - 1) / (low + 1), (high - 1) / (high + 1)


def of_units(places: Sequence[int], statistic: Statistic) -> Statistic:
    """A statistic of the weights of units; `places` names the cluster of each, by its number.

    For what is not made of sums, such as `ranking.aucs` and `correlation.spearmans_of_weights`.
    """
    rows = np.asarray(places, dtype=np.intp)
    return lambda some: statistic(some[:, rows])


def _weighted_ranks(places: NDArray[np.intp], weights: Floats) -> Floats:
    size = int(places.max(initial=-1)) + 1
    by_value = np.stack([np.bincount(places, row, minlength=size) for row in weights])
    middles = by_value.cumsum(axis=1) - by_value / 2
    found: Floats = middles[:, places]
    return found

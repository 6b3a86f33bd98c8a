"""Correlation of two numbers of the same items: Pearson, Spearman, Kendall, the line of fit.

    Pearson     r = Σ (x - x̄)(y - ȳ) / sqrt(Σ (x - x̄)² Σ (y - ȳ)²)
    Spearman    Pearson of the ranks, those of equal values averaged
    Kendall     τ_b = (C - D) / sqrt((C + D + T_x) (C + D + T_y)): of all pairs, C in the same
                order in x and y, D in the opposite one, T_x equal in x only, T_y in y only
    line        y = a + b x,  b = Σ (x - x̄)(y - ȳ) / Σ (x - x̄)²,  a = ȳ - b x̄

K. Pearson (1895), Proceedings of the Royal Society 58, 240-242; C. Spearman (1904), American
Journal of Psychology 15(1), 72-101; M. G. Kendall (1945), The treatment of ties in ranking
problems, Biometrika 33(3), 239-251.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Method = Literal["pearson", "spearman", "kendall"]

METHODS: tuple[Method, ...] = ("pearson", "spearman", "kendall")
LEAST = 3
CONSTANT = "constant ratings"
HARDLY = 1e-12
"""Values that differ by less than this, relative to their size, differ only by rounding."""


def correlation(
    x: Sequence[float], y: Sequence[float], method: Method = "pearson", *, things: str = "systems"
) -> Figure:
    """Return the correlation of two numbers of each system (or of what `things` says)."""
    one, other = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    reason = _reason(one, other, things)
    if reason:
        return undefined(reason)
    # Imported at use: it takes part of a second that a web process need not spend.
    from scipy.stats import kendalltau, rankdata

    if method == "kendall":
        return Figure(max(-1.0, min(1.0, float(kendalltau(one, other).statistic))))
    if method == "spearman":
        one, other = rankdata(one), rankdata(other)
    return Figure(float(pearsons(one[None], other[None])[0]))


@dataclass(frozen=True, slots=True)
class Line:
    """The line of least squares, or why there is none."""

    intercept: float | None
    slope: float | None
    reason: str = ""


def line_of_fit(x: Sequence[float], y: Sequence[float], *, things: str = "systems") -> Line:
    """Return the line that predicts y from x with the least squares."""
    one, other = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(one) < LEAST:
        return Line(None, None, f"fewer than {LEAST} {things}")
    if _constant(one):
        return Line(None, None, CONSTANT)
    away = one - one.mean()
    slope = float((away * (other - other.mean())).sum() / (away**2).sum())
    return Line(float(other.mean()) - slope * float(one.mean()), slope)


# Of many draws at once ---------------------------------------------------------------------------


def pearsons(x: Floats, y: Floats) -> Floats:
    """Return Pearson of each pair of rows; NaN where one is constant or holds NaN."""
    if not x.shape[1]:
        return np.full(len(x), np.nan)
    one, other = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    flat = _flat(x, one) | _flat(y, other)
    with np.errstate(divide="ignore", invalid="ignore"):
        result = (one * other).sum(axis=1) / np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))
    return np.where(flat, np.nan, np.clip(result, -1, 1))


# Of single responses, resampled by sums ----------------------------------------------------------


def moments(x: ArrayLike, y: ArrayLike) -> Floats:
    """Return 1, x, y, x², y², xy of each response: Pearson follows from their sums.

    Means are subtracted first; Pearson does not change, and small differences keep their digits.
    """
    one, other = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(one):
        one, other = one - one.mean(), other - other.mean()
    return np.column_stack([np.ones(len(one)), one, other, one**2, other**2, one * other])


def pearsons_of_moments(summed: Floats) -> Floats:
    """Return Pearson of each of several sums of moments; NaN where one of the two is constant."""
    n, x, y, xx, yy, xy = summed.T
    spread_x, spread_y = n * xx - x**2, n * yy - y**2
    flat = (spread_x <= HARDLY * n * xx) | (spread_y <= HARDLY * n * yy)
    with np.errstate(divide="ignore", invalid="ignore"):
        result = (n * xy - x * y) / np.sqrt(spread_x * spread_y)
    return np.where(flat, np.nan, np.clip(result, -1, 1))


def kendalls_of_tables(summed: Floats) -> Floats:
    """Return Kendall of each of several sums of value tables; NaN where one is constant."""
    lower = summed.cumsum(axis=1) - summed  # in the same column, lower in x
    left = lower.cumsum(axis=2) - lower
    right = lower.sum(axis=2, keepdims=True) - left - lower
    concordance = (summed * (left - right)).sum(axis=(1, 2))
    n = summed.sum(axis=(1, 2))
    untied_x, untied_y = ((n**2 - (summed.sum(axis=a) ** 2).sum(axis=1)) / 2 for a in (2, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = concordance / np.sqrt(untied_x * untied_y)
    return np.where((untied_x > 0) & (untied_y > 0), np.clip(result, -1, 1), np.nan)


def spearmans_of_tables(summed: Floats) -> Floats:
    """Return Spearman of each of several sums of value tables; NaN where one is constant.

    A table has 1 at the values of x and y of each response, both from low to high. A response that
    was drawn w times has w ranks: all in one row, or in one column, have the same rank, the weight
    of all lower values and half of the weight of all equal ones.
    """
    n = summed.sum(axis=(1, 2))
    xs, ys = summed.sum(axis=2), summed.sum(axis=1)
    one, other = (margin.cumsum(axis=1) - margin / 2 - n[:, None] / 2 for margin in (xs, ys))
    spread_x, spread_y = (xs * one**2).sum(axis=1), (ys * other**2).sum(axis=1)
    hardly = HARDLY * n**3
    with np.errstate(divide="ignore", invalid="ignore"):
        together = np.einsum("dij,di,dj->d", summed, one, other, optimize=True)
        result = together / np.sqrt(spread_x * spread_y)
    flat = (spread_x <= hardly) | (spread_y <= hardly)
    return np.where(flat, np.nan, np.clip(result, -1, 1))


def _reason(x: Floats, y: Floats, things: str) -> str:
    if len(x) != len(y):
        raise ValueError(f"Two numbers of each are needed; there are {len(x)} and {len(y)}.")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("A value is not a number; leave it out, with its reason.")
    if len(x) < LEAST:
        return f"fewer than {LEAST} {things}"
    return CONSTANT if _constant(x) or _constant(y) else ""


def _constant(values: Floats) -> bool:
    return bool(_flat(values[None], values[None] - values.mean())[0])


def _flat(rows: Floats, away: Floats) -> NDArray[np.bool_]:
    """Whether a row is constant but for rounding."""
    size = np.abs(rows).max(axis=1, initial=0.0)
    result: NDArray[np.bool_] = np.abs(away).max(axis=1, initial=0.0) <= HARDLY * size
    return result

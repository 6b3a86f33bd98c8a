"""Error bars by resampling questions: standard error, percentile interval, BCa interval.

All systems answer the same questions, and answers about one question are correlated. So questions
are drawn (see `bootstrap`), each with all its answers. With θ the number on all questions, θ*_b on
draw b of B, θ_(i) without question i, Φ the normal distribution:

    standard error = standard deviation of θ*_b (by B - 1)
    percentile     = 2.5th and 97.5th percentile of θ*_b
    BCa            = percentiles 100 Φ(z₀ + (z₀ + z) / (1 - a (z₀ + z))) for z = ∓1.96, where
                     z₀ = Φ⁻¹(share of θ*_b below θ, ties half)
                     a  = Σ d_i³ / (6 (Σ d_i²)^1.5),  d_i = mean of θ_(i) - θ_(i)
    t              = θ ± t_.975 standard error, with Student's t of C - 1 degrees
    z              = tanh(artanh θ ± t_.975 standard error / (1 - θ²)), of what lies between -1 and
                     1; a share is first stretched to that
    log            = θ exp(∓ t_.975 standard error / θ), of numbers above 0 without an upper end

The interval of a **sum** θ = Σ c θᵢ is made of the intervals of its parts. With cᵢ the factors, lᵢ
and uᵢ the ends of θᵢ's interval (swapped where cᵢ < 0), and r the correlation of two of them:

    low  = θ - sqrt(Σ cᵢ² (θᵢ - lᵢ)² + 2 Σ r cᵢ cⱼ |θᵢ - lᵢ| |θⱼ - lⱼ|)
    high = θ + sqrt(Σ cᵢ² (uᵢ - θᵢ)² + 2 Σ r cᵢ cⱼ |uᵢ - θᵢ| |uⱼ - θⱼ|)

(method of variance estimates recovery, Zou and Donner 2008). Numbers near an end of their scale are
off to one side more than to the other; each interval knows that, and ± t times the standard error
of the difference does not. `bench/coverage_means.py` measures how often the truth is held.

B. Efron (1987), Better bootstrap confidence intervals, Journal of the American Statistical
Association 82(397), 171-185; B. Efron and R. J. Tibshirani (1993), An introduction to the
bootstrap, chapters 6, 13 and 14; the scale of z is R. A. Fisher's (1921), On the probable error of
a coefficient of correlation deduced from a small sample, Metron 1, 3-32.

A statistic is a function of weights: a row of weights of the questions for each draw, a number or
several for each row. Numbers are computed from sums over questions (`of_sums`), which a draw only
weighs. A jackknife needs all sums without one question's, which are differences of these sums
(`LeavesOut`): by weights, its time would grow with the square of the questions.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import atanh, exp, prod, sqrt, tanh
from statistics import NormalDist
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import CELLS, LEAST_DEFINED, Interval, weights
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Counts = NDArray[np.unsignedinteger[Any]]
Statistic = Callable[[Floats], Floats]
"""From weights (draws × clusters) to numbers (draws, or draws × numbers); NaN where undefined."""

RESAMPLES = 2_000
KEPT_CELLS = 64_000_000
"""Up to this number, weights are cached for the next number with the same clusters, a byte each.
Up to an eighth of it, they are cached as floats of eight bytes."""

INNERMOST = 1 - 1e-9
"""The largest number on Fisher's scale, whose end is infinitely far."""

TIED = 1e-9
"""Numbers of draws that differ by less, relative to their size, differ only by rounding."""

TOO_FEW = "fewer than two questions"
TOO_OFTEN_UNDEFINED = "too few different answers to tell"
NO_VALUE = "the number itself is undefined"
NO_INTERVAL_OF_PART = "one of the numbers has no interval"
ALWAYS_THE_SAME = "every resample gives the same number, which does not tell how sure it is"


@dataclass(frozen=True, slots=True)
class ErrorBar:
    """The uncertainty of a number, and how it was estimated."""

    standard_error: Figure
    percentile: Interval
    bca: Interval
    clusters: int
    resamples: int
    undefined: int
    """Resamples in which the number was undefined; they are left out."""

    seed: int

    @property
    def signature(self) -> str:
        return (
            f"bootstrap|clusters:{self.clusters}|resamples:{self.resamples}|seed:{self.seed}"
            "|level:0.95|v:1"
        )


@runtime_checkable
class LeavesOut(Protocol):
    """A statistic that computes its numbers without each cluster itself."""

    def without_each(self, clusters: int) -> Floats: ...


@dataclass(frozen=True, slots=True, eq=False)
class OfSums:
    sums: Floats
    statistic: Statistic

    def __call__(self, weights: Floats) -> Floats:
        flat = self.sums.reshape(len(self.sums), prod(self.sums.shape[1:]))
        return self.statistic((weights @ flat).reshape(len(weights), *self.sums.shape[1:]))

    def without_each(self, clusters: int) -> Floats:
        total = self.sums.sum(axis=0, dtype=np.float64)
        step = max(1, CELLS // max(1, total.size))
        return np.concatenate(
            [
                _columns(self.statistic(total - self.sums[first : first + step]))
                for first in range(0, clusters, step)
            ]
        )


def of_sums(sums: Floats, statistic: Statistic) -> OfSums:
    """Return a statistic of the weighted sums of the clusters' contributions (the first axis)."""
    return OfSums(sums, statistic)


def error_bar(
    statistic: Statistic, clusters: int, *, resamples: int = RESAMPLES, seed: int = 0
) -> ErrorBar:
    """Return the error bar of a statistic that is one number."""
    return error_bars(statistic, clusters, resamples=resamples, seed=seed)[0]


def error_bars(
    statistic: Statistic, clusters: int, *, resamples: int = RESAMPLES, seed: int = 0
) -> list[ErrorBar]:
    """Return an error bar for each number of the statistic, all from the same draws."""
    value = _columns(statistic(np.ones((1, clusters))))[0]
    if clusters < 2:
        nothing = Interval(None, None, TOO_FEW)
        return [ErrorBar(undefined(TOO_FEW), nothing, nothing, clusters, 0, 0, seed) for _ in value]
    drawn = replicates(statistic, clusters, resamples=resamples, seed=seed)
    without = jackknife(statistic, clusters)
    return [
        _bar(float(one), drawn[:, n], without[:, n], clusters, seed) for n, one in enumerate(value)
    ]


def replicates(
    statistic: Statistic, clusters: int, *, resamples: int = RESAMPLES, seed: int = 0
) -> Floats:
    """Return the numbers of each draw: a row for each draw, a column for each number."""
    some = (
        (kept.astype(np.float64, copy=False) for kept in _kept(clusters, resamples, seed))
        if clusters * resamples <= KEPT_CELLS
        else weights(clusters, draws=resamples, seed=seed)
    )
    return np.concatenate([_columns(statistic(rows)) for rows in some])


def jackknife(statistic: Statistic, clusters: int) -> Floats:
    """Return the numbers without each cluster: a row for each cluster left out."""
    if isinstance(statistic, LeavesOut):
        return _columns(statistic.without_each(clusters))
    return np.concatenate([_columns(statistic(rows)) for rows in _without_one(clusters)])


def bca(value: float, drawn: Floats, without: Floats) -> Interval:
    """Return the BCa interval from the number, its defined draws and the jackknife."""
    if not np.isfinite(without).all():
        return Interval(None, None, "without one of the questions the number is undefined")
    normal = NormalDist()
    # A draw that differs from the number only by rounding is a tie, in any order of summation.
    near = TIED * max(1.0, abs(value))
    below = np.count_nonzero(drawn < value - near) + np.count_nonzero(drawn <= value + near)
    share = float(below) / (2 * len(drawn))
    if not 0 < share < 1:
        return Interval(None, None, "the number lies outside of all resamples")
    away = without.mean() - without
    squares = float((away**2).sum())
    if squares <= 1e-24 * max(1.0, value**2):
        return Interval(None, None, "no single question makes a difference")
    skew = float((away**3).sum()) / (6 * squares**1.5)
    bias = normal.inv_cdf(share)
    ends = []
    for level in (0.025, 0.975):
        z = bias + normal.inv_cdf(level)
        if skew * z >= 1:
            return Interval(None, None, "single questions make too much of a difference")
        ends.append(100 * normal.cdf(bias + z / (1 - skew * z)))
    low, high = np.percentile(drawn, ends)
    return Interval(float(low), float(high))


def by_t(value: float, bar: ErrorBar, clusters: int) -> Interval:
    """Return the interval by Student's t.

    `clusters` counts the clusters that say anything of the number. With few clusters this interval
    holds the truth more often than percentiles do.
    """
    away = _away(bar, clusters)
    if away.value is None:
        return Interval(None, None, away.reason)
    return Interval(value - away.value, value + away.value)


def by_z(
    value: float | None, bar: ErrorBar, clusters: int, *, least: float = -1.0, most: float = 1.0
) -> Interval:
    """Return the interval by Student's t on Fisher's scale, of a number from `least` to `most`.

    Near its ends a number is off to one side more than to the other: with an agreement in nearly
    all units, small studies have agreement in all. On this scale both sides are alike.
    """
    reason = bar.standard_error.reason
    if value is None or reason:
        return Interval(None, None, reason or NO_VALUE)
    away = _away(bar, clusters)
    if away.value is None:
        return Interval(None, None, away.reason)
    return on_fishers_scale(value, away.value, least, most)


def on_fishers_scale(value: float, away: float, least: float, most: float) -> Interval:
    """Return the interval that reaches `away` on the number's scale, symmetric on Fisher's."""
    wide = (most - least) / 2
    middle = min(max((value - least) / wide - 1, -INNERMOST), INNERMOST)
    far = away / wide / (1 - middle**2)
    low, high = (tanh(atanh(middle) + side * far) for side in (-1, 1))
    return Interval(least + wide * (low + 1), least + wide * (high + 1))


def by_log(value: float | None, bar: ErrorBar, clusters: int) -> Interval:
    """Return the interval by Student's t of logarithms, of a number above 0 without an upper end.

    Rare large values are missing in most small studies, which are therefore too low.
    """
    if value is None or value <= 0:
        return bar.percentile
    away = _away(bar, clusters)
    if away.value is None:
        return Interval(None, None, away.reason)
    far = exp(away.value / value)
    return Interval(value / far, value * far)


def _away(bar: ErrorBar, clusters: int) -> Figure:
    """Return Student's t times the standard error."""
    if clusters < 2:
        return undefined(TOO_FEW)
    error = bar.standard_error
    return error if error.value is None else Figure(t_times(error.value, clusters))


def t_times(error: float, clusters: int) -> float:
    """Return half the width of a 95 % interval by Student's t, from a standard error."""
    # Imported at use: it takes part of a second that a web process need not spend.
    from scipy.special import stdtrit

    return float(stdtrit(clusters - 1, 0.975)) * error


def _bar(value: float, drawn: Floats, without: Floats, clusters: int, seed: int) -> ErrorBar:
    known = drawn[np.isfinite(drawn)]
    resamples, lost = len(drawn), len(drawn) - len(known)
    reason = "" if np.isfinite(value) else NO_VALUE
    if not reason and len(known) < max(2, LEAST_DEFINED * resamples):
        reason = TOO_OFTEN_UNDEFINED
    if reason:
        nothing = Interval(None, None, reason)
        return ErrorBar(undefined(reason), nothing, nothing, clusters, resamples, lost, seed)
    low, high = np.percentile(known, [2.5, 97.5])
    if float(np.ptp(known)) <= TIED * max(1.0, abs(value)):
        # “100 % of two statements” is no certainty: an interval of no width would say so.
        nothing = Interval(None, None, ALWAYS_THE_SAME)
        no_error = undefined(ALWAYS_THE_SAME)
        return ErrorBar(no_error, nothing, nothing, clusters, resamples, lost, seed)
    return ErrorBar(
        standard_error=Figure(float(known.std(ddof=1))),
        percentile=Interval(float(low), float(high)),
        bca=bca(value, known, without),
        clusters=clusters,
        resamples=resamples,
        undefined=lost,
        seed=seed,
    )


@lru_cache(maxsize=1)
def _kept(clusters: int, resamples: int, seed: int) -> tuple[Floats | Counts, ...]:
    """Return the weights, many of them as small integers."""
    result = []
    few = 8 * clusters * resamples <= KEPT_CELLS
    for some in weights(clusters, draws=resamples, seed=seed):
        counts: Floats | Counts = some
        if not few:
            counts = some.astype(np.min_scalar_type(int(some.max())))
        counts.setflags(write=False)
        result.append(counts)
    return tuple(result)


def _without_one(clusters: int) -> Iterator[Floats]:
    step = max(1, CELLS // clusters)
    for first in range(0, clusters, step):
        places = np.arange(first, min(first + step, clusters))
        rows = np.ones((len(places), clusters))
        rows[np.arange(len(places)), places] = 0
        yield rows


def _columns(numbers: Floats) -> Floats:
    return numbers[:, None] if numbers.ndim == 1 else numbers


# Sums --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Summand:
    """A number, its interval, and its factor in the sum."""

    value: float
    interval: Interval
    factor: float = 1.0


def combined(parts: Sequence[Summand], together: float = 0.0) -> Interval:
    """Return the interval of the sum; `together` is the correlation of every two parts."""
    total, below, above = 0.0, [], []
    for part in parts:
        low, high = part.interval.low, part.interval.high
        if low is None or high is None:
            return Interval(None, None, NO_INTERVAL_OF_PART)
        ends = (part.value - low, high - part.value)
        down, up = ends if part.factor > 0 else ends[::-1]
        total += part.factor * part.value
        below.append(part.factor * down)
        above.append(part.factor * up)
    return Interval(total - _length(below, together), total + _length(above, together))


def difference(
    one: Summand, other: Summand, errors: tuple[float, float, float] | None = None
) -> Interval:
    """Return the interval of one number minus another.

    `errors` are the standard errors of both and of the difference, where they rest on the same
    draws.
    """
    first, second, both = errors or (0.0, 0.0, 0.0)
    together = (first**2 + second**2 - both**2) / (2 * first * second) if first * second else 0.0
    less = Summand(other.value, other.interval, -other.factor)
    return combined([one, less], max(-1.0, min(1.0, together)))


def _length(sides: Sequence[float], together: float) -> float:
    own = sum(side**2 for side in sides)
    return sqrt(max(0.0, own + together * (sum(sides) ** 2 - own)))

"""Prediction-powered inference: a mean from few answers of people and many of a judge.

On n rated responses people's value Y and the judge's F are known, on N others only F. The judge's
mean on the others, corrected by how far it is off on the rated ones:

    θ(λ)   = λ mean_N(F) + mean_n(Y - λ F)
    var(λ) = λ² var_N(F) / N + var_n(Y - λ F) / n
    interval: θ ± t sqrt(var), t of n - 1 degrees of freedom; of values between two ends on Fisher's
              scale, of others above 0 on that of logarithms, as all means of systems are
              (`statistics/error_bars.py`)

λ = 0 uses only people. The tuned weight has the least variance:

    λ = cov_n(Y, F) / ((1 + n / N) var_{n+N}(F)),  kept between 0 and 1

It is cross-fitted: the rated responses are split into ten folds, and the weight λ_i of each fold
comes from the other nine. With λ their mean and F̄ the judge's mean on everything, Y - λ F becomes
Y_i - λ_i (F_i - F̄) and λ mean_N(F) becomes λ (mean_N(F) - F̄).

The judge gets no weight where it does not make the interval narrower, and where the estimate is off
the scale. Effective sample size: the number of ratings without the judge that would give the same
standard error, n · (standard error without the judge / this one)²; never below n.

The ratings needed for ± x, with T = n + N responses: the least m for which the interval of m
ratings is that narrow, with the variance

    v(m) = λ_m² var_N(F) / (T - m) + var_n(Y - λ_m F) / m,    λ_m = λ (T - m) / N

The variance with m ratings will differ from the one with n. Its logarithm is predicted as
normal with the variance (1 - n / m) τ², τ² = (kurtosis - 1) / n (Cramér). The number is the 90th
percentile of what is needed, and enough in 80 % of studies; its range is from 2.5 to 97.5 %.

A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan and T. Zrnic (2023), Prediction-powered
inference, Science 382, 669-674; A. N. Angelopoulos, J. C. Duchi and T. Zrnic (2023), PPI++:
efficient prediction-powered inference, arXiv 2311.01453; T. Zrnic and E. J. Candès (2024),
Cross-prediction-powered inference, PNAS 121(15); H. Cramér (1946), Mathematical methods of
statistics, section 27.4, of the variance of a variance.

The rated responses must be drawn by chance from all, and responses count as independent: one value
for each question, or for each system and question one at a time.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.error_bars import on_fishers_scale, t_times
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Ends = tuple[float, float] | None

FOLDS = 10
ENOUGH, LEAST, MOST = (NormalDist().inv_cdf(share) for share in (0.9, 0.025, 0.975))
"""Normal quantiles: for the number of ratings, and for the ends of its range."""

LEAST_GAIN = 1.05
"""The least gain of the effective sample size over n: less is within the error of λ."""

NO_ERRORS = "the judge says the same of everything that people do"
FEW = 30
"""Below this, an interval is hardly to be trusted."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its standard error and 95 % interval."""

    mean: Figure
    standard_error: Figure
    interval: Interval

    @property
    def half_width(self) -> float:
        low, high = self.interval.low, self.interval.high
        return math.inf if low is None or high is None else (high - low) / 2


@dataclass(frozen=True, slots=True)
class Powered:
    """People's mean with the help of a judge, and without."""

    powered: Estimate
    people: Estimate
    judge: Figure
    """The judge's mean on everything, uncorrected."""

    weight: float
    """λ, the weight of the judge."""

    rated: int
    others: int
    effective: Figure
    """Ratings without the judge that would give the same interval."""

    warnings: tuple[str, ...]

    @property
    def signature(self) -> str:
        return (
            f"ppi|lambda:{self.weight:.4f}|rated:{self.rated}|others:{self.others}|level:0.95|v:3"
        )


def prediction_powered(
    people: ArrayLike,
    judge: ArrayLike,
    judge_elsewhere: ArrayLike,
    *,
    ends: Ends = None,
) -> Powered:
    """Return the estimated mean of people's values over all responses.

    `people` and `judge` are about the rated responses, in the same order; `judge_elsewhere` about
    the others. People's values are between `ends`, where they have two.
    """
    y, f, g = (np.asarray(values, dtype=float) for values in (people, judge, judge_elsewhere))
    _check(y, f, g)
    n, others = len(y), len(g)
    alone = _people_alone(y, ends)
    everything = np.concatenate([f, g])
    of_judge = Figure(float(everything.mean())) if len(everything) else undefined("nothing judged")
    reason = alone.standard_error.reason or ("" if others else "everything was rated by people")
    if not reason and others < 2:
        reason = "fewer than two responses that the judge alone judged"
    if reason:
        nothing = Estimate(undefined(reason), undefined(reason), Interval(None, None, reason))
        warnings = (f"The automatic judge cannot help: {reason}.",)
        return Powered(nothing, alone, of_judge, 0.0, n, others, undefined(reason), warnings)
    each = _weights(y, f, g)
    chosen, middle = float(each.mean()), float(everything.mean())
    corrected = y - each * (f - middle)
    mean = float(corrected.mean()) + chosen * (float(g.mean()) - middle)
    variance = chosen**2 * _variance(g) / others + _variance(corrected) / n
    powered, error = _estimate(mean, math.sqrt(variance), n, ends), math.sqrt(variance)
    gain = ((alone.standard_error.value or 0.0) / error) ** 2 if error else math.inf
    is_on_scale = ends is None or ends[0] <= mean <= ends[1]
    if not (is_on_scale and gain > 1 and powered.half_width < alone.half_width):
        chosen, powered, gain = 0.0, alone, 1.0
    effective = Figure(n * gain) if math.isfinite(gain) else undefined(NO_ERRORS)
    return Powered(powered, alone, of_judge, chosen, n, others, effective, _warnings(n, effective))


def _weights(y: Floats, f: Floats, g: Floats) -> Floats:
    """Return for each rated response the judge's weight learned on the other folds."""
    fold = np.arange(len(y)) % FOLDS
    every = [tuned_weight(y[fold != one], f[fold != one], g) for one in range(min(FOLDS, len(y)))]
    return np.array(every)[fold]


def tuned_weight(y: Floats, f: Floats, g: Floats) -> float:
    """Return λ of the least variance, between 0 and 1; 0 where the judge always says the same."""
    spread = _variance(np.concatenate([f, g]))
    if spread <= 0:
        return 0.0
    together = float(((y - y.mean()) * (f - f.mean())).mean())
    return min(1.0, max(0.0, together / ((1 + len(y) / len(g)) * spread)))


@dataclass(frozen=True, slots=True)
class More:
    """Ratings to add for a wanted interval, with a 95 % range."""

    number: Figure
    range: Interval


def ratings_wanted(
    y: Floats, f: Floats, g: Floats, half_width: float, now: Powered, *, ends: Ends = None
) -> tuple[More, More]:
    """Return the ratings to add for an interval of ± `half_width`, with and without the judge.

    `now` has the estimates from the present ratings.
    """
    if half_width <= 0:
        raise ValueError(f"The half width must be above 0, not {half_width}.")
    return (
        _more(y, f, g, now.powered, now.weight, half_width, ends),
        _more(y, f, g, now.people, 0.0, half_width, ends),
    )


def _more(
    y: Floats, f: Floats, g: Floats, now: Estimate, weight: float, wanted: float, ends: Ends
) -> More:
    if now.mean.value is None or now.standard_error.value is None:
        reason = now.standard_error.reason
        return More(undefined(reason), Interval(None, None, reason))
    if now.half_width <= wanted:
        return More(Figure(0.0), Interval(0.0, 0.0))
    rated, everything, mean = len(y), len(y) + len(g), now.mean.value
    away = np.abs(y - weight * f - (y - weight * f).mean())
    unsure = math.sqrt(max(0.0, float((away**4).mean() / (away**2).mean() ** 2) - 1) / rated)
    (of_people, together), (_, of_judge) = np.cov(y, f).tolist()
    elsewhere = _variance(g) if weight else 0.0

    def is_enough(share: float, many: int) -> bool:
        left = everything - many
        own = weight * left / max(1, len(g))
        factor = math.exp(share * unsure * math.sqrt(1 - rated / many))
        variance = factor * (of_people - 2 * own * together + own**2 * of_judge) / many
        variance += own**2 * elsewhere / left if own else 0.0
        return _estimate(mean, math.sqrt(variance), many, ends).half_width <= wanted

    more = range(rated + 1, everything + 1)
    low, enough, high = (
        1.0 + bisect_left(more, True, key=partial(is_enough, share))
        for share in (LEAST, ENOUGH, MOST)
    )
    if enough > len(more):
        reason = f"rating all {everything} responses may not be enough"
        return More(undefined(reason), Interval(None, None, reason))
    return More(Figure(enough), Interval(low, min(high, float(len(more)))))


def _people_alone(y: Floats, ends: Ends) -> Estimate:
    if not len(y):
        nothing = "nothing was rated"
        return Estimate(undefined(nothing), undefined(nothing), Interval(None, None, nothing))
    mean = float(y.mean())
    reason = ""
    if len(y) < 2:
        reason = "one rating only"
    elif y.min() == y.max():
        reason = "all ratings are the same: they do not tell how far others may differ"
    if reason:
        return Estimate(Figure(mean), undefined(reason), Interval(None, None, reason))
    return _estimate(mean, math.sqrt(_variance(y) / len(y)), len(y), ends)


def _estimate(mean: float, error: float, rated: int, ends: Ends) -> Estimate:
    away = t_times(error, rated)
    if ends is not None:
        interval = on_fishers_scale(mean, away, *ends)
    elif mean > 0:
        interval = Interval(mean / math.exp(away / mean), mean * math.exp(away / mean))
    else:
        interval = Interval(mean - away, mean + away)
    return Estimate(Figure(mean), Figure(error), interval)


def _warnings(n: int, effective: Figure) -> tuple[str, ...]:
    result = []
    if effective.value is not None and effective.value < LEAST_GAIN * n:
        result.append(
            f"The automatic judge gains nothing: {n} ratings with it are worth "
            f"{effective.value:.0f} without. Report people alone."
        )
    if n < FEW:
        result.append(f"{n} ratings are few: the interval is likely to be too narrow.")
    return tuple(result)


def _variance(values: Floats) -> float:
    return float(values.var(ddof=1))


def _check(y: Floats, f: Floats, g: Floats) -> None:
    if len(y) != len(f):
        raise ValueError(
            f"Each rated response also needs the judge's value: {len(y)} ratings, {len(f)} values."
        )
    if not all(np.isfinite(values).all() for values in (y, f, g)):
        raise ValueError("A value is not a number; leave such responses out, with their reason.")

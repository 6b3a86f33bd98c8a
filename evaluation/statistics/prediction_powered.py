"""Few answers of people, many of an automatic judge: prediction-powered inference for a mean.

Of n rated responses people's value Y and the judge's F are known, of N others F alone. The judge's
mean on the others, corrected by how far it is off on the rated ones:

    θ(λ)   = λ mean_N(F) + mean_n(Y - λ F)
    var(λ) = λ² var_N(F) / N + var_n(Y - λ F) / n
    interval: θ ± t sqrt(var), t of n - 1 degrees of freedom; of values between two ends on Fisher's
              scale, as all means of systems are (`statistics/error_bars.py`)

λ = 1 is the classical way, λ = 0 takes people alone. The tuned weight has the least variance:

    λ = cov_n(Y, F) / ((1 + n / N) var_{n+N}(F)),  kept between 0 and 1

so that a judge that knows nothing gets little weight. Effective sample size: as many ratings by
people alone as would give the same interval, n · (standard error of people alone / this one)².

How many ratings are needed for ± x, T = n + N responses in all staying the same: with ρ the
correlation of Y and F and σ² = var(Y), the tuned variance with m rated is

    σ² (1 - ρ²) / m + σ² ρ² / T,   hence   m = (1 - ρ²) σ² / ((x / 1.96)² - ρ² σ² / T)

and by people alone m = σ² / (x / 1.96)².

A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan and T. Zrnic (2023), Prediction-powered
inference, Science 382, 669-674; A. N. Angelopoulos, J. C. Duchi and T. Zrnic (2023), PPI++:
efficient prediction-powered inference, arXiv 2311.01453.

The rated responses must be drawn by chance from all, and responses count as independent: one value
for each question, or for each system and question one at a time.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.error_bars import on_fishers_scale, t_times
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Weight = Literal["tuned", "classical"]
Ends = tuple[float, float] | None

Z = NormalDist().inv_cdf(0.975)
LEAST_GAIN = 1.05
"""Of the effective sample size over n: less is within what the estimate of λ is off."""

FEW = 30
"""Below this, an interval is hardly to be trusted."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its standard error and 95 % interval."""

    mean: Figure
    standard_error: Figure
    interval: Interval


@dataclass(frozen=True, slots=True)
class Powered:
    """People's mean with the help of a judge, beside that of people alone."""

    powered: Estimate
    people: Estimate
    judge: Figure
    """The judge's mean on everything, uncorrected."""

    weight: float
    """λ: how far the judge is believed."""

    rated: int
    others: int
    effective: Figure
    """Ratings by people alone that would give the same interval."""

    warnings: tuple[str, ...]

    @property
    def signature(self) -> str:
        return (
            f"ppi|lambda:{self.weight:.4f}|rated:{self.rated}|others:{self.others}|level:0.95|v:2"
        )


def prediction_powered(
    people: ArrayLike,
    judge: ArrayLike,
    judge_elsewhere: ArrayLike,
    *,
    weight: Weight = "tuned",
    ends: Ends = None,
) -> Powered:
    """The mean of what people would say of everything.

    `people` and `judge` are about the rated responses, in the same order; `judge_elsewhere` about
    the others. People's values lie between `ends`, where they have two.
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
    chosen = 1.0 if weight == "classical" else tuned_weight(y, f, g)
    mean = chosen * float(g.mean()) + float((y - chosen * f).mean())
    variance = chosen**2 * _variance(g) / others + _variance(y - chosen * f) / n
    powered = _estimate(mean, math.sqrt(variance), n, ends)
    effective = _effective(n, alone, powered)
    return Powered(powered, alone, of_judge, chosen, n, others, effective, _warnings(n, effective))


def tuned_weight(y: Floats, f: Floats, g: Floats) -> float:
    """λ of the least variance, between 0 and 1; 0 where the judge always says the same."""
    spread = _variance(np.concatenate([f, g]))
    if spread <= 0:
        return 0.0
    together = float(((y - y.mean()) * (f - f.mean())).mean())
    return min(1.0, max(0.0, together / ((1 + len(y) / len(g)) * spread)))


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many ratings more make the interval as narrow as wanted."""

    half_width: float
    with_judge: Figure
    people_alone: Figure


def ratings_wanted(
    people: ArrayLike,
    judge: ArrayLike,
    judge_elsewhere: ArrayLike,
    half_width: float,
) -> Wanted:
    """Ratings to add for an interval of ± `half_width`, as far as those there are tell."""
    if half_width <= 0:
        raise ValueError(f"The half width must be above 0, not {half_width}.")
    y, f, g = (np.asarray(values, dtype=float) for values in (people, judge, judge_elsewhere))
    _check(y, f, g)
    n, everything = len(y), len(y) + len(g)
    reason = _people_alone(y, None).standard_error.reason
    if reason:
        return Wanted(half_width, undefined(reason), undefined(reason))
    spread = _variance(y)
    known = 0.0
    if _variance(f) > 0:
        together = float(((y - y.mean()) * (f - f.mean())).sum()) / (n - 1)
        # A judge that goes against people gets the weight 0, as above.
        known = min(1.0, max(0.0, together / math.sqrt(spread * _variance(f))) ** 2)
    target = (half_width / Z) ** 2
    return Wanted(
        half_width,
        _more((1 - known) * spread, target - known * spread / everything, n, everything),
        _more(spread, target, n, everything),
    )


def _more(spread: float, target: float, rated: int, everything: int) -> Figure:
    """Ratings to add, where spread / ratings must not be above the target."""
    needed = math.inf if target <= 0 else math.ceil(spread / target * (1 - 1e-12))
    if needed > everything:
        return undefined(f"rating all {everything} responses is not enough: more are needed")
    return Figure(float(max(0, needed - rated)))


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
    interval = Interval(mean - away, mean + away)
    if ends is not None:
        interval = on_fishers_scale(mean, away, *ends)
    return Estimate(Figure(mean), Figure(error), interval)


def _effective(n: int, alone: Estimate, powered: Estimate) -> Figure:
    if alone.standard_error.value is None or powered.standard_error.value is None:
        return undefined(alone.standard_error.reason or powered.standard_error.reason)
    if powered.standard_error.value == 0:
        return undefined("the judge says the same of everything that people do")
    return Figure(n * (alone.standard_error.value / powered.standard_error.value) ** 2)


def _warnings(n: int, effective: Figure) -> tuple[str, ...]:
    found = []
    if effective.value is not None and effective.value < LEAST_GAIN * n:
        found.append(
            f"The automatic judge gains nothing: {n} ratings with it are worth "
            f"{effective.value:.0f} without. Report people alone."
        )
    if n < FEW:
        found.append(f"{n} ratings are few: the interval is likely to be too narrow.")
    return tuple(found)


def _variance(values: Floats) -> float:
    return float(values.var(ddof=1))


def _check(y: Floats, f: Floats, g: Floats) -> None:
    if len(y) != len(f):
        raise ValueError(
            f"Each rated response needs the judge's value too: {len(y)} ratings, {len(f)} values."
        )
    if not all(np.isfinite(values).all() for values in (y, f, g)):
        raise ValueError("A value is not a number; leave such responses out, with their reason.")

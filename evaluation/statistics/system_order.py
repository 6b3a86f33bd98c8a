"""Does a judge order systems like people do, also without systems far from the rest?

Pearson over systems (`attenuation.py`), pairwise accuracies (`pairwise_accuracy.py`) and how often
chance gives such an order (`permutation_tests.py`), each of the same systems.

One or two systems that are far worse than all others make Pearson high, for any values of the
others. A system is *outlying* by people's means h_s (N. Mathur, T. Baldwin and T. Cohn, 2020,
Tangled up in BLEU, ACL; C. Leys et al., 2013, Detecting outliers: do not use standard deviation
around the mean, use absolute deviation around the median, Journal of Experimental Social Psychology
49(4), 764-766) where

    |h_s - median| > 2.5 · 1.483 · MAD,     MAD = median |h_s - median|

Soft pairwise accuracy has an interval, by Student's t on Fisher's scale from draws of questions,
for its mean over studies of these systems with other questions of the same number. Pairwise
accuracy has none: its draws hold the truth in far fewer than 95 % of studies.

Weak systems that are not outlying, three of eight or at the end of a wide spread, still make
Pearson high. So chance is also computed for the *better* systems: all but the lowest third by
people, and at least `LEAST_SYSTEMS`. A judge may also know only which systems are strong. So chance
is also computed *within* the groups on both sides of the widest gap between people's means: it
exchanges only systems of the same group.
"""

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.attenuation import Attenuated, attenuated, unknown
from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.correlation import correlation
from evaluation.statistics.error_bars import (
    ALWAYS_THE_SAME,
    OfSums,
    of_sums,
    on_fishers_scale,
    replicates,
    t_times,
)
from evaluation.statistics.error_bars import TOO_FEW as TOO_FEW_QUESTIONS
from evaluation.statistics.means import means
from evaluation.statistics.pairwise_accuracy import (
    LEAST_SYSTEMS,
    TIED,
    TOO_FEW,
    accuracies,
    better_by_chance,
    differences,
    sign_sums,
    soft_accuracies,
)
from evaluation.statistics.permutation_tests import (
    MOST_SOFT,
    TOO_MANY,
    chance_of_fit,
    chance_of_order,
)
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

FAR = 2.5 * 1.483
"""Median absolute deviations; 1.483 of them are a standard deviation of normal numbers."""


@dataclass(frozen=True, slots=True)
class SystemOrder:
    """Agreement of a judge and people on the order of some systems."""

    systems: int
    of_means: Figure
    """Pearson of the means as they are."""

    pearson: Attenuated
    soft: Figure
    soft_interval: Interval
    accuracy: Figure
    chance: Figure
    chance_of_better: Figure
    chance_within: Figure


def outlying(by_people: Floats) -> Flags:
    """Return which systems' means are far from the others; none of too few systems."""
    if len(by_people) < LEAST_SYSTEMS:
        return np.zeros(len(by_people), dtype=bool)
    away = np.abs(by_people - np.median(by_people))
    result: Flags = away > FAR * np.median(away) + 1e-9
    return result


def means_of(sums: Floats) -> Floats:
    """Return means, rounded so that equal systems tie."""
    return means(sums).round(12)


def drawn_means(sums: Floats, *, resamples: int, seed: int) -> Floats:
    """Return drawn means, draws × systems × (judge, people), from sums and counts by question."""
    statistic = of_sums(sums, lambda some: means_of(some).reshape(len(some), -1))
    drawn = replicates(statistic, len(sums), resamples=resamples, seed=seed)
    return drawn.reshape(len(drawn), *sums.shape[1:3])


def system_order(sums: Floats, drawn: Floats, *, resamples: int, seed: int) -> SystemOrder:
    """Return the agreement from the sums and the drawn means of the same systems."""
    x, y = means_of(sums.sum(axis=0)).T
    plain = correlation(x, y)
    if plain.value is None:
        pearson = unknown(plain.reason)
    else:
        pearson = attenuated(x, y, drawn[..., 0], drawn[..., 1], len(sums), seed=seed)
    if len(x) < LEAST_SYSTEMS:
        nothing, no_interval = undefined(TOO_FEW), Interval(None, None, TOO_FEW)
        return SystemOrder(len(x), plain, pearson, nothing, no_interval, *[nothing] * 4)
    order = np.argsort(y, kind="stable")
    better = order[min(ceil(len(y) / 3), len(y) - LEAST_SYSTEMS) :]
    group = np.arange(len(y)) > np.diff(y[order]).argmax()
    return SystemOrder(
        len(x),
        plain,
        pearson,
        *soft_accuracy(sums, resamples=resamples, seed=seed),
        Figure(float(accuracies(x[None], y[None])[0])),
        Figure(chance_of_order(x, y)),
        Figure(chance_of_order(x[better], y[better])),
        Figure(chance_of_fit(x[order], y[order], group)),
    )


def soft_accuracy(sums: Floats, *, resamples: int, seed: int) -> tuple[Figure, Interval]:
    """Return soft pairwise accuracy with its interval."""
    judge, people = (better_by_chance(*sign_sums(each)) for each in _by_question(sums))
    value = float(soft_accuracies(judge, people))
    if sums.shape[1] > MOST_SOFT:
        return Figure(value), Interval(None, None, TOO_MANY)
    statistic = soft_statistic(sums)
    squares = statistic.sums[..., -len(people) :]
    asked = min(np.count_nonzero(squares.any(axis=2), axis=0).tolist())
    reason = TOO_FEW_QUESTIONS if asked < 2 else ""
    if not reason:
        drawn = replicates(statistic, len(sums), resamples=resamples, seed=seed)
        reason = ALWAYS_THE_SAME if float(np.ptp(drawn)) <= TIED else ""
    if reason:
        return Figure(value), Interval(None, None, reason)
    away = t_times(float(drawn.std(ddof=1)), asked)
    return Figure(value), on_fishers_scale(value, away, 0.0, 1.0)


def soft_statistic(sums: Floats) -> OfSums:
    """Return soft pairwise accuracy as a statistic of weights of the questions.

    A question counts for a pair of systems that both answered it. The sums are Σ d_q, or its
    components, and Σ d_q² for each pair of systems, by the judge and by people.
    """
    by_side = _by_question(sums)
    each = np.stack([np.nan_to_num(differences(one)) for one in by_side], axis=1)
    complete = bool(np.isfinite(by_side).all())
    # Where all systems answered all questions, a sum of differences is a difference of sums.
    linear = np.moveaxis(by_side, 0, 1) if complete else each
    wide = linear.shape[2]

    def statistic(summed: Floats) -> Floats:
        total, squares = summed[..., :wide], summed[..., wide:]
        if complete:
            total = differences(total.reshape(-1, wide)).reshape(squares.shape)
        p = better_by_chance(total, squares)
        return soft_accuracies(p[:, 0], p[:, 1])

    return of_sums(np.concatenate([linear, each**2], axis=2), statistic)


def _by_question(sums: Floats) -> Floats:
    """Return means, (judge, people) × questions × systems; NaN where there is no answer."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.moveaxis(sums[..., 0] / sums[..., 1], 2, 0)
    return result

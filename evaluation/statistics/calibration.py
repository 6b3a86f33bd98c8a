"""Calibration of scores: do people say “yes” as often as the score says?

Units are put into bins of equal size by score; equal scores share a bin. With N units, n_b of them
in bin b, their mean score s_b and the share y_b of “yes” that people gave them:

    expected calibration error = Σ_b |d_b|,   d_b = n_b (y_b - s_b) / N
    Brier score                = mean of (score - answer)²

Chance makes a sum of distances larger, most of all in small samples: a judge whose scores are right
has an error above 0 (A. Kumar, P. Liang and T. Ma, 2019, Verified uncertainty calibration,
NeurIPS). Draws of questions, d*, estimate what chance adds, with Q questions and Student's t:

    e_b  = (d*_b - d_b) sqrt(Q / (Q - 1)) t_.975 / 1.96
    T(θ) = Σ_b |θ f_b + e_b|,   f_b: the line of least squares through y_b - s_b over s_b, times
                                     n_b / N, so that Σ_b |f_b| = 1

    expected of a right judge  = the mean of T(0) over the draws
    corrected error            = the θ with the error as the median of T(θ); 0 if that is below T(0)
    interval                   = each θ with the error among neither the highest nor the lowest
                                 2.5 % of T(θ)

The line says whether scores are too high, too low or too extreme. The distances themselves are no
such direction: they carry the same chance again, and intervals along them are too low.

By hand: scikit-learn has the bins, without this error and without intervals.

G. W. Brier (1950), Verification of forecasts expressed in terms of probability, Monthly Weather
Review 78(1), 1-3; C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger (2017), On calibration of modern
neural networks, ICML; E. L. Lehmann and J. P. Romano (2005), Testing statistical hypotheses,
section 3.5, for the inversion of a test.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.error_bars import TIED, TOO_FEW, of_sums, replicates, t_times
from evaluation.statistics.ranking import NOTHING, Scored
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Bins = NDArray[np.integer[Any]]

BINS = 10
LEAST_IN_BIN = 10
NO_PROBABILITIES = "the scores are not between 0 and 1, so they are no probabilities"
GRID = np.concatenate([np.linspace(0, 0.2, 101), np.linspace(0.21, 1, 80)])
"""The errors that are tried; between two of them the share of draws is interpolated."""


@dataclass(frozen=True, slots=True)
class ScoreBin:
    """Units with scores from `low` to `high`."""

    low: float
    high: float
    units: int
    score: float
    share: float


@dataclass(frozen=True, slots=True)
class Calibration:
    bins: tuple[ScoreBin, ...]
    error: Figure
    """The expected calibration error."""

    brier: Figure
    """The mean of (score - answer)²."""


@dataclass(frozen=True, slots=True)
class CorrectedError:
    """A calibration error without the chance of the sample, and the error by chance alone."""

    figure: Figure
    interval: Interval
    by_chance: Figure


def bin_of_each(scores: Floats, bins: int | None = None) -> Bins:
    """Return the bin of each score by its middle rank, from 0 on.

    Without `bins` there are at most ten, with at least ten units each.
    """
    n, ordered = len(scores), np.sort(scores)
    wanted = bins or max(1, min(BINS, n // LEAST_IN_BIN))
    ranks = np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right")
    result: Bins = np.unique(wanted * ranks // (2 * max(n, 1)), return_inverse=True)[1]
    return result


def calibration(data: Scored, *, bins: int | None = None) -> Calibration:
    """Return the calibration of scores from 0 to 1."""
    n = len(data.scores)
    reason = "" if n else NOTHING
    if n and (data.scores[0] < 0 or data.scores[-1] > 1):
        reason = NO_PROBABILITIES
    if reason:
        return Calibration((), undefined(reason), undefined(reason))
    place = bin_of_each(data.scores, bins)
    result = []
    for number in range(place[-1] + 1):
        scores, labels = data.scores[place == number], data.labels[place == number]
        low, high = float(scores[0]), float(scores[-1])
        result.append(ScoreBin(low, high, len(scores), float(scores.mean()), float(labels.mean())))
    error = sum(one.units * abs(one.share - one.score) for one in result) / n
    brier = float(((data.scores - data.labels) ** 2).mean())
    return Calibration(tuple(result), Figure(error), Figure(brier))


def corrected_error(
    seen: Calibration, away: Floats, questions: int, *, resamples: int, seed: int
) -> CorrectedError:
    """Return the corrected error of the calibration `seen`.

    `away` sums label minus score of each question's units (rows) in each bin; its last column
    counts units. `questions` counts the questions that have units.
    """
    reason = seen.error.reason or (TOO_FEW if questions < 2 else "")
    if seen.error.value is None or reason:
        return CorrectedError(undefined(reason), Interval(None, None, reason), undefined(reason))
    statistic = of_sums(away, lambda sums: sums[:, :-1] / sums[:, -1:])
    with np.errstate(invalid="ignore"):  # a draw may have no unit; it is left out
        drawn = replicates(statistic, len(away), resamples=resamples, seed=seed)
    drawn = drawn[np.isfinite(drawn).all(axis=1)]
    wider = t_times(1 / 1.959964, questions) * np.sqrt(questions / (questions - 1))
    chance = (drawn - statistic(np.ones((1, len(away))))) * wider
    line = _line(seen)
    apart = [np.abs(error * line + chance).sum(axis=1) - seen.error.value for error in GRID]
    below = np.array([((one < -TIED).mean() + (one <= TIED).mean()) / 2 for one in apart])
    # Hardly ever rising: the higher the true error, the rarer is one as low as the observed one.
    falling = np.minimum.accumulate(below)[::-1]
    low, value, high = (float(np.interp(at, falling, GRID[::-1])) for at in (0.975, 0.5, 0.025))
    by_chance = float(np.abs(chance).sum(axis=1).mean())
    return CorrectedError(Figure(value), Interval(low, high), Figure(by_chance))


def _line(seen: Calibration) -> Floats:
    """Return the direction f in which scores are off."""
    units = np.array([one.units for one in seen.bins], dtype=float)
    score = np.array([one.score for one in seen.bins])
    off = np.array([one.share for one in seen.bins]) - score
    rows = np.column_stack([np.ones(len(score)), score]) * np.sqrt(units)[:, None]
    fitted = np.linalg.lstsq(rows, off * np.sqrt(units))[0]
    line: Floats = units * (fitted[0] + fitted[1] * score)
    size = np.abs(line).sum()
    result: Floats = line / size if size > 1e-12 else units / units.sum()
    return result

"""Calibration of scores into probabilities, learned on units that people have answered.

    Platt     p = 1 / (1 + exp(-(a logit(s) + b))), a and b by greatest likelihood, where a “yes”
              counts as (n₁ + 1) / (n₁ + 2) and a “no” as 1 / (n₀ + 2), so that labels which the
              scores separate without a mistake give no certainty
    isotonic  the rising steps with the least squared error; between them along straight lines

J. Platt (1999), Probabilistic outputs for support vector machines and comparisons to regularized
likelihood methods, in: Advances in large margin classifiers; H.-T. Lin, C.-J. Lin and R. C. Weng
(2007), A note on Platt's probabilistic outputs for support vector machines, Machine Learning 68,
267-276; B. Zadrozny and C. Elkan (2002), Transforming classifier scores into accurate multiclass
probability estimates, KDD. Platt's sigmoid is applied to the scores' log-odds here, of which it is
a straight line where the scores are right already.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.ranking import Scored
from evaluation.statistics.threshold import folds_of

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Calibration = Literal["platt", "isotonic"]
CALIBRATIONS: tuple[Calibration, ...] = get_args(Calibration)

CUT = 0.5
"""From this probability on a calibrated judge says yes."""

NEAREST = 1e-4
"""The least distance of a score from 0 and 1."""

STEPS = 50


@dataclass(frozen=True, slots=True)
class Platt:
    slope: float
    intercept: float

    def __call__(self, scores: Floats) -> Floats:
        result: Floats = _logistic(self.slope * _log_odds(scores) + self.intercept)
        return result


@dataclass(frozen=True, slots=True)
class Isotonic:
    scores: tuple[float, ...]
    shares: tuple[float, ...]

    def __call__(self, scores: Floats) -> Floats:
        result: Floats = np.interp(scores, self.scores, self.shares)
        return result


Calibrator = Callable[[Floats], Floats]


def calibrator(kind: Calibration, scores: Floats, labels: Floats) -> Calibrator:
    """Return a calibrator fitted to scores from 0 to 1 and labels, 1 for “yes”."""
    return _platt(scores, labels) if kind == "platt" else _isotonic(scores, labels)


def calibrated_elsewhere(kind: Calibration, data: Scored, questions: Whole, *, seed: int) -> Floats:
    """Return the calibrated score of each unit, learned without the unit's question.

    `questions` numbers the question of each unit from 0.
    """
    fold = folds_of(questions, seed=seed)
    result = data.scores.copy()
    for part in np.unique(fold):
        own = fold == part
        if not own.all():
            made = calibrator(kind, data.scores[~own], data.labels[~own])
            result[own] = made(data.scores[own])
    return result


def _platt(scores: Floats, labels: Floats) -> Platt:
    """Fit by Newton's method, with half steps where a whole one overshoots."""
    yes = float(labels.sum())
    no = len(labels) - yes
    wanted = np.where(labels > 0, (yes + 1) / (yes + 2), 1 / (no + 2))
    rows = np.column_stack([_log_odds(scores), np.ones(len(scores))])
    result = np.array([0.0, np.log((yes + 1) / (no + 1))])

    def loss(at: Floats) -> float:
        z = rows @ at
        return float((np.logaddexp(0.0, z) - wanted * z).sum())

    now = loss(result)
    for _ in range(STEPS):
        p = _logistic(rows @ result)
        slope = rows.T @ (p - wanted)
        bend = (rows * (p * (1 - p))[:, None]).T @ rows + 1e-9 * np.eye(2)
        step = np.linalg.solve(bend, slope)
        size = 1.0
        while size > 1e-6 and loss(result - size * step) > now:
            size /= 2
        result = result - size * step
        before, now = now, loss(result)
        if before - now < 1e-9:
            break
    # Scores of a judge that say the opposite are not reversed: all its units get one score.
    if result[0] < 0:
        result = np.array([0.0, np.log(wanted.mean() / (1 - wanted.mean()))])
    return Platt(float(result[0]), float(result[1]))


def _isotonic(scores: Floats, labels: Floats) -> Isotonic:
    # Imported at use: it takes part of a second that a web process need not spend.
    from scipy.optimize import isotonic_regression

    known, place, often = np.unique(scores, return_inverse=True, return_counts=True)
    shares = np.bincount(place, labels) / often
    fitted = isotonic_regression(shares, weights=often).x
    # The two ends of a step describe it.
    kept = np.ones(len(known), dtype=bool)
    kept[1:-1] = (fitted[1:-1] != fitted[:-2]) | (fitted[1:-1] != fitted[2:])
    return Isotonic(tuple(known[kept].tolist()), tuple(fitted[kept].tolist()))


def _log_odds(scores: Floats) -> Floats:
    inside = np.clip(scores, NEAREST, 1 - NEAREST)
    result: Floats = np.log(inside) - np.log1p(-inside)
    return result


def _logistic(z: Floats) -> Floats:
    result: Floats = np.exp(-np.logaddexp(0.0, -z))
    return result

"""Strengths of systems from answers about pairs: Bradley-Terry with ties and order.

With λ_i the strength of system i, δ the advantage of being shown first, ν the weight of ties,
s = 1 where i was shown first, -1 where j was, 0 where that is unknown, and d = λ_i - λ_j + s δ:

    P(i is better) = exp(d / 2) / Z     P(j is better) = exp(-d / 2) / Z     P(tie) = ν / Z

where Z makes the three 1. A tie counts as half a win. Each pair of answers counts once: of m votes
has the weight 1 / m. Newton's method finds the one maximum of the likelihood in strengths, δ
and log ν. Strengths add up to 0.

**No maximum.** Where a system won or lost everything, the likelihood rises forever. Then each
system gets half a win and half a loss against one of strength 0, and so does the order. Variances
are then at least those of the curvature, as answers that are all the same show no spread.

**Variance.** Sandwich H⁻¹ (Σ_g u_g u_g') H⁻¹ G / (G - 1) over G clusters, u_g the sum of the
scores of cluster g. Questions are clusters. At least 5 raters are also clusters:

    V = V_questions + max(0, V_raters - V_questions and raters)

in the direction of each number, with Student's t, whose degrees follow Satterthwaite (1946).

By hand: statsmodels and choix do not fit ties, order and clustered errors together.

R. A. Bradley and M. E. Terry (1952), Rank analysis of incomplete block designs, Biometrika 39,
324-345; R. R. Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired
comparison experiments, JASA 65, 317-328; R. R. Davidson and R. J. Beaver (1977), On extending the
Bradley-Terry model to incorporate within-pair order effects, Biometrics 33, 693-702; A. C. Cameron,
J. B. Gelbach and D. L. Miller (2011), Robust inference with multiway clustering, JBES 29, 238-249.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.comparison import holm
from evaluation.statistics.error_bars import on_fishers_scale
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_RATERS = 5
"""Fewer raters say nothing of other raters."""

FARTHEST = 15.0
"""A larger d between two systems that were compared means that the likelihood has no maximum."""

PRIOR = 0.5
STEPS = 60
NEGLIGIBLE = 1e-10
FIRST_NOT_KNOWN = "in no answer is it known which came first"
FIRST_IS_THE_SAME = "order and strength are not distinguishable: the same system came first"
NOT_LINKED = "comparisons do not link all systems"
ONLY_TIES = "every answer is a tie"
TOO_FEW = "fewer than two questions"
ALL_ALIKE = "all answers are alike"


@dataclass(frozen=True, slots=True, eq=False)
class PairAnswers:
    """Answers about two systems, one row each."""

    one: Ints
    other: Ints
    outcome: Ints
    """1 where `one` is better, -1 where `other` is, 0 of a tie."""

    side: Ints
    """1 where `one` was shown first, -1 where `other` was, 0 where that is unknown."""

    weight: Floats
    question: Ints
    rater: Ints


@dataclass(frozen=True, slots=True)
class ModelNumber:
    figure: Figure
    error: Figure
    interval: Interval
    p: Figure
    """Two-sided, of no difference: from 0, of a share from .5."""


@dataclass(frozen=True, eq=False)
class Preferences:
    """The fitted model. Systems are numbered from 0."""

    answers: PairAnswers
    theta: Floats
    """Strengths, advantage of the first, log ν."""

    curvature: Floats
    """The inverse of the information."""

    has_maximum: bool
    reason: str
    """Why there is no model."""

    no_order: str
    """Why there is no advantage of the first."""

    def strength(self, system: int) -> ModelNumber:
        direction = np.zeros(len(self.theta))
        direction[:-2] = -1 / (len(self.theta) - 2)
        direction[system] += 1
        return self._number(self.theta[system], direction)

    def rate(self, system: int) -> ModelNumber:
        """Return the mean win rate against the others, without an advantage of the first."""
        others = np.delete(np.arange(len(self.theta) - 2), system)
        chances = _chances(self.theta[system] - self.theta[others], self.theta[-1])
        of_d, of_both, _ = _information(chances)
        direction = np.zeros(len(self.theta))
        direction[others] = -of_d / len(others)
        direction[[system, -1]] = of_d.mean(), of_both.mean()
        return self._number((chances[0] + chances[1] / 2).mean(), direction, is_share=True)

    def first_shown(self) -> ModelNumber:
        """Return how often the first wins against an equal one, ties as half; .5 is fair."""
        if self.no_order:
            return _none(undefined(self.reason or self.no_order))
        chances = _chances(self.theta[[-2]], self.theta[-1])
        direction = np.zeros(len(self.theta))
        direction[-2:] = _information(chances)[:2, 0]
        return self._number(chances[0, 0] + chances[1, 0] / 2, direction, is_share=True)

    def tests(self) -> list[tuple[int, int, ModelNumber, Figure]]:
        """Return the difference of every two systems, and p corrected for all of them."""
        result = []
        for one, other in combinations(range(len(self.theta) - 2), 2):
            direction = np.zeros(len(self.theta))
            direction[[one, other]] = 1, -1
            difference = self._number(self.theta[one] - self.theta[other], direction)
            result.append((one, other, difference))
        corrected = holm([difference.p for _, _, difference in result])
        return [(*each, p) for each, p in zip(result, corrected, strict=True)]

    @cached_property
    def _sandwiches(self) -> list[tuple[Floats, int]]:
        """Variance and degrees of freedom by questions and, of enough raters, raters and both."""
        a = self.answers
        both = a.question * (int(a.rater.max()) + 1) + a.rater
        draws_raters = len(np.unique(a.rater)) >= LEAST_RATERS
        clusters = [a.question, *([a.rater, both] if draws_raters else [])]
        return [self._sandwich(np.unique(one, return_inverse=True)[1]) for one in clusters]

    def _sandwich(self, cluster: Ints) -> tuple[Floats, int]:
        a, count = self.answers, int(cluster.max()) + 1
        apart = self.theta[a.one] - self.theta[a.other] + self.theta[-2] * a.side
        better, tie, worse = _chances(apart, self.theta[-1])
        away = a.weight * (a.outcome - better + worse) / 2
        scores = np.zeros((count, len(self.theta)))
        np.add.at(scores, (cluster, a.one), away)
        np.add.at(scores, (cluster, a.other), -away)
        np.add.at(scores[:, -2], cluster, away * a.side)
        np.add.at(scores[:, -1], cluster, a.weight * ((a.outcome == 0) - tie))
        moved = scores @ self.curvature
        return moved.T @ moved * count / max(1, count - 1), count - 1

    def _number(self, value: float, direction: Floats, *, is_share: bool = False) -> ModelNumber:
        # Imported at use: it takes part of a second that a web process need not spend.
        from scipy.special import stdtr, stdtrit

        if self.reason:
            return _none(undefined(self.reason))
        parts = [(float(direction @ one @ direction), free) for one, free in self._sandwiches]
        (variance, degrees), *of_raters = parts
        free = float(degrees)
        if of_raters and of_raters[0][0] > of_raters[1][0]:
            (raters, fewer), (both, _) = of_raters
            unsure = variance**2 / max(1, degrees) + raters**2 / fewer
            variance += raters - both
            free = min(variance**2 / unsure, free)
        if not self.has_maximum:
            variance = max(variance, float(direction @ self.curvature @ direction))
        if degrees < 1 or variance <= NEGLIGIBLE:
            return _none(Figure(float(value)), TOO_FEW if degrees < 1 else ALL_ALIKE)
        error = variance**0.5
        away = float(stdtrit(free, 0.975)) * error
        interval = Interval(float(value) - away, float(value) + away)
        if is_share:
            interval = on_fishers_scale(float(value), away, 0.0, 1.0)
        p = 2 * float(stdtr(free, -abs(value - 0.5 * is_share) / error))
        return ModelNumber(Figure(float(value)), Figure(error), interval, Figure(min(1.0, p)))


def bradley_terry(answers: PairAnswers, systems: int) -> Preferences:
    keys = np.stack([answers.one, answers.other, answers.side], axis=1)
    each, which = np.unique(keys, axis=0, return_inverse=True)
    counts = np.zeros((len(each), 3))  # of each, the weight of better, tie and worse
    np.add.at(counts, (which.ravel(), 1 - answers.outcome), answers.weight)
    places = np.eye(systems)[each[:, 0]] - np.eye(systems)[each[:, 1]]
    reason = "" if answers.outcome.any() else ONLY_TIES
    if np.linalg.matrix_rank(places) < systems - 1:
        reason = NOT_LINKED
    side, no_order = each[:, 2], "" if answers.side.any() else FIRST_NOT_KNOWN
    if not no_order:
        explained = places @ np.linalg.lstsq(places, side)[0]
        if np.abs(side - explained).max() < 1e-6:
            no_order, side = FIRST_IS_THE_SAME, 0 * side
            answers = replace(answers, side=0 * answers.side)
    rows = np.column_stack([places, side])
    theta, curvature = _maximum(rows, counts, 0.0)
    has_maximum = bool((np.abs(rows @ theta[:-1]) < FARTHEST).all())
    if not has_maximum:
        theta, curvature = _maximum(rows, counts, PRIOR)
    theta[:-2] -= theta[:-2].sum() / max(1, systems)
    return Preferences(answers, theta, curvature, has_maximum, reason, no_order)


def _maximum(rows: Floats, counts: Floats, prior: float) -> tuple[Floats, Floats]:
    """Return the parameters at the maximum, and the inverse of the information there."""
    theta: Floats = np.zeros(rows.shape[1] + 1)
    if not counts[:, 1].any():
        theta[-1] = -np.inf
    total = counts.sum(axis=1)
    for _ in range(STEPS):
        chances = _chances(rows @ theta[:-1], theta[-1])
        of_d, of_both, of_ties = _information(chances) * total
        half = np.tanh(theta[:-1] / 2)
        left = counts.T - total * chances
        gradient = np.append(rows.T @ (left[0] - left[2]) / 2 - prior * half, left[1].sum())
        across = (rows.T @ of_both)[:, None]
        own = rows.T @ (rows * of_d[:, None]) + np.diag(prior * (1 - half**2) / 2)
        information = np.block([[own, across], [across.T, of_ties.sum()]])
        curvature = np.linalg.pinv(information, rcond=NEGLIGIBLE, hermitian=True)
        step = curvature @ gradient
        theta += step / max(1.0, np.abs(step).max() / 2)
        if np.abs(step).max() < NEGLIGIBLE or np.abs(rows @ theta[:-1]).max(initial=0.0) > FARTHEST:
            break
    return theta, np.asarray(curvature, dtype=np.float64)


def _chances(apart: Floats, log_nu: float) -> Floats:
    """Return the chances that the first is better, that they tie, that the other is better."""
    logs = np.stack([apart / 2, np.full_like(apart, log_nu), -apart / 2])
    odds = np.exp(logs - logs.max(axis=0))
    chances: Floats = odds / odds.sum(axis=0)
    return chances


def _information(chances: Floats) -> Floats:
    """Return the information of one answer: of d, of d and log ν, of log ν."""
    better, tie, worse = chances
    apart = better - worse
    return np.stack([(better + worse - apart**2) / 4, -apart * tie / 2, tie * (1 - tie)])


def _none(figure: Figure, reason: str = "") -> ModelNumber:
    none = undefined(reason or figure.reason)
    return ModelNumber(figure, none, Interval(None, None, none.reason), none)

"""Systems whose ratings come from different raters, adjusted for strict and lenient ones.

With y_v the vote of rater r on an answer of system s to question q, and w_v its weight in the
system's number (the votes on a response add up to 1):

    unlike raters of s and t    √(Σ_r (w_sr - w_tr)²), w_sr the share of r in the weights of s: what
                                raters who differ by 1 standard deviation add to the difference
    adjusted difference         a_s - a_t, of y = a_s + b_q + c_r + rest, weighted least squares
    its error                   sandwich by question, times sqrt(n / (n - 1) · (N - 1) / (N - k)),
                                of n questions, N votes and k effects of systems and raters

Where all systems have the same raters the adjusted difference is the plain one. It is unknown where
raters and systems cannot be told apart: no rater, or chain of raters, rated both.

By hand: statsmodels takes each of thousands of questions as a dense column. A test compares this
with its weighted least squares and clustered errors.

K.-Y. Liang and S. L. Zeger (1986), Longitudinal data analysis using generalized linear models,
Biometrika 73(1), 13-22.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.comparison import LEVEL, SystemComparison, holm, two_sided
from evaluation.statistics.error_bars import t_times
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Places = NDArray[np.signedinteger[Any]]

UNLIKE = 0.1
"""From here on a difference is adjusted. In a crowd with tasks at random it is lower."""

MOST_RATERS = 500
"""Of more, nothing is adjusted."""

WIDER = 1.5
"""Times the plain error: so unsure an adjusted difference does not confirm the plain one."""

OTHER_RATERS = "raters of the two systems rated too little in common"
LAST_BITS = 1e-9


@dataclass(frozen=True, slots=True)
class Adjusted:
    """One system minus another, as if the same raters had rated both."""

    difference: Figure
    error: Figure
    interval: Interval
    p: Figure
    """Corrected for all adjusted pairs (Holm)."""

    def decides(self, plain: SystemComparison) -> bool:
        """Whether who rated decides if the two systems can be told apart."""
        p, difference = plain.t_p_holm.value, plain.difference.value
        if p is None or difference is None:
            return False
        if self.difference.value is None or self.p.value is None:
            return p < LEVEL
        error = plain.standard_error.value or 0.0
        is_alike = self.difference.value * difference > 0
        has_moved = abs(self.difference.value - difference) > error
        is_unsure = (self.error.value or 0.0) > WIDER * error
        is_clear = self.p.value < LEVEL and (is_alike or p >= LEVEL)
        return (p < LEVEL) != is_clear and (has_moved or is_unsure)


def adjusted(
    value: Floats, weight: Floats, question: Places, system: Places, rater: Places
) -> Mapping[tuple[int, int], Adjusted]:
    """Each two systems, by their places, with unlike raters. There is a row for each vote."""
    if not len(value):
        return {}
    wide, raters = int(system.max()) + 1, int(rater.max()) + 1
    cells = np.bincount(system * raters + rater, weight, wide * raters).reshape(wide, raters)
    rated = np.flatnonzero(cells.any(axis=1)).tolist()
    shares = cells / np.maximum(cells.sum(axis=1, keepdims=True), LAST_BITS)
    pairs = [
        (one, other)
        for one, other in combinations(rated, 2)
        if np.linalg.norm(shares[one] - shares[other]) >= UNLIKE
    ]
    if not pairs or raters > MOST_RATERS:
        return {}
    _, clusters = np.unique(question, return_inverse=True)
    effects, pulls, known = _fitted(value, weight, clusters, system, wide + rater)
    few = (len(value) - 1) / max(len(value) - np.trace(known), 1)
    found = {}
    for one, other in pairs:
        contrast = np.zeros(len(effects))
        contrast[one], contrast[other] = 1, -1
        away = pulls @ contrast
        if abs(known @ contrast - contrast).max() > LAST_BITS:
            found[one, other] = _unknown(OTHER_RATERS)
        elif (questions := int(np.count_nonzero(abs(away) > LAST_BITS))) > 1:
            error = float(np.sqrt((away**2).sum() * questions / (questions - 1) * few))
            found[one, other] = _tested(float(effects @ contrast), error, questions)
    corrected = holm([one.p for one in found.values()])
    return {pair: replace(found[pair], p=p) for pair, p in zip(found, corrected, strict=True)}


def _fitted(
    value: Floats, weight: Floats, question: Places, system: Places, rater: Places
) -> tuple[Floats, Floats, Floats]:
    """The effects of systems and raters, what each question adds to their errors, and the matrix
    that leaves a contrast as it is where it can be known. Questions are taken out first."""
    size, questions = int(rater.max()) + 1, int(question.max()) + 1
    cells = np.concatenate([question * size + system, question * size + rater])

    def by_question(each: Floats) -> Floats:
        found: Floats = np.bincount(cells, np.tile(each, 2), questions * size).astype(float)
        return found.reshape(questions, size)

    inside, total = by_question(weight), np.bincount(question, weight)
    normal = np.diag(inside.sum(axis=0)) - inside.T @ (inside / total[:, None])
    np.add.at(normal, (system, rater), weight)
    np.add.at(normal, (rater, system), weight)
    means = np.bincount(question, weight * value) / total
    inverse = np.linalg.pinv(normal, rcond=LAST_BITS, hermitian=True)
    effects = inverse @ by_question(weight * (value - means[question])).sum(axis=0)
    rest = value - effects[system] - effects[rater]
    rest -= (np.bincount(question, weight * rest) / total)[question]
    return effects, by_question(weight * rest) @ inverse, normal @ inverse


def _unknown(reason: str) -> Adjusted:
    nothing = undefined(reason)
    return Adjusted(nothing, nothing, Interval(None, None, reason), nothing)


def _tested(difference: float, error: float, questions: int) -> Adjusted:
    away = t_times(error, questions)
    interval = Interval(difference - away, difference + away)
    p = two_sided(difference / error, questions - 1)
    return Adjusted(Figure(difference), Figure(error), interval, p)

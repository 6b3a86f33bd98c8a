"""Calibration of scores: do people say “yes” as often as the score says?

Units are put into equal stretches of the score. With n_b units in stretch b, their mean score and
the share of “yes” that people gave them:

    expected calibration error = Σ_b n_b / n |share_b - score_b|
    Brier score                = mean of (score - answer)²

G. W. Brier (1950), Verification of forecasts expressed in terms of probability, Monthly Weather
Review 78(1), 1-3; C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger (2017), On calibration of modern
neural networks, ICML.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from evaluation.statistics.ranking import NOTHING, Scored
from evaluation.statistics.ratings import Figure, undefined

BINS = 10


@dataclass(frozen=True, slots=True)
class ScoreBin:
    """Units whose scores lie from `low` to below `high`; the last bin has its upper end too."""

    low: float
    high: float
    units: int
    score: Figure
    share: Figure


@dataclass(frozen=True, slots=True)
class Calibration:
    bins: tuple[ScoreBin, ...]
    error: Figure
    """The expected calibration error."""

    brier: Figure
    """The mean of (score - answer)²."""


def calibration(data: Scored, *, bins: int = BINS) -> Calibration:
    """Do people say “yes” as often as the score says? For scores from 0 to 1."""
    n = len(data.scores)
    if n and (data.scores[0] < 0 or data.scores[-1] > 1):
        reason = "the scores are not between 0 and 1"
        return Calibration((), undefined(reason), undefined(reason))
    edges = np.array([number / bins for number in range(bins + 1)])
    ends = np.searchsorted(data.scores, edges)
    ends[-1] = n
    found = []
    error = 0.0
    for number, (first, last) in enumerate(pairwise(ends)):
        units = int(last - first)
        score = share = undefined("no score in this stretch")
        if units:
            score = Figure(float(data.scores[first:last].mean()))
            share = Figure(float(data.labels[first:last].mean()))
            error += abs(float((data.labels - data.scores)[first:last].sum())) / n
        low, high = float(edges[number]), float(edges[number + 1])
        found.append(ScoreBin(low, high, units, score, share))
    if not n:
        return Calibration(tuple(found), undefined(NOTHING), undefined(NOTHING))
    brier = float(((data.scores - data.labels) ** 2).mean())
    return Calibration(tuple(found), Figure(error), Figure(brier))

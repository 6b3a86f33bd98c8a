"""Is a judge as good as one more rater? Each rater is left out and compared with the others.

A majority errs less than a rater: even one more rater would agree better with it than raters do
with each other. So rater r and judge f are compared with the same others, at least two,
O = { k ≠ r : k answered u }. With y_ru the answer of r to unit u, M_ru the majority of O (n tied
answers count 1 / n each) and p_ruk the share of O that answered k, over all rows (r, u):

    ceiling, judge    Cohen's kappa (`cohen`) of all y_ru, and of all f_u, with M_ru: one table each
    distance to votes mean of ½ Σ_k (q_k - p_ruk)², q_k = 1 for the given answer and else 0, or
                      q = (1 - s, s) for a judge with the score s of "yes" (Brier 1950)

A judge that is drawn like the raters has the same expectation as a rater in both.

Alternative annotator test, with the cost c_ru(x) = Σ_{k in O} v(x, y_ku) and v as in `cohen`
(nominal: alignment is accuracy; ordered: minus the root mean squared error, which orders alike):

    W^f_ru = [c_ru(f_u) ≤ c_ru(y_ru)]     W^r_ru = [c_ru(y_ru) ≤ c_ru(f_u)]
    ρ = mean_r mean_u W^f_ru              advantage probability
    H0_r: mean W^f ≤ mean W^r - ε         t = (mean d - ε) / SE,  d = W^r - W^f
    ω(ε) = share of raters whose H0 is rejected at .05, corrected for all raters (Benjamini and
           Yekutieli 2001); the judge passes where ω ≥ .5

A judge may be worse by ε: .2 for experts, .15 for skilled raters, .1 for a crowd. SE and its
degrees of freedom are by questions: with one unit in each it is the paper's t-test. By
hand: the authors' code is a script, not a package, and takes all units as independent.

N. Calderon, R. Reichart and R. Dror (2025), The alternative annotator test for LLM-as-a-judge, ACL,
16051-16081; Y. Benjamini and D. Yekutieli (2001), The control of the false discovery rate in
multiple testing under dependency, Annals of Statistics 29(4), 1165-1188; G. W. Brier (1950),
Verification of forecasts expressed in terms of probability, Monthly Weather Review 78(1), 1-3.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.alpha import Metric
from evaluation.statistics.coded import Coded
from evaluation.statistics.cohen import distances
from evaluation.statistics.comparison import LEVEL
from evaluation.statistics.majority import majorities
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_OTHERS = 2
LEAST_RATERS, LEAST_UNITS, LEAST_QUESTIONS = 3, 30, 10
COSTS = 0.2, 0.15, 0.1


@dataclass(frozen=True, eq=False)
class OneOut:
    """A row for each value of each unit that the judge and enough other raters answered.

    Raters who gave the same value have the same others.
    """

    unit: Ints
    said: Ints
    judge: Ints
    """The place of the judge's value; `said` has that of the raters'."""

    times: Floats
    """The number of raters who gave the value."""

    others: Floats
    """How many of a rater's others gave each value: rows × values."""

    rater: Ints
    row: Ints
    """For each answer of a rater: its row; `rater` has the rater."""

    def labels(self, *, median: bool) -> tuple[Floats, int]:
        """Return each value's share in the others' majority, and the number of tied answers."""
        made = majorities(self.others.astype(np.int64), median=median, ties="none")
        result = (self.others == self.others.max(axis=1, keepdims=True)).astype(float)
        result[made >= 0] = np.eye(self.others.shape[1])[made[made >= 0]]
        return result / result.sum(axis=1, keepdims=True), int(self.times[made < 0].sum())

    def distances_to_votes(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return ½ Σ_k (q_k - p_k)² of each row, of the judge and of the rater.

        `scores` has the judge's score of the higher of two values for each row, NaN where there is
        only its answer.
        """
        each, known = np.eye(self.others.shape[1]), np.isfinite(scores)
        judge, shares = each[self.judge], self.others / self.others.sum(axis=1, keepdims=True)
        judge[known] = np.column_stack([1 - scores[known], scores[known]]) if known.any() else 0
        one, other = (((q - shares) ** 2).sum(axis=1) / 2 for q in (judge, each[self.said]))
        return one, other

    def wins(self, metric: Metric) -> tuple[Floats, Floats]:
        """Return where the judge is as near to the others as the rater, and the reverse."""
        costs = self.others @ distances(self.others.shape[1], metric)
        rows = np.arange(len(self.unit))
        judge, rater = costs[rows, self.judge], costs[rows, self.said]
        return (judge <= rater).astype(float), (rater <= judge).astype(float)


def left_out(ratings: Coded, said: Ints) -> OneOut:
    """Leave each rater out; `said` has the place of the judge's value for each unit, or -1."""
    kept = (said >= 0) & (ratings.per_unit > LEAST_OTHERS)
    counts = np.where(kept[:, None], ratings.counts, 0.0)
    unit, code = np.nonzero(counts)
    rows = np.arange(len(unit))
    row_of = np.zeros(counts.shape, dtype=np.int64)
    row_of[unit, code] = rows
    others = counts[unit]
    others[rows, code] -= 1
    each = kept[ratings.unit]
    row = row_of[ratings.unit[each], ratings.code[each]]
    return OneOut(unit, code, said[unit], counts[unit, code], others, ratings.judge[each], row)


@dataclass(frozen=True, eq=False)
class AltTest:
    """ω by ε; `weights` of rows give the mean over raters' means, with 0 for raters left out."""

    raters: int
    left_out: int
    weights: Floats
    winning: Mapping[float, Figure]


def alt_test(rows: OneOut, clusters: Ints, metric: Metric) -> AltTest:
    """Return the alternative annotator test; `clusters` has the question of each row."""
    rater, (judge_wins, rater_wins) = rows.rater, rows.wins(metric)
    clusters, away = clusters[rows.row], (rater_wins - judge_wins)[rows.row]
    wide = int(clusters.max(initial=0)) + 1
    pairs, cell = np.unique(rater * wide + clusters, return_inverse=True)
    units, questions = np.bincount(rater), np.bincount(pairs // wide)
    enough = (units >= LEAST_UNITS) & (questions >= LEAST_QUESTIONS)
    raters, too_few = int(enough.sum()), int(((units > 0) & ~enough).sum())
    each = np.maximum(units, 1)
    mean = np.bincount(rater, away) / each
    squares = np.bincount(pairs // wide, np.bincount(cell, away - mean[rater]) ** 2)
    errors = np.sqrt(squares * questions / np.maximum(questions - 1, 1)) / each
    if raters < LEAST_RATERS:
        reason = (
            f"{raters} raters with {LEAST_UNITS} units and {LEAST_QUESTIONS} questions that "
            f"{LEAST_OTHERS} others rated; at least {LEAST_RATERS} are needed"
        )
        winning = dict.fromkeys(COSTS, undefined(reason))
    else:
        parts = mean[enough], errors[enough], questions[enough]
        winning = {cost: Figure(_rejected(cost, *parts)) for cost in COSTS}
    weights = np.bincount(rows.row, (enough / each)[rater], len(rows.unit))
    return AltTest(raters, too_few, weights.astype(float), winning)


def _rejected(cost: float, mean: Floats, errors: Floats, questions: Ints) -> float:
    """Return the share of raters whose mean is significantly below `cost`."""
    # Imported at use: they take part of a second that a web process need not spend.
    from scipy.special import stdtr
    from scipy.stats import false_discovery_control

    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == cost, 0, (mean - cost) / errors)
    corrected = false_discovery_control(stdtr(questions - 1, t), method="by")
    return float(np.mean(corrected <= LEVEL))

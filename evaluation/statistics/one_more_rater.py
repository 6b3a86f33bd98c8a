"""Is a judge as good as one more rater? Each rater is left out and compared with the other raters.

A judge's kappa with the majority of people cannot be compared with people's agreement with each
other: a majority errs less than a rater, so that even one more rater of the same kind would reach a
higher number. Here rater r and judge f meet the same other raters O = { k ≠ r : k answered u } on
the same units, two others at least. With y_ru the answer of r to unit u, M_ru the majority of O,
and p_ruk the share of O that answered k, over all rows (r, u):

    ceiling           Cohen's kappa (`cohen`) of all y_ru with M_ru, one table for all raters; of
                      n answers that O gives equally often, each counts 1 / n
    judge             Cohen's kappa of all f_u with M_ru
    distance to votes mean of ½ Σ_k (q_k - p_ruk)², with q_k = 1 for the given answer and else 0, or
                      q = (1 - s, s) for a judge with the score s of "yes" (Brier 1950)

A judge that is drawn like the raters has the same expectation as a rater in both.

Alternative annotator test. With the cost c_ru(x) = Σ_{k in O} v(x, y_ku), v as in `cohen`
(nominal: alignment is accuracy; ordered: minus the root mean squared error, which orders alike):

    W^f_ru = [c_ru(f_u) ≤ c_ru(y_ru)]     W^r_ru = [c_ru(y_ru) ≤ c_ru(f_u)]
    ρ_r = mean_u W^f_ru                   ρ = mean_r ρ_r    advantage probability
    H0_r: mean W^f ≤ mean W^r - ε         t = (mean d - ε) / SE,  d = W^r - W^f
    ω(ε) = share of raters whose H0 is rejected at the level .05, corrected for all raters
           (Benjamini and Yekutieli 2001); the judge passes where ω ≥ .5

ε is what a judge may be worse by since it costs less: .2 beside experts, .15 beside skilled raters,
.1 beside a crowd. SE sums the residuals of each question before squaring them, with degrees of
freedom by questions: with one unit in each question it is the paper's paired t-test. Raters with
fewer than 30 units or 10 questions are left out; fewer than three raters are no test.

N. Calderon, R. Reichart and R. Dror (2025), The alternative annotator test for LLM-as-a-judge, ACL,
16051-16081; Y. Benjamini and D. Yekutieli (2001), The control of the false discovery rate in
multiple testing under dependency, Annals of Statistics 29(4), 1165-1188; G. W. Brier (1950),
Verification of forecasts expressed in terms of probability, Monthly Weather Review 78(1), 1-3.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.alpha import Metric
from evaluation.statistics.coded import Coded
from evaluation.statistics.cohen import distances
from evaluation.statistics.comparison import LEVEL
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_OTHERS = 2
LEAST_RATERS, LEAST_UNITS, LEAST_QUESTIONS = 3, 30, 10
COSTS: Mapping[str, float] = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}
"""ε by who the raters are."""

PASSES = 0.5


@dataclass(frozen=True, eq=False)
class OneOut:
    """A row for each answer of a rater to a unit that enough others and the judge answered, too."""

    unit: Ints
    rater: Ints
    said: Ints
    """The place of the rater's value,"""

    judge: Ints
    """and that of the judge."""

    others: Floats
    """How many of the others gave each value: rows × values."""

    def labels(self, majority: Callable[[Ints], Ints]) -> tuple[Floats, int]:
        """How much of the others' label each value is, rows × values, and in how many rows they are
        tied; `majority` makes labels of counts, -1 for a tie."""
        made = majority(self.others.astype(np.int64)) if len(self.unit) else self.unit
        found = (self.others == self.others.max(axis=1, keepdims=True)).astype(float)
        found[made >= 0] = np.eye(self.others.shape[1])[made[made >= 0]]
        return found / found.sum(axis=1, keepdims=True), int(np.count_nonzero(made < 0))

    @cached_property
    def shares(self) -> Floats:
        found: Floats = self.others / self.others.sum(axis=1, keepdims=True)
        return found

    def wins(self, metric: Metric) -> tuple[Floats, Floats]:
        """Where the judge is as near to the others as the rater, and where the rater is as near."""
        costs = self.others @ distances(self.others.shape[1], metric)
        rows = np.arange(len(self.unit))
        judge, rater = costs[rows, self.judge], costs[rows, self.said]
        return (judge <= rater).astype(float), (rater <= judge).astype(float)


def left_out(ratings: Coded, said: Ints) -> OneOut:
    """Each rater against the others; `said` has the place of the judge's value for each unit, or
    -1."""
    kept = (said[ratings.unit] >= 0) & (ratings.per_unit[ratings.unit] > LEAST_OTHERS)
    unit, code = ratings.unit[kept], ratings.code[kept]
    others = ratings.counts[unit]
    others[np.arange(len(unit)), code] -= 1
    return OneOut(unit, ratings.judge[kept], code, said[unit], others)


def distances_to_votes(rows: OneOut, scores: Floats | None = None) -> tuple[Floats, Floats]:
    """½ Σ_k (q_k - p_k)² of each row, of the judge and of the rater. `scores` has the judge's score
    of the highest of two values for each row, NaN where there is only its answer."""
    each = np.eye(rows.others.shape[1])
    judge = each[rows.judge]
    if scores is not None:
        known = np.isfinite(scores)
        judge[known] = np.column_stack([1 - scores[known], scores[known]])
    return _brier(judge, rows.shares), _brier(each[rows.said], rows.shares)


def _brier(said: Floats, shares: Floats) -> Floats:
    found: Floats = ((said - shares) ** 2).sum(axis=1) / 2
    return found


# The alternative annotator test -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AltTest:
    """ω by ε, and by which raters. `advantage` is ρ."""

    raters: Ints
    """The places of the raters who rated enough."""

    too_few: int
    """Raters who rated less."""

    advantage: Figure
    winning: Mapping[float, Figure]


def alt_test(rows: OneOut, clusters: Ints, metric: Metric) -> AltTest:
    """`clusters` has the question of each row."""
    rater, (judge_wins, rater_wins) = rows.rater, rows.wins(metric)
    wide = int(clusters.max(initial=0)) + 1
    pairs, cell = np.unique(rater * wide + clusters, return_inverse=True)
    units, questions = np.bincount(rater), np.bincount(pairs // wide)
    enough = (units >= LEAST_UNITS) & (questions >= LEAST_QUESTIONS)
    known, too_few = np.flatnonzero(enough), int(np.count_nonzero((units > 0) & ~enough))
    if len(known) < LEAST_RATERS:
        reason = undefined(
            f"{len(known)} raters with {LEAST_UNITS} units and {LEAST_QUESTIONS} questions that "
            f"{LEAST_OTHERS} others rated; at least {LEAST_RATERS} are needed"
        )
        return AltTest(known, too_few, reason, dict.fromkeys(COSTS.values(), reason))
    away = rater_wins - judge_wins
    mean = np.bincount(rater, away) / np.maximum(units, 1)
    squares = np.bincount(pairs // wide, np.bincount(cell, away - mean[rater]) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt(squares * questions / (questions - 1)) / units
    advantage = np.bincount(rater, judge_wins)[enough] / units[enough]
    winning = {
        cost: Figure(_rejected(mean[enough] - cost, errors[enough], questions[enough]))
        for cost in COSTS.values()
    }
    return AltTest(known, too_few, Figure(float(advantage.mean())), winning)


def _rejected(away: Floats, errors: Floats, questions: Ints) -> float:
    """The share of raters whose mean lies clearly below 0."""
    # Imported at use: they take part of a second that a web process need not spend.
    from scipy.special import stdtr
    from scipy.stats import false_discovery_control

    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(errors > 0, away / errors, np.where(away < 0, -np.inf, np.inf))
    corrected = false_discovery_control(stdtr(questions - 1, t), method="by")
    return float(np.mean(corrected <= LEVEL))

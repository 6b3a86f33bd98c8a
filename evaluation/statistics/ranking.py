"""Do units that people call “yes” have the higher scores? ROC, AUC, precision and recall.

    ROC                  for each threshold t: the share of “no” and the share of “yes” with a
                         score >= t
    AUC                  the chance that a “yes” has the higher score than a “no”, a tie half
                         = Σ_yes (n_no(lower) + n_no(equal) / 2) / (n_yes n_no)
    precision(t)         the share of “yes” among the units with a score >= t
    recall(t)            the share of the “yes” that have a score >= t
    average precision    Σ_t (recall(t) - recall(next higher t)) precision(t)

**By cluster**, for error bars of many judges at once. With n₁ units of “yes” and n₀ of “no”, let v
be a unit's placement: of a “yes” the share of the “no” below it, of a “no” the share of the “yes”
above it, a tie half. To first order the AUC moves with the weights w of the clusters c by

    AUC(w) ≈ AUC + Σ_c (w_c - 1) ψ_c,   ψ_c = Σ_yes in c (v - AUC) / n₁ + Σ_no in c (v - AUC) / n₀

The report's section on thresholds orders all units again in each draw (`aucs`): that is exact, and
for one number of one judge. Differences of judges use the first order, in a hundredth of the time.

J. A. Hanley and B. J. McNeil (1982), The meaning and use of the area under a receiver operating
characteristic (ROC) curve, Radiology 143(1), 29-36; J. Davis and M. Goadrich (2006), The
relationship between precision-recall and ROC curves, ICML; N. A. Obuchowski (1997), Nonparametric
analysis of clustered ROC curve data, Biometrics 53(2), 567-578; E. R. DeLong, D. M. DeLong and
D. L. Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver operating
characteristic curves, Biometrics 44(3), 837-845.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.ratings import Figure, Key, undefined

Floats = NDArray[np.float64]

NOTHING = "nothing has both an answer of people and a score"
ONLY_YES = "people said “yes” everywhere"
ONLY_NO = "people said “no” everywhere"


@dataclass(frozen=True)
class Scored:
    """Units with people's answer (1 for “yes”) and the judge's score, from low to high score."""

    units: tuple[Key, ...]
    labels: Floats
    scores: Floats

    @property
    def reason(self) -> str:
        """Why the labels cannot be separated, if so."""
        if not len(self.labels):
            return NOTHING
        if self.labels.all():
            return ONLY_YES
        return "" if self.labels.any() else ONLY_NO


def scored(people: Mapping[Key, int], scores: Mapping[Key, float]) -> Scored:
    """Return the units with a label and a score, sorted by score."""
    units = [unit for unit in people if unit in scores]
    marks = np.array([people[unit] for unit in units], dtype=float)
    values = np.array([scores[unit] for unit in units], dtype=float)
    if not np.isfinite(values).all():
        raise ValueError("A score is not a number; leave such units out, with their reason.")
    order = np.argsort(values, kind="stable")
    return Scored(tuple(units[place] for place in order.tolist()), marks[order], values[order])


def aucs(data: Scored, weights: Floats) -> Floats:
    """Return the AUC under each row of weights of the units; NaN where a label does not occur.

    The columns are the units of `data`, in its order; in a bootstrap each has its cluster's weight.
    """
    starts = _starts(data.scores)
    if not len(starts):
        return np.full(len(weights), np.nan)
    yes = np.add.reduceat(weights * data.labels, starts, axis=1)
    no = np.add.reduceat(weights * (1 - data.labels), starts, axis=1)
    below = no.cumsum(axis=1) - no / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = (yes * below).sum(axis=1) / (yes.sum(axis=1) * no.sum(axis=1))
    return result


def auc(data: Scored) -> Figure:
    """Return the area under the ROC curve."""
    if data.reason:
        return undefined(data.reason)
    return Figure(float(aucs(data, np.ones((1, len(data.labels))))[0]))


@dataclass(frozen=True)
class Curve:
    """Points by falling threshold; the first threshold is above all scores."""

    thresholds: Floats
    x: Floats
    y: Floats
    reason: str = ""
    """Why the curve has no points."""


def roc(data: Scored) -> Curve:
    """Return the ROC curve: shares of false “yes” (x) and true “yes” (y)."""
    if data.reason:
        return _no_curve(data.reason)
    cuts, yes, all_of = _above(data)
    no = all_of - yes
    return Curve(cuts, no / no[-1], yes / yes[-1])


def precision_recall(data: Scored) -> Curve:
    """Return recall (x) and precision (y); above all scores there is no precision, so no point."""
    if not len(data.labels) or not data.labels.any():
        return _no_curve(data.reason)
    cuts, yes, all_of = _above(data)
    return Curve(cuts[1:], yes[1:] / yes[-1], yes[1:] / all_of[1:])


def average_precision(data: Scored) -> Figure:
    """Return the mean of precision at each step of recall, weighted by the step."""
    curve = precision_recall(data)
    if curve.reason:
        return undefined(curve.reason)
    return Figure(float((np.diff(curve.x, prepend=0.0) * curve.y).sum()))


def _starts(scores: Floats) -> NDArray[np.intp]:
    """Return where runs of equal scores begin."""
    if not len(scores):
        return np.array([], dtype=np.intp)
    return np.flatnonzero(np.concatenate([[True], np.diff(scores) > 0]))


def _above(data: Scored) -> tuple[Floats, Floats, Floats]:
    """Return falling thresholds from above all scores, “yes” and all units at or above each."""
    starts = _starts(data.scores)
    yes = np.add.reduceat(data.labels, starts)[::-1].cumsum()
    all_of = len(data.scores) - starts[::-1]
    cuts = np.concatenate([[np.inf], data.scores[starts][::-1]])
    return cuts, np.concatenate([[0.0], yes]), np.concatenate([[0.0], all_of])


def _no_curve(reason: str) -> Curve:
    empty = np.array([])
    return Curve(empty, empty, empty, reason)


def auc_by_cluster(
    data: Scored, clusters: NDArray[np.integer[Any]], number: int
) -> tuple[float, Floats]:
    """Return the AUC and ψ of each of `number` clusters.

    `clusters` has the cluster of each unit of `data`, which must hold both labels.
    """
    yes = data.labels > 0
    below, above = data.scores[~yes], data.scores[yes]  # both from low to high
    placement = np.empty(len(yes))
    placement[yes] = _share_below(below, above)
    placement[~yes] = 1 - _share_below(above, below)
    value = float(placement[yes].mean())
    weight = np.where(yes, 1 / len(above), 1 / len(below))
    added = np.bincount(clusters, weight * (placement - value), minlength=number)
    return value, added.astype(float)


def _share_below(scores: Floats, of: Floats) -> Floats:
    """Return the share of scores below each of the others, a tie half."""
    both = np.searchsorted(scores, of, "left") + np.searchsorted(scores, of, "right")
    result: Floats = both / (2 * len(scores))
    return result

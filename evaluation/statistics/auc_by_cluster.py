"""What each cluster adds to the AUC: for error bars of many judges at once.

With n₁ units of “yes” and n₀ of “no”, let v be a unit's placement: of a “yes” the share of the
“no” that lie below it, of a “no” the share of the “yes” that lie above it, a tie half. To first
order the AUC moves with the weights w of the clusters c by

    AUC(w) ≈ AUC + Σ_c (w_c - 1) ψ_c,   ψ_c = Σ_yes in c (v - AUC) / n₁ + Σ_no in c (v - AUC) / n₀

N. A. Obuchowski (1997), Nonparametric analysis of clustered ROC curve data, Biometrics 53(2),
567-578; E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988), Comparing the areas under two
or more correlated receiver operating characteristic curves, Biometrics 44(3), 837-845.

`sections/thresholds.py` orders all units anew in each draw: that is exact, and for one number
of one judge. Differences of judges are told by the first order, at a hundredth of its time.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.ranking import Scored

Floats = NDArray[np.float64]


def auc_by_cluster(
    data: Scored, clusters: NDArray[np.integer[Any]], number: int
) -> tuple[float, Floats]:
    """The AUC, and ψ of each of so many clusters; `clusters` names that of each unit of `data`,
    which holds both labels."""
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
    """The share of the scores that lie below each of others, a tie half."""
    both = np.searchsorted(scores, of, "left") + np.searchsorted(scores, of, "right")
    found: Floats = both / (2 * len(scores))
    return found

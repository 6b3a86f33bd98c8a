"""Kappa as a function of the threshold: how much hangs on where a judge's scores are cut.

κ(t) = Cohen's kappa of people's answers with “score >= t”, see `cohen`
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.agreement.cohen import ALL_THE_SAME, kappas
from evaluation.agreement.ranking import NOTHING, Scored
from evaluation.agreement.ratings import Figure, undefined


@dataclass(frozen=True, slots=True)
class Cut:
    threshold: float
    kappa: Figure


@dataclass(frozen=True, slots=True)
class Cuts:
    """Kappa by threshold, the threshold in use among them."""

    curve: tuple[Cut, ...]
    fixed: Cut
    best: Cut | None
    """The highest kappa, the lowest threshold that has it. Chosen on the same data, it flatters."""


def kappa_by_threshold(
    data: Scored, fixed: float, *, thresholds: Sequence[float] | None = None
) -> Cuts:
    """Kappa of people with “score >= threshold”, by hundredths if no thresholds are given."""
    wanted = [n / 100 for n in range(101)] if thresholds is None else thresholds
    cuts = np.unique(np.array([*wanted, fixed], dtype=float))
    n = len(data.labels)
    yes_below = np.concatenate([[0.0], data.labels.cumsum()])
    below = np.searchsorted(data.scores, cuts)  # how many scores are under the cut
    missed = yes_below[below]
    yes = data.labels.sum()
    summed = np.stack(
        [
            np.column_stack([below - missed, (n - yes) - (below - missed)]),
            np.column_stack([missed, yes - missed]),
        ],
        axis=1,
    )
    found = [
        Cut(float(cut), _figure(value, n))
        for cut, value in zip(cuts, kappas(summed, "nominal"), strict=True)
    ]
    known = [(cut.kappa.value, -cut.threshold, cut) for cut in found if cut.kappa.value is not None]
    best = max(known, key=lambda one: one[:2])[2] if known else None
    return Cuts(tuple(found), found[int(np.searchsorted(cuts, fixed))], best)


def _figure(value: float, units: int) -> Figure:
    if not units:
        return undefined(NOTHING)
    return Figure(float(value)) if np.isfinite(value) else undefined(ALL_THE_SAME)

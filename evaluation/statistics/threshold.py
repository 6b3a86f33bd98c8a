"""Kappa as a function of the threshold: how much hangs on where a judge's scores are cut.

κ(t) = Cohen's kappa of people's answers with “score >= t”, see `cohen`

The best threshold on some answers flatters the judge there. So its kappa is told by
cross-validation over questions: they are divided into ten parts, the threshold of each part is the
best one on the nine others, and one table holds what is said of all units so.

M. Stone (1974), Cross-validatory choice and assessment of statistical predictions, Journal of the
Royal Statistical Society B 36(2), 111-147.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.cohen import ALL_THE_SAME, kappas
from evaluation.statistics.ranking import NOTHING, Scored
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

FOLDS = 10
HUNDREDTHS = tuple(n / 100 for n in range(101))


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
    cuts = np.unique(np.array([*(HUNDREDTHS if thresholds is None else thresholds), fixed]))
    n = len(data.labels)
    found = [
        Cut(float(cut), _figure(value, n))
        for cut, value in zip(cuts, kappas(_tables(data, cuts), "nominal"), strict=True)
    ]
    known = [(cut.kappa.value, -cut.threshold, cut) for cut in found if cut.kappa.value is not None]
    best = max(known, key=lambda one: one[:2])[2] if known else None
    return Cuts(tuple(found), found[int(np.searchsorted(cuts, fixed))], best)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What is said of each unit by a threshold that was chosen without its question."""

    said: NDArray[np.bool_]
    thresholds: tuple[float, ...]
    """Of the parts; none where there are fewer than two questions."""


def held_out(data: Scored, questions: Whole, fixed: float, *, seed: int = 0) -> HeldOut:
    """`questions` names the question of each unit, in the order of `data`. Where no threshold has
    a kappa, `fixed` is taken."""
    cuts = np.unique(np.array([*HUNDREDTHS, fixed]))
    names, place = np.unique(questions, return_inverse=True)
    said = data.scores >= fixed
    if len(names) < 2:
        return HeldOut(said, ())
    fold = folds_of(place, seed=seed)
    whole = _tables(data, cuts)
    chosen = []
    for part in range(fold.max() + 1):
        own = fold == part
        here = Scored((), data.labels[own], data.scores[own])
        found = kappas(whole - _tables(here, cuts), "nominal")
        known = np.isfinite(found).any()
        # Of equals the lowest one, but for rounding.
        cut = float(cuts[np.nanargmax(found.round(12))]) if known else fixed
        said[own] = here.scores >= cut
        chosen.append(cut)
    return HeldOut(said, tuple(chosen))


def folds_of(questions: Whole, *, seed: int) -> Whole:
    """The part of each unit, all of a question in one; `questions` counts from 0."""
    count = int(questions.max(initial=-1)) + 1
    folds = max(1, min(FOLDS, count))
    found: Whole = (np.random.default_rng(seed).permutation(count) % folds)[questions]
    return found


def _tables(data: Scored, cuts: Floats) -> Floats:
    """Of each threshold: people's no and yes by “score below” and “score from there on”."""
    yes_below = np.concatenate([[0.0], data.labels.cumsum()])
    below = np.searchsorted(data.scores, cuts)  # how many scores are under the cut
    missed = yes_below[below]
    yes, n = data.labels.sum(), len(data.labels)
    return np.stack(
        [
            np.column_stack([below - missed, (n - yes) - (below - missed)]),
            np.column_stack([missed, yes - missed]),
        ],
        axis=1,
    )


def _figure(value: float, units: int) -> Figure:
    if not units:
        return undefined(NOTHING)
    return Figure(float(value)) if np.isfinite(value) else undefined(ALL_THE_SAME)

"""Scores cut into the levels of an ordered dimension, so as to agree with people best.

    level(s) = how many of the cut points c_1 <= … <= c_{k-1} are <= s
    κ        = 1 - A / B, Cohen's kappa with squared distances v, see `cohen`
    A        = Σ_u v(people's level of u, level(s_u))
    B        = Σ_u Σ_i p_i v(i, level(s_u)),    p_i people's share of level i

Both sums are of what one unit's level adds, whatever the others' are. So the cut points with the
least A - λB are found exactly, stretch of scores by stretch; with λ the A / B of those found last,
until none is less, they are those with the greatest kappa. Nothing grows with the number of levels
as trying all cut points would. As of one threshold (`threshold`), cut points are hundredths, and
what they are worth is told by cross-validation over questions.

W. Dinkelbach (1967), On nonlinear fractional programming, Management Science 13(7), 492-498.
"""

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.cohen import distances
from evaluation.statistics.threshold import HUNDREDTHS, folds_of

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

NEVER = 1.01
"""The cut point of a level that no score reaches."""

CUTS = np.array([*HUNDREDTHS, NEVER])
_ROUNDING = 1e-9
_MOST_STEPS = 100


def cut_points(labels: Whole, scores: Floats, levels: int) -> tuple[float, ...] | None:
    """The best ones; of equals those in the middle between the ones that put each score highest and
    lowest, if they are as good, otherwise the highest. None where people say one level of
    everything. `labels` counts levels from 0; scores are from 0 to 1."""
    stretch = np.searchsorted(CUTS, scores, side="right") - 1
    counts = np.zeros((len(CUTS), levels))
    np.add.at(counts, (stretch, labels), 1)
    by_level = counts.sum(axis=0)
    if np.count_nonzero(by_level) < 2:
        return None
    v = distances(levels, "ordinal")
    seen = counts @ v
    chance = np.outer(counts.sum(axis=1), by_level @ v / by_level.sum())
    rows, ratio = np.arange(len(CUTS)), 1.0
    for _ in range(_MOST_STEPS):
        found = _rising(seen - ratio * chance)
        less = seen[rows, found].sum() / chance[rows, found].sum()
        if less >= ratio - _ROUNDING:
            break
        ratio = less
    highest, lowest = (
        np.searchsorted(_rising(seen - ratio * chance, lowest=low), np.arange(1, levels))
        for low in (False, True)
    )
    middle = (highest + lowest) // 2
    found = np.searchsorted(middle, rows, side="right")
    alike = seen[rows, found].sum() / chance[rows, found].sum() <= ratio + _ROUNDING
    firsts = middle if alike else highest
    return tuple(CUTS[np.minimum(firsts, len(CUTS) - 1)].tolist())


def levels_of(scores: Floats, cuts: tuple[float, ...]) -> Whole:
    """The level of each score."""
    found: Whole = np.searchsorted(np.array(cuts), scores, side="right").astype(np.int64)
    return found


def levels_elsewhere(
    labels: Whole, scores: Floats, said: Whole, questions: Whole, levels: int, *, seed: int
) -> Whole:
    """The level of each unit by cut points that were chosen without its question, which `questions`
    counts from 0; what is `said` where there are none to choose."""
    fold = folds_of(questions, seed=seed)
    found = said.copy()
    for part in np.unique(fold):
        own = fold == part
        cuts = cut_points(labels[~own], scores[~own], levels)
        if cuts is not None:
            found[own] = levels_of(scores[own], cuts)
    return found


def _rising(costs: Floats, *, lowest: bool = False) -> Whole:
    """The level of each stretch, none lower than the one before, at the least cost together; of
    equals the highest, or the lowest."""
    stretches, levels = costs.shape
    best = np.zeros(levels)
    chosen = np.zeros((stretches, levels), dtype=np.int64)
    for stretch in reversed(range(stretches)):
        # From each level on: the best one to go to, itself or a higher one.
        whole = costs[stretch] + best
        place = levels - 1
        for level in reversed(range(levels)):
            if whole[level] < whole[place] + (_ROUNDING if lowest else -_ROUNDING):
                place = level
            chosen[stretch, level] = place
        best = whole[chosen[stretch]]
    found = np.zeros(stretches, dtype=np.int64)
    level = 0
    for stretch in range(stretches):
        level = int(chosen[stretch, level])
        found[stretch] = level
    return found

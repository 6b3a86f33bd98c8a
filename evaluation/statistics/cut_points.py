"""Scores cut into the levels of an ordered dimension, so as to agree with people best.

    level(s) = how many of the cut points c_1 <= … <= c_{k-1} are <= s
    κ        = 1 - A / B, Cohen's kappa with squared distances v, see `cohen`
    A        = Σ_u v(people's level of u, level(s_u))
    B        = Σ_u Σ_i p_i v(i, level(s_u)),    p_i people's share of level i

In both sums each unit's term depends only on its own level. So the cut points with the least A - λB
are found exactly, stretch of scores by stretch. This is repeated with λ the A / B of the last ones
until none is less: they have the greatest kappa. The time does not grow with the number of levels
as it would with a search of all cut points. As of one threshold (`threshold`), cut points are
hundredths, and cross-validation over questions estimates their gain.

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
    """Return the best cut points, or None where people give all units the same level.

    Of equally good ones it returns the middle between the highest and the lowest, if that is as
    good, otherwise the highest. `labels` counts levels from 0; scores are from 0 to 1.
    """
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
        result = _rising(seen - ratio * chance)
        less = seen[rows, result].sum() / chance[rows, result].sum()
        if less >= ratio - _ROUNDING:
            break
        ratio = less
    highest, lowest = (
        np.searchsorted(_rising(seen - ratio * chance, lowest=low), np.arange(1, levels))
        for low in (False, True)
    )
    middle = (highest + lowest) // 2
    result = np.searchsorted(middle, rows, side="right")
    alike = seen[rows, result].sum() / chance[rows, result].sum() <= ratio + _ROUNDING
    firsts = middle if alike else highest
    return tuple(CUTS[np.minimum(firsts, len(CUTS) - 1)].tolist())


def levels_of(scores: Floats, cuts: tuple[float, ...]) -> Whole:
    """Return the level of each score."""
    result: Whole = np.searchsorted(np.array(cuts), scores, side="right").astype(np.int64)
    return result


def levels_elsewhere(
    labels: Whole, scores: Floats, said: Whole, questions: Whole, levels: int, *, seed: int
) -> Whole:
    """Return the level of each unit by cut points that were chosen without its question.

    `questions` numbers the question of each unit from 0. Where there are no cut points, the level
    is the one in `said`.
    """
    fold = folds_of(questions, seed=seed)
    result = said.copy()
    for part in np.unique(fold):
        own = fold == part
        cuts = cut_points(labels[~own], scores[~own], levels)
        if cuts is not None:
            result[own] = levels_of(scores[own], cuts)
    return result


def _rising(costs: Floats, *, lowest: bool = False) -> Whole:
    """Return the level of each stretch, never falling, at the least total cost.

    Of equals it takes the highest, or the `lowest`.
    """
    stretches, levels = costs.shape
    best = np.zeros(levels)
    chosen = np.zeros((stretches, levels), dtype=np.int64)
    for stretch in reversed(range(stretches)):
        # From each level on: the best next level, itself or a higher one.
        whole = costs[stretch] + best
        place = levels - 1
        for level in reversed(range(levels)):
            if whole[level] < whole[place] + (_ROUNDING if lowest else -_ROUNDING):
                place = level
            chosen[stretch, level] = place
        best = whole[chosen[stretch]]
    result = np.zeros(stretches, dtype=np.int64)
    level = 0
    for stretch in range(stretches):
        level = int(chosen[stretch, level])
        result[stretch] = level
    return result

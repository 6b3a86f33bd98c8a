"""AUC and average precision of many draws at once, from the same sums.

Units stand from the highest score down. With Y and A the weights of the “yes” and of all units down
to the end of a run of equal scores, y and n the weights of “yes” and “no” within it:

    average precision = Σ y Y / A / Σ y
    AUC               = 1 - Σ y (A - Y - n / 2) / (Σ y Σ n)

over the runs that hold a “yes”: the others add nothing. The same numbers as `ranking.aucs` and
`ranking.average_precision`, for a fraction of their time: a study has tens of thousands of scores,
and every draw weighs all of them. A jackknife has as many rows as there are questions: it goes the
way of `agreement/ranking_without.py`, which weighs nothing.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.ranking import Scored
from evaluation.agreement.ranking_without import rankings_without_each

Floats = NDArray[np.float64]
Places = NDArray[np.integer[Any]]

CELLS = 250_000
"""Weights of units made at a time: 2 MB, which stay near the processor."""


class Rankings:
    """From weights of clusters to AUC and average precision; NaN where a label does not occur.

    Weights must be whole numbers, as those of a bootstrap are. `clusters` names the cluster of each
    unit, in the order of `data`.
    """

    def __init__(self, data: Scored, clusters: Places) -> None:
        self._clusters = np.asarray(clusters)[::-1]
        self._labels, self._scores = data.labels[::-1] > 0, data.scores[::-1]
        self._runs = _Runs(self._scores, self._labels)
        self._of_yes = self._clusters[self._labels]

    def __call__(self, weights: Floats) -> Floats:
        step = max(1, CELLS // max(len(self._scores), 1))
        return np.concatenate(
            [self._block(weights[first : first + step]) for first in range(0, len(weights), step)]
        )

    def without_each(self, clusters: int) -> Floats:
        return rankings_without_each(
            self._labels, self._scores, self._clusters.astype(np.int64), clusters
        )

    def _block(self, weights: Floats) -> Floats:
        # Questions are drawn whole times: whole numbers add up faster, and exactly.
        times = weights.astype(np.int32)
        runs = self._runs
        all_of = np.take(times, self._clusters, axis=1).cumsum(axis=1, dtype=np.int32)
        own = np.take(times, self._of_yes, axis=1)
        yes_of = own.cumsum(axis=1, dtype=np.int32)
        reached = np.take(all_of, runs.ends - 1, axis=1)
        total, yes = all_of[:, -1].astype(float), own.sum(axis=1, dtype=np.int32).astype(float)
        if runs.tied:
            above = np.take(yes_of, runs.yes_ends - 1, axis=1)
            within = np.diff(above, axis=1, prepend=0).astype(float)
            before = np.where(runs.starts > 0, np.take(all_of, runs.starts - 1, axis=1), 0)
            no_above = (reached - above) - (reached - before - within) / 2
        else:
            # Each run is a unit.
            above, within = yes_of, own.astype(float)
            no_above = (reached - above).astype(float)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = above / np.maximum(reached, 1)  # nothing reached: 0 of nothing
            return np.column_stack(
                [
                    1 - np.einsum("ij,ij->i", within, no_above) / (yes * (total - yes)),
                    np.einsum("ij,ij->i", within, precision) / yes,
                ]
            )


class _Runs:
    """Where runs of equal scores that hold a “yes” start and end: among all units, and among
    those with “yes” alone."""

    def __init__(self, scores: Floats, labels: NDArray[np.bool_]) -> None:
        new = np.flatnonzero(np.concatenate([[True], np.diff(scores) != 0])[: len(scores)])
        ends = np.append(new[1:], len(scores))
        counted = np.concatenate([[0], labels.cumsum()])
        held = counted[ends] > counted[new]
        self.starts, self.ends = new[held], ends[held]
        self.yes_ends = counted[self.ends]
        self.tied = bool((self.ends - self.starts > 1).any())

"""Means under resampling, and means over runs.

A number that has one value per response is summed per question, with the count; the mean of a draw
is the quotient of the weighted sums. So a response has the same weight whether its question has one
or several.

    mean over runs = Σ_r x_r / R        standard deviation = sqrt(Σ_r (x_r - mean)² / (R - 1))
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]


def means(summed: Floats) -> Floats:
    """Return the mean of each (sum, count) on the last axis; NaN where the count is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = summed[..., 0] / summed[..., 1]
    return result


@dataclass(frozen=True, slots=True)
class OverRuns:
    """A system's number over its runs (seeds): their number, mean and standard deviation."""

    runs: int
    mean: Figure
    deviation: Figure


def over_runs(figures: Sequence[Figure]) -> OverRuns:
    """Return mean and standard deviation over the runs that have a number."""
    known = [figure.value for figure in figures if figure.value is not None]
    if not known:
        reason = figures[0].reason if figures else "no run"
        return OverRuns(0, undefined(reason), undefined(reason))
    mean = Figure(float(np.mean(known)))
    if len(known) < 2:
        return OverRuns(1, mean, undefined("one run only"))
    return OverRuns(len(known), mean, Figure(float(np.std(known, ddof=1))))

"""A judge's answers against people's: confusion table, accuracy, precision, recall and F1.

    accuracy     = Σ_i n_ii / Σ_ij n_ij
    precision(v) = n_vv / Σ_i n_iv      of what the judge calls v, how much people call v
    recall(v)    = n_vv / Σ_j n_vj      of what people call v, how much the judge finds
    F1(v)        = 2 n_vv / (Σ_i n_iv + Σ_j n_vj)

with n_ij the units that people (majority, or another label) call i and the judge j. For a metric
of citations the value to be detected is the negative one: insufficient citation (recall “no”),
irrelevant citation (precision “no”); T. Gao, H. Yen, J. Yu and D. Chen (2023), Enabling large
language models to generate text with citations, section 6 and appendix E.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.alpha import Metric
from evaluation.statistics.cohen import NOTHING_SHARED, kappa
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Detection:
    """Precision, recall and F1 of a judge on the units that people gave one value."""

    value: str
    precision: Figure
    recall: Figure
    f1: Figure


@dataclass(frozen=True)
class Confusion:
    """People's answers in rows, the judge's in columns, in the order of `values`."""

    values: tuple[str, ...]
    table: Floats

    @property
    def units(self) -> int:
        return int(self.table.sum())

    @property
    def accuracy(self) -> Figure:
        if not self.units:
            return undefined(NOTHING_SHARED)
        return Figure(float(accuracies(self.table[None])[0]))

    def kappa(self, metric: Metric) -> Figure:
        """Cohen's kappa of people and judge."""
        return kappa(self.table, metric)

    def detection(self, value: str) -> Detection:
        """Return precision, recall and F1 of one value, usually the negative one."""
        place = self.values.index(value)
        result, called, true = (float(n) for n in _detected(self.table[None], place)[0])
        return Detection(
            value,
            Figure(result / called) if called else undefined(f"the judge never said “{value}”"),
            Figure(result / true) if true else undefined(f"people never said “{value}”"),
            Figure(2 * result / (called + true))
            if called + true
            else undefined(f"nobody said “{value}”"),
        )


def accuracies(summed: Floats) -> Floats:
    """Return the accuracy of each of several tables; NaN where a table is empty."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.trace(summed, axis1=1, axis2=2) / summed.sum(axis=(1, 2))
    return result


def precisions(summed: Floats, place: int) -> Floats:
    """Return the precision of the value at this place in each of several tables."""
    result, called, _ = _detected(summed, place).T
    return _share(result, called)


def recalls(summed: Floats, place: int) -> Floats:
    """Return the recall of the value at this place in each of several tables."""
    result, _, true = _detected(summed, place).T
    return _share(result, true)


def _detected(summed: Floats, place: int) -> Floats:
    """Return the units that both, the judge and people gave the value: a row for each table."""
    return np.column_stack(
        [
            summed[:, place, place],
            summed[:, :, place].sum(axis=1),
            summed[:, place, :].sum(axis=1),
        ]
    )


def _share(part: Floats, whole: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.where(whole > 0, part / whole, np.nan)
    return result

"""Labels from many votes, where better raters count more: the model of Dawid and Skene.

Every rater w has a table π_w(j, l), how often they say l where j is true; every value has a share
p_j. Expectation and maximisation take turns, starting from the shares of the votes:

    T_uj     = p_j Π_w π_w(j, y_uw) / Σ_k p_k Π_w π_w(k, y_uw)     the truth of unit u
    π_w(j,l) = Σ_u T_uj [y_uw = l] / Σ_u Σ_m T_uj [y_uw = m]
    p_j      = Σ_u T_uj / Σ_u Σ_k T_uk

A. P. Dawid and A. M. Skene (1979), Maximum likelihood estimation of observer error-rates using
the EM algorithm, Applied Statistics 28(1), 20-28. Computed by crowd-kit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.ratings import Key, Ratings

Floats = NDArray[np.float64]

ITERATIONS = 100
TOLERANCE = 1e-5


@dataclass(frozen=True, slots=True)
class EstimatedLabel:
    """The label of a unit with its probability by the model."""

    value: str
    probability: float


def signature() -> str:
    """Return the signature of this method."""
    library = version("crowd-kit")
    return f"dawid-skene|iterations:{ITERATIONS}|tolerance:{TOLERANCE:g}|crowd-kit:{library}"


def dawid_skene(ratings: Ratings, values: Sequence[str]) -> dict[Key, EstimatedLabel]:
    """Return the estimated label of every rated unit; of equally likely values the lower one.

    `values` go from low to high. Where all votes are the same value, that value is the label.
    """
    units, table = posteriors(ratings, values)
    return {
        unit: EstimatedLabel(values[column], min(1.0, float(table[row, column])))
        for row, (unit, column) in enumerate(zip(units, likeliest(table).tolist(), strict=True))
    }


def likeliest(table: Floats) -> NDArray[np.int64]:
    """Return the place of each unit's likeliest value, the first one of equals after rounding."""
    result: NDArray[np.int64] = table.round(9).argmax(axis=1)
    return result


def posteriors(ratings: Ratings, values: Sequence[str]) -> tuple[list[Key], Floats]:
    """Return the rated units, and the probability of each value: units × values."""
    units = [unit for unit, votes in ratings.items() if votes]
    given = {value for votes in ratings.values() for value in votes.values()}
    if len(given) < 2:
        result = np.zeros((len(units), len(values)))
        result[:, [values.index(value) for value in given]] = 1
        return units, result
    # Imported at use: pandas and scikit-learn take seconds that a web process need not spend.
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    workers: dict[Key, int] = {}
    rows = [
        (row, workers.setdefault(judge, len(workers)), value)
        for row, unit in enumerate(units)
        for judge, value in ratings[unit].items()
    ]
    votes = pd.DataFrame(rows, columns=["task", "worker", "label"])
    table = DawidSkene(n_iter=ITERATIONS, tol=TOLERANCE).fit_predict_proba(votes)
    table = table.reindex(columns=list(values), fill_value=0.0).loc[range(len(units))]
    return units, table.to_numpy()

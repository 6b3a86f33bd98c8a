"""One label out of many, where better raters count for more: the model of Dawid and Skene.

Every rater w has a table π_w(j, l), how often they say l where j is true; every value a share p_j.
Expectation and maximisation take turns, starting from the shares of the votes:

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
    """The label of a unit, and how probable the model takes it to be."""

    value: str
    probability: float


def signature() -> str:
    """What names this method wherever its labels are used."""
    library = version("crowd-kit")
    return f"dawid-skene|iterations:{ITERATIONS}|tolerance:{TOLERANCE:g}|crowd-kit:{library}"


def dawid_skene(ratings: Ratings, values: Sequence[str]) -> dict[Key, EstimatedLabel]:
    """The estimated label of every unit that was rated; the lower value where two are as likely.

    `values` run from low to high. Where the votes hold a single value, that value is the label.
    """
    units, table = posteriors(ratings, values)
    return {
        unit: EstimatedLabel(values[column], min(1.0, float(table[row, column])))
        for row, (unit, column) in enumerate(zip(units, likeliest(table).tolist(), strict=True))
    }


def likeliest(table: Floats) -> NDArray[np.int64]:
    """The place of each unit's likeliest value; rounded, so that which of two equally likely ones
    comes first is not left to the last bit."""
    found: NDArray[np.int64] = table.round(9).argmax(axis=1)
    return found


def posteriors(ratings: Ratings, values: Sequence[str]) -> tuple[list[Key], Floats]:
    """The units that were rated, and how probable each value is of each: units × values."""
    units = [unit for unit, votes in ratings.items() if votes]
    given = {value for votes in ratings.values() for value in votes.values()}
    if len(given) < 2:
        found = np.zeros((len(units), len(values)))
        found[:, [values.index(value) for value in given]] = 1
        return units, found
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

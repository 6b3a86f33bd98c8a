"""How often each value was given to each unit: what most coefficients of agreement start from."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.ratings import Ratings


def counts(ratings: Ratings, values: Sequence[str]) -> NDArray[np.int64]:
    """A row for each unit, a column for each value."""
    place = {value: column for column, value in enumerate(values)}
    table = np.zeros((len(ratings), len(values)), dtype=np.int64)
    for row, votes in enumerate(ratings.values()):
        for value in votes.values():
            table[row, place[value]] += 1
    return table

"""Which systems can be set against each other: those that share questions, directly or by others.

Two systems without a common question may differ by their questions alone. So systems fall into the
connected parts of the graph in which two are joined by a question that both answered, and nothing
is ranked across two of these.
"""

import numpy as np
from numpy.typing import NDArray


def groups(answered: NDArray[np.bool_]) -> list[list[int]]:
    """The columns (systems) that are joined by rows (questions) with an answer of both; a column
    without an answer is alone. Groups stand in the order of their first columns."""
    group = list(range(answered.shape[1]))

    def first(column: int) -> int:
        while group[column] != column:
            column = group[column]
        return column

    # Rows with the same answers join the same columns: there are few different ones.
    for row in np.unique(answered, axis=0):
        columns = np.flatnonzero(row).tolist()
        if columns:
            least = min(map(first, columns))
            for column in columns:
                group[first(column)] = least
    found: dict[int, list[int]] = {}
    for column in range(len(group)):
        found.setdefault(first(column), []).append(column)
    return list(found.values())

"""From the keys of a database to places in columns."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.data import Ints


class Places:
    """The places of database keys in the order in which they were read."""

    def __init__(self, keys: Sequence[int] | NDArray[np.int64]) -> None:
        given = np.asarray(keys, dtype=np.int64)
        self._order = np.argsort(given, kind="stable").astype(np.int32)
        self._sorted = given[self._order]

    def __len__(self) -> int:
        return len(self._sorted)

    def of(self, keys: Sequence[int] | NDArray[np.int64]) -> Ints:
        """The place of each key; -1 where it is unknown."""
        wanted = np.asarray(keys, dtype=np.int64)
        if not len(self._sorted):
            return np.full(len(wanted), -1, dtype=np.int32)
        at = np.searchsorted(self._sorted, wanted)
        at[at == len(self._sorted)] = 0
        return np.where(self._sorted[at] == wanted, self._order[at], -1).astype(np.int32)


def keys_of(keys: Iterable[int | None]) -> NDArray[np.int64]:
    """Keys, or numbers, as a column; -1 where there is none."""
    return np.array([-1 if key is None else key for key in keys], dtype=np.int64)

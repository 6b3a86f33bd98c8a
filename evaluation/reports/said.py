"""Number answers while a study is read: choices by their dimension, open answers by first use."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.protocol import Protocol

MOST_CHOICES = np.iinfo(np.int8).max


def places_of_values(known: Sequence[str], values: Sequence[str]) -> NDArray[Any]:
    """Return the place of each known value among `values`, or -1. The last entry is for missing
    answers (-1)."""
    place = {value: n for n, value in enumerate(values)}
    found = np.array([*(place.get(value, -1) for value in known), -1], dtype=np.int32)
    return found.astype(np.int8) if len(values) <= MOST_CHOICES else found


class ValuePlaces(dict[tuple[str, str], int]):
    """Places by dimension and answer; -1 for an invalid one."""

    def __init__(self, protocol: Protocol) -> None:
        super().__init__(
            ((key, value), place)
            for key, dimension in protocol.items()
            if dimension.is_choice
            for place, value in enumerate(dimension.values)
        )
        self._open = frozenset(key for key, one in protocol.items() if not one.is_choice)
        self._said: dict[str, list[str]] = {}

    def __missing__(self, pair: tuple[str, str]) -> int:
        key, value = pair
        if key in self._open and value:
            of_key = self._said.setdefault(key, [])
            self[pair] = len(of_key)
            of_key.append(value)
        else:
            self[pair] = -1
        return self[pair]

    def column(
        self, dimensions: Sequence[str], values: Sequence[str]
    ) -> NDArray[np.signedinteger[Any]]:
        """Return the places of some rows."""
        places = [*map(self.__getitem__, zip(dimensions, values, strict=True))]
        return np.array(places, dtype=self.width)

    @property
    def width(self) -> type[np.int8] | type[np.int32]:
        """Return a type for the places: choices are few."""
        return np.int32 if self._said else np.int8

    @property
    def said(self) -> dict[str, tuple[str, ...]]:
        """Return the open answers by dimension, as in `ReportData.said`."""
        return {key: tuple(values) for key, values in self._said.items()}

"""What never changes under its key, made once in a process and kept while it is used."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Remembered(Generic[Value]):
    """What was used last, as much as weighs no more than `most`; `weigh` says what one weighs."""

    def __init__(self, most: int, weigh: Callable[[Value], int]) -> None:
        self._most, self._weigh, self._weight = most, weigh, 0
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = Lock()

    def of(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """What is kept under this key, or what `make` makes, which is kept then."""
        with self._lock:
            found = self._values.get(key)
            if found is not None:
                self._values.move_to_end(key)
                return found
        made = make()
        with self._lock:
            if key not in self._values:
                self._values[key] = made
                self._weight += self._weigh(made)
            while self._weight > self._most:
                self._weight -= self._weigh(self._values.popitem(last=False)[1])
        return made

"""How many calls of a server one part of the work may have under way."""

import time
from collections.abc import Callable

STEP = 1.0
"""Seconds between two looks at how many parts ask the server."""


class Pacer:
    """A part's share of the `at_once` calls that all parts may have under way; one at least."""

    def __init__(self, at_once: int, parts: Callable[[], int] = lambda: 1) -> None:
        self.most = max(1, at_once)
        self.sharing = 1
        """How many parts ask the server now."""

        self._parts = parts
        self._looked = float("-inf")

    def allowed(self) -> int:
        """Return how many calls may be under way now."""
        now = time.monotonic()
        if now - self._looked >= STEP:
            self._looked = now
            self.sharing = max(1, self._parts())
        return max(1, self.most // self.sharing)

"""How many calls a server is asked at a time: fewer where it says that it is busy, then more.

All who ask one server share what it is asked at a time, and one standing, whatever process they are
in: a server that refuses one of them halves what all of them ask together, at most once in a
second, and is left alone for as long as it says. For each second without a refusal all together ask
one more. (Additive increase, multiplicative decrease, as networks share a line.)
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

STEP = 1.0
"""Seconds between two changes; what was refused within one of them is one refusal."""

LONE = 4.0
"""Seconds for which a server is left alone at least that is asked one thing at a time."""

LONGEST_QUIET = 120.0
"""Seconds for which a server is left alone at most, whatever it says."""


@dataclass(frozen=True, slots=True)
class SharedPace:
    """How many may be asked at a time by all together, since when, and until when nobody asks.
    Times are seconds of the clock that all share."""

    at_once: float
    changed: float
    quiet_until: float = 0.0

    def refused(self, now: float, after: float) -> "SharedPace":
        """A server said that it is busy, and to come back after so many seconds."""
        least = STEP if self.at_once > 1 else LONE
        quiet = max(self.quiet_until, now + min(max(after, least), LONGEST_QUIET))
        if now - self.changed < STEP:
            return replace(self, quiet_until=quiet)
        return SharedPace(max(1.0, self.at_once / 2), now, quiet)

    def answered(self, now: float, most: float) -> "SharedPace":
        """It answers: one more for each second that nobody refused, up to `most`."""
        since = now - max(self.changed, self.quiet_until)
        if since < STEP:
            return self
        return replace(self, at_once=min(most, self.at_once + since), changed=now)


class Shared(Protocol):
    """Where the standing of a server is kept for all who ask it."""

    def read(self) -> tuple[SharedPace | None, int]:
        """How it stands, if it ever was busy; how many share it."""
        ...

    def change(self, change: Callable[[SharedPace | None], SharedPace]) -> None:
        """Put another one in its place, with nobody else doing so meanwhile."""
        ...


class Alone:
    """Kept here, for one who asks alone."""

    def __init__(self) -> None:
        self._standing: SharedPace | None = None

    def read(self) -> tuple[SharedPace | None, int]:
        return self._standing, 1

    def change(self, change: Callable[[SharedPace | None], SharedPace]) -> None:
        self._standing = change(self._standing)


class Pacer:
    """How many of a server's calls one part of the work may have under way now: of `at_once`, which
    is for all parts together, its share; one at least."""

    def __init__(
        self, at_once: int, shared: Shared | None = None, *, clock: Callable[[], float] = time.time
    ) -> None:
        self.most = max(1, at_once)
        self.sharing = 1
        """How many parts ask the server now."""

        self._shared: Shared = Alone() if shared is None else shared
        self._clock = clock
        self._looked = float("-inf")
        self._now = self.most
        self._refused: float | None = None
        self._answers = False
        self._noting = threading.Lock()

    def refused(self, after: float) -> None:
        """Some thread's call was put off for so many seconds."""
        with self._noting:
            self._refused = max(after, self._refused or 0.0)

    def answered(self) -> None:
        """Calls were answered."""
        self._answers = True

    def allowed(self) -> int:
        """How many may be under way; none while the server is left alone. Asked by whoever holds
        the database: threads only note."""
        now = self._clock()
        with self._noting:
            refused, self._refused = self._refused, None
        if refused is None and now - self._looked < STEP:
            return self._now
        most = float(self.most)
        standing, self.sharing = self._shared.read()
        if refused is not None:
            after = refused
            self._shared.change(
                lambda found: (found or SharedPace(most, 0.0)).refused(self._clock(), after)
            )
            standing, self.sharing = self._shared.read()
        elif standing is not None and self._answers and standing.at_once < most:
            self._shared.change(
                lambda found: (found or SharedPace(most, 0.0)).answered(self._clock(), most)
            )
            standing, self.sharing = self._shared.read()
        self._answers = False
        self._looked = now
        if standing is not None and standing.quiet_until > now:
            self._now = 0
        else:
            together = most if standing is None else min(most, standing.at_once)
            self._now = max(1, int(together / max(1, self.sharing)))
        return self._now

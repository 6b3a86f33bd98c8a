"""Waiting for other machines, and for how long: somebody looks meanwhile whether to go on.

Whoever has calls made says what is looked at (`looking`); all that waits here looks again and
again, and is broken off where that raises. So nobody waits for a silent machine longer than he
wants to, whatever its calls may take.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

EVERY = 0.5
"""Seconds between two looks."""

Look = Callable[[], object]


class BrokenOff(BaseException):
    """What was looked at raised something. It passes through those who expect faults of a call."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


_look: ContextVar[Look] = ContextVar("look", default=lambda: None)


@contextmanager
def looking(look: Look, *, every: float = 0) -> Iterator[None]:
    """Whatever waits in here looks again and again, at most once in so many seconds; what the look
    raises ends all of it."""
    looked = time.monotonic()

    def now_and_then() -> None:
        nonlocal looked
        if time.monotonic() - looked >= every:
            looked = time.monotonic()
            look()

    before = _look.set(now_and_then)
    try:
        yield
    except BrokenOff as end:
        raise end.cause from None
    finally:
        _look.reset(before)


def look() -> None:
    """Look once."""
    try:
        _look.get()()
    except Exception as cause:
        raise BrokenOff(cause) from cause


def wait(seconds: float) -> None:
    """Let some time pass."""
    ends = time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        look()
        time.sleep(min(EVERY, left))

"""Waiting for other machines, with a regular check whether the result is still wanted.

The caller sets the check (`looking`). All waiting in this package runs it regularly and stops if it
raises. Nobody therefore waits longer for a silent machine than wanted.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

EVERY = 0.5
"""Seconds between two checks."""

Look = Callable[[], object]


class BrokenOff(BaseException):
    """The check raised something. Not an Exception, so that callers' handlers let it pass."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


_look: ContextVar[Look] = ContextVar("look", default=lambda: None)


@contextmanager
def looking(look: Look, *, every: float = 0) -> Iterator[None]:
    """Check regularly while something in the block waits, at most once in `every` seconds.

    An exception of the check ends the block.
    """
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
    """Run the check now."""
    try:
        _look.get()()
    except Exception as cause:
        raise BrokenOff(cause) from cause


def wait(seconds: float) -> None:
    """Sleep, with regular checks."""
    ends = time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        look()
        time.sleep(min(EVERY, left))

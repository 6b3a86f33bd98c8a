"""Rate limits that all web processes share, on Django's cache.

The cache keeps the times of the tries that count. A lock in the cache makes many tries at once no
more than the limit allows.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256

from django.core.cache import cache

LOCK_SECONDS = 10
LOCK_WAIT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `tries` within `seconds`."""

    tries: int
    seconds: int


@dataclass(frozen=True, slots=True)
class CountedTry:
    """A try that was counted under a limit."""

    key: str
    at: float
    seconds: int


def count_try(name: str, who: str, *limits: Limit) -> list[CountedTry] | None:
    """Count a try under each limit. Return None where a limit is reached."""
    counted = []
    for limit in limits:
        digest = sha256(who.encode()).hexdigest()
        key = f"limit:{name}:{limit.tries}:{limit.seconds}:{digest}"
        now = time.time()
        with _locked(key) as is_ours:
            times = [at for at in cache.get(key, ()) if at > now - limit.seconds]
            if not is_ours or len(times) >= limit.tries:
                return None
            cache.set(key, [*times, now], limit.seconds)
        counted.append(CountedTry(key, now, limit.seconds))
    return counted


def give_back(tries: list[CountedTry]) -> None:
    """Do not count these tries."""
    for one in tries:
        with _locked(one.key) as is_ours:
            if is_ours:
                times = [at for at in cache.get(one.key, ()) if at != one.at]
                cache.set(one.key, times, one.seconds)


@contextmanager
def _locked(key: str) -> Iterator[bool]:
    """Hold a lock, or yield False where others hold it for too long."""
    lock, deadline = f"{key}:lock", time.monotonic() + LOCK_WAIT_SECONDS
    while not cache.add(lock, value=True, timeout=LOCK_SECONDS):
        if time.monotonic() > deadline:
            yield False
            return
        time.sleep(0.02)
    try:
        yield True
    finally:
        cache.delete(lock)

"""Rate limits that all web processes share, and the network address of a visitor.

Django's cache keeps the times of the counted tries. A lock in the cache keeps simultaneous tries
within the limit.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

LOCK_SECONDS = 10
LOCK_WAIT_SECONDS = 1.0


def address_of(request: HttpRequest) -> IPv4Address | IPv6Address | None:
    """Return the visitor's address, or None if it is unknown.

    Behind a proxy, it is the last address that the proxy added. Without a proxy, headers are
    ignored, because a visitor can write anything there.
    """
    text = str(request.META.get("REMOTE_ADDR", ""))
    if settings.SECURE_PROXY_SSL_HEADER:
        text = request.headers.get("X-Forwarded-For", "").split(",")[-1]
    try:
        address = ip_address(text.strip())
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def network_of(request: HttpRequest) -> str:
    """Return the visitor's address, its network for IPv6, or "" if it is unknown."""
    address = address_of(request)
    if address is None:
        return ""
    return str(ip_network(f"{address}/64", strict=False) if address.version == 6 else address)


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
    """Remove tries from the count."""
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

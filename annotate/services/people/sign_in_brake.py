"""A brake on guessing passwords, the same for all web processes since the database keeps it.

After some wrong passwords further tries are refused for a while, the right password included, and
each wrong one after that doubles the while. Names that no account has are treated alike, so that
the brake does not tell which accounts exist.
"""

from datetime import datetime, timedelta
from hashlib import blake2b
from ipaddress import ip_address, ip_network

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from annotate.models import SignInFailure

FREE_BY_NAME = 5
FREE_BY_ADDRESS = 50
FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(minutes=15)
WINDOW = timedelta(minutes=15)
"""Wrong passwords are forgotten after so long without another, counted from the wait's end."""


def wait_before(request: HttpRequest, name: str) -> timedelta:
    """How long this visitor must wait before the next try with this account name."""
    rows = SignInFailure.objects.filter(key__in=_keys(request, name))
    until = [moment for moment in rows.values_list("blocked_until", flat=True) if moment]
    return max([moment - timezone.now() for moment in until], default=timedelta(0))


def note_failure(request: HttpRequest, name: str) -> None:
    """Count a wrong password, and forget those of long ago."""
    now = timezone.now()
    SignInFailure.objects.filter(last_at__lt=now - WINDOW - LONGEST_WAIT).delete()
    for key, free in _keys(request, name).items():
        _count(key, free, now)


def note_success(name: str) -> None:
    """The right password ends the count of its name; that of the address goes on, so that nobody
    clears it by signing in to an account of their own."""
    SignInFailure.objects.filter(key=_key("name", name)).delete()


def _count(key: str, free: int, now: datetime) -> None:
    with transaction.atomic():
        row, _ = SignInFailure.objects.select_for_update().get_or_create(key=key)
        if now - max(row.last_at, row.blocked_until or row.last_at) > WINDOW:
            row.count = 0
        row.count += 1
        row.last_at = now
        row.blocked_until = now + _wait(row.count - free) if row.count >= free else None
        row.save()


def _wait(more: int) -> timedelta:
    """The wait after so many wrong passwords beyond those that are free."""
    return min(LONGEST_WAIT, FIRST_WAIT * (1 << min(more, 10)))


def _keys(request: HttpRequest, name: str) -> dict[str, int]:
    """What is counted, with the number of wrong passwords after which the brake acts."""
    keys = {_key("name", name): FREE_BY_NAME}
    address = _address(request)
    if address:
        keys[_key("address", address)] = FREE_BY_ADDRESS
    return keys


def _key(kind: str, text: str) -> str:
    """A digest: people type passwords into the field for the name."""
    return blake2b(f"{kind}:{text.strip().casefold()}".encode(), digest_size=32).hexdigest()


def _address(request: HttpRequest) -> str:
    """The visitor's address, or its network where one visitor has a whole one (IPv6).

    Behind a proxy that is the last address that the proxy added; it is never taken from a header
    where there is no proxy, since a visitor can write anything there.
    """
    found = str(request.META.get("REMOTE_ADDR", ""))
    if settings.SECURE_PROXY_SSL_HEADER:
        found = request.headers.get("X-Forwarded-For", "").split(",")[-1]
    try:
        address = ip_address(found.strip())
        address = getattr(address, "ipv4_mapped", None) or address
    except ValueError:
        return ""
    return str(ip_network(f"{address}/64", strict=False) if address.version == 6 else address)

"""The network address of a visitor."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest


def address_of(request: HttpRequest) -> IPv4Address | IPv6Address | None:
    """The visitor's address, where it is known.

    Behind a proxy that is the last address that the proxy added; it is never taken from a header
    where there is no proxy, since a visitor can write anything there.
    """
    found = str(request.META.get("REMOTE_ADDR", ""))
    if settings.SECURE_PROXY_SSL_HEADER:
        found = request.headers.get("X-Forwarded-For", "").split(",")[-1]
    try:
        address = ip_address(found.strip())
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def network_of(request: HttpRequest) -> str:
    """The visitor's address, or its network where one visitor has a whole one (IPv6); empty where
    it is unknown."""
    address = address_of(request)
    if address is None:
        return ""
    return str(ip_network(f"{address}/64", strict=False) if address.version == 6 else address)

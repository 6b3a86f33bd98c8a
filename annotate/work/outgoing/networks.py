"""Which addresses are valid, and which may be called."""

from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final
from urllib.parse import urlsplit


def address_fault(url: str, instead: str = "") -> str:
    """Return what is wrong with an address, or nothing. `instead` says where a key belongs."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 raises for a port that is no number
        whole = bool(parts.hostname) and parts.scheme in ("http", "https")
    except ValueError:
        whole = False
    if not whole or not url.isascii() or not url.isprintable() or " " in url:
        return (
            f"“{url}” is not an address. It must begin with http:// or https://, with "
            "characters other than ASCII written as %…."
        )
    if parts.username or parts.password:
        then = f" and {instead} instead" if instead else ""
        return f"Leave the name and password out of the address{then}."
    return ""


Networks = tuple[IPv4Network | IPv6Network, ...]

EVERYWHERE: Final[Networks] = (ip_network("0.0.0.0/0"), ip_network("::/0"))

_UNICAST: Final = IPv6Network("2000::/3")
"""All public IPv6 addresses. Local, mapped, translated (NAT64) and multicast ones are outside."""

_KEPT: Final = (
    IPv6Network("2001::/23"),  # for protocols; Teredo among them, which carries IPv4
    IPv6Network("2001:db8::/32"),  # for examples
    IPv6Network("2002::/16"),  # 6to4, which carries IPv4
    IPv6Network("3fff::/20"),  # for examples
    IPv4Network("192.0.0.0/24"),  # for protocols
    IPv4Network("192.88.99.0/24"),  # relays of 6to4
    IPv4Network("168.63.129.16/32"),  # Azure's own, in each of its networks
)


def may_be_called(address: str, allowed: Networks = (), *, here: bool = False) -> bool:
    """Whether an address is public or in an allowed network.

    An address of this machine (`here`) must be allowed.
    """
    found = ip_address(address)
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped  # the system calls the IPv4 address
    return (_is_public(found) and not here) or any(found in network for network in allowed)


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if any(address in network for network in _KEPT):
        return False
    if isinstance(address, IPv6Address):
        # An interface's identifier after ISATAP carries an IPv4 address in its last half.
        isatap = address.packed[8:12] in (b"\0\0\x5e\xfe", b"\x02\0\x5e\xfe")
        return address in _UNICAST and address.is_global and not isatap
    return address.is_global and not address.is_multicast and not address.is_reserved

"""Which addresses may be called: those that are public, and the networks that were allowed."""

from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final

Networks = tuple[IPv4Network | IPv6Network, ...]

EVERYWHERE: Final[Networks] = (ip_network("0.0.0.0/0"), ip_network("::/0"))

_UNICAST: Final = IPv6Network("2000::/3")
"""All of IPv6 that is public lies in it; local, mapped, translated (NAT64) and multicast do not."""

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
    """Whether an address, as a name leads to it, is public or in a network that is allowed; one of
    this machine itself (`here`) must be allowed."""
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

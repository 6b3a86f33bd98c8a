"""Addresses inside the network, in all the ways in which they can be written."""

from ipaddress import ip_network

from annotate.work.outgoing import EVERYWHERE, may_be_called

INNER = [
    "127.0.0.1", "127.255.0.9", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255",
    "192.168.1.1", "169.254.169.254", "168.63.129.16", "100.64.0.1", "192.0.0.1", "192.0.0.170",
    "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.51.100.7", "203.0.113.7", "224.0.0.1",
    "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b:1::a00:1",
    "2002:7f00:1::", "2002:a00:1::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:db8::1",
    "2001:10::1", "3fff::1", "100::1", "5f00::1", "2a00::5efe:10.0.0.1", "2a00::200:5efe:7f00:1",
]  # fmt: skip
PUBLIC = ["8.8.8.8", "93.184.215.14", "2606:4700::1111", "2a00:1450:4001:830::200e",
          "::ffff:8.8.8.8"]  # fmt: skip


def test_only_public_addresses_are_called():
    assert [address for address in INNER if may_be_called(address)] == []
    assert [address for address in PUBLIC if not may_be_called(address)] == []
    assert all(may_be_called(address, EVERYWHERE) for address in (*INNER, *PUBLIC))


def test_an_allowed_network_is_called_and_no_other():
    allowed = (ip_network("10.1.0.0/16"), ip_network("fd00::/8"))
    for address in ("10.1.2.3", "::ffff:10.1.2.3", "fd12::1"):
        assert may_be_called(address, allowed)
    for address in ("10.2.0.1", "127.0.0.1", "64:ff9b::10.1.2.3", "fe80::1"):
        assert not may_be_called(address, allowed)

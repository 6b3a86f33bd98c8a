import pytest

from config.environment import SettingError
from config.management.commands.serve import demo_wanted
from config.serving import address
from config.serving.address import Address
from tests.cases import each


@each("host", ["localhost", "127.0.0.1", "127.8.0.3", "::1"])
@each("other", ["0.0.0.0", "::", "192.0.2.7", "attest.example.org"])
def test_only_this_machine_is_a_loopback(host, other):
    assert Address(host, 8000).is_loopback
    assert not Address(other, 8000).is_loopback


@each(
    ("host", "bind", "url"),
    [
        ("127.0.0.1", "127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("::1", "[::1]:8000", "http://[::1]:8000"),
        ("0.0.0.0", "0.0.0.0:8000", "http://127.0.0.1:8000"),
        ("::", "[::]:8000", "http://[::1]:8000"),
    ],
)
def test_address_is_written_as_bind_and_url(host, bind, url):
    assert Address(host, 8000).bind == bind
    assert Address(host, 8000).url == url


def test_the_address_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("HOST", "[::1]")
    monkeypatch.setenv("PORT", "9000")
    assert address.chosen() == Address("::1", 9000)


def test_others_are_let_in_once_the_hosts_are_named(monkeypatch):
    open_to_all = Address("0.0.0.0", 8000)
    monkeypatch.delenv("ALLOWED_HOSTS", raising=False)
    with pytest.raises(SettingError, match=r"HOST: 0\.0\.0\.0 lets other machines in"):
        address.refuse_unsafe(open_to_all, production=False)
    monkeypatch.setenv("ALLOWED_HOSTS", "attest.example.org")
    address.refuse_unsafe(open_to_all, production=False)


def test_an_address_of_another_machine_is_refused():
    with pytest.raises(SettingError, match=r"HOST: 192\.0\.2\.7 is not an address of this machine"):
        address.refuse_taken(Address("192.0.2.7", 8000))


@each(
    ("host", "asked", "production", "shown"),
    [
        ("127.0.0.1", "", False, True),
        ("127.0.0.1", "0", False, False),
        ("0.0.0.0", "", False, False),
        ("0.0.0.0", "1", False, True),
        ("127.0.0.1", "1", True, False),
    ],
)
def test_demo_is_shown_locally_or_on_request(monkeypatch, settings, host, asked, production, shown):
    monkeypatch.setenv("ATTEST_DEMO", asked)
    settings.PRODUCTION = production
    assert demo_wanted(Address(host, 8000)) is shown

"""After some wrong passwords, further tries wait, for longer and longer."""

from datetime import timedelta

import pytest
from django.contrib.auth import SESSION_KEY
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.models import SignInFailure
from annotate.services.people import sign_in_brake
from tests.conftest import PASSWORD

BRAKED = "Too many wrong passwords."


@pytest.fixture
def clock(monkeypatch):
    """A clock that tests move on: `clock(seconds)`."""
    moment = [timezone.now()]
    monkeypatch.setattr(timezone, "now", lambda: moment[0])

    def forward(seconds):
        moment[0] += timedelta(seconds=seconds)

    return forward


def attempt(name="alice", password="wrong", client=None, **headers):
    """What a try says, or nothing where it signs in."""
    client = client or Client()
    page = client.post(
        reverse("sign-in"), {"username": name, "password": password}, headers=headers
    )
    if page.status_code == 302:
        assert SESSION_KEY in client.session
        return ""
    return page.content.decode()


def fail(times, name="alice"):
    for _ in range(times):
        assert "No account has this name and password." in attempt(name)


def test_four_wrong_passwords_are_free(alice, clock):
    fail(4)
    assert attempt(password=PASSWORD) == ""
    fail(4)
    assert attempt(password=PASSWORD) == "", "the right one ended the count"


def test_after_five_the_right_password_waits_too(alice, clock):
    fail(5)
    page = attempt(password=PASSWORD)
    assert f"{BRAKED} Wait 30 seconds and try again." in page
    clock(29)
    assert "Wait 1 second and" in attempt(password=PASSWORD)
    clock(2)
    assert attempt(password=PASSWORD) == ""
    assert SignInFailure.objects.count() == 1, "that of the address goes on"


def test_the_wait_doubles_up_to_a_quarter_of_an_hour(alice, clock):
    fail(5)
    for wait in (30, 60, 120, 240, 480, 900, 900):
        clock(wait - 1)
        assert BRAKED in attempt()
        clock(2)
        fail(1)
    assert "Wait 15 minutes and" in attempt()


def test_tries_that_are_refused_do_not_count(alice, clock):
    fail(5)
    for _ in range(20):
        assert BRAKED in attempt()
    clock(31)
    assert attempt(password=PASSWORD) == ""


def test_old_failures_are_forgotten(alice, clock):
    fail(4)
    clock(15 * 60 + 1)
    fail(4)
    assert attempt(password=PASSWORD) == ""


def test_old_rows_are_deleted(alice, clock):
    fail(1, "somebody")
    clock(31 * 60)
    fail(1, "alice")
    assert SignInFailure.objects.count() == 2, "alice's and the address's"


def test_a_name_is_the_same_in_any_case(alice, clock):
    for name in ("alice", "ALICE", "Alice", " alice ", "aLICE"):
        fail(1, name)
    assert BRAKED in attempt(password=PASSWORD)


def test_others_sign_in_meanwhile(alice, bob, clock):
    fail(5)
    assert attempt("bob", PASSWORD) == ""


def test_unknown_names_are_braked_alike(alice, clock):
    fail(5, "nobody")
    assert f"{BRAKED} Wait 30 seconds" in attempt("nobody")


def test_an_address_that_tries_many_names(alice, clock):
    for number in range(50):
        fail(1, f"person-{number}")
    assert BRAKED in attempt(password=PASSWORD)
    elsewhere = Client(REMOTE_ADDR="198.51.100.7")
    assert attempt(password=PASSWORD, client=elsewhere) == ""
    clock(31)
    assert attempt(password=PASSWORD) == ""
    fail(1, "somebody-else")
    assert BRAKED in attempt(password=PASSWORD), "the count goes on"


def test_a_visitor_cannot_claim_another_address(alice, clock):
    forged = {"X-Forwarded-For": "203.0.113.9"}
    attempt("somebody", **forged)
    plain = sign_in_brake._key("address", "127.0.0.1")
    assert SignInFailure.objects.filter(key=plain).exists()


@pytest.mark.parametrize(
    ("forwarded", "counted"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("1.1.1.1, 203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("unknown", None),
        ("", None),
    ],
)
def test_behind_a_proxy_its_last_address_counts(alice, clock, settings, forwarded, counted):
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    attempt("somebody", **{"X-Forwarded-For": forwarded})
    keys = set(SignInFailure.objects.values_list("key", flat=True))
    expected = {sign_in_brake._key("name", "somebody")}
    if counted:
        expected.add(sign_in_brake._key("address", counted))
    assert keys == expected


def test_what_was_typed_is_not_stored(alice, clock):
    attempt("my secret typed in the wrong field")
    assert "secret" not in str(list(SignInFailure.objects.values_list("key", flat=True)))


def test_programs_are_not_braked(client, alice, clock):
    for _ in range(60):
        headers = {"authorization": "Bearer attest_x"}
        assert client.get(reverse("api-studies"), headers=headers).status_code == 401
    assert not SignInFailure.objects.exists()

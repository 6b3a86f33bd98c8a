"""Guessing passwords and codes: five tries a place, and the owner gets in meanwhile."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import requests
from allauth.mfa.models import Authenticator
from django.contrib.auth import SESSION_KEY
from django.test import Client
from django.urls import reverse
from requests.adapters import HTTPAdapter
from urllib3 import Retry

from annotate.models import SharedCount
from annotate.people.second_factor import SEALED_FOR
from annotate.web.sealing import sealed
from tests.conftest import PASSWORD, person

WRONG = "No account has this name and password."
BRAKED = "Too many wrong passwords or codes."
MANY = 60


def attempt(name="alice", password="wrong", client=None, **headers):
    """What a try says, or nothing where it signs in."""
    client = client or Client()
    page = client.post(
        reverse("account_login"), {"login": name, "password": password}, headers=headers
    )
    if page.status_code == 302:
        assert SESSION_KEY in client.session
        client.post(reverse("account_logout"))
        return ""
    return page.content.decode()


def at(address):
    return Client(REMOTE_ADDR=address)


def fail(times, name="alice", client=None):
    for _ in range(times):
        assert WRONG in attempt(name, client=client)


@pytest.fixture
def clock(monkeypatch):
    """The time as the limits see it: `clock(minutes)` moves it on."""
    moment = [1_800_000_000.0]
    monkeypatch.setattr("annotate.people.rate_limits.time.time", lambda: moment[0])

    def forward(minutes):
        moment[0] += timedelta(minutes=minutes).total_seconds()

    return forward


def test_after_five_wrong_passwords_a_place_waits(alice, clock):
    fail(5)
    assert BRAKED in attempt()
    assert BRAKED in attempt(password=PASSWORD), "the right one does not show"
    clock(6)
    assert attempt(password=PASSWORD) == ""


def test_who_goes_on_waits_longer(alice, clock):
    for _ in range(6):
        fail(5)
        clock(6)
    assert BRAKED in attempt(password=PASSWORD), "thirty an hour"
    clock(60)
    assert attempt(password=PASSWORD) == ""


def test_the_owner_signs_in_elsewhere_meanwhile(alice):
    fail(5, client=at("198.51.100.1"))
    assert BRAKED in attempt(client=at("198.51.100.1"))
    assert attempt(password=PASSWORD, client=at("198.51.100.2")) == ""


def test_the_owner_signs_in_at_the_same_address_in_a_known_browser(alice):
    known = Client()
    assert attempt(password=PASSWORD, client=known) == ""
    fail(5)
    assert BRAKED in attempt(password=PASSWORD)
    assert attempt(password=PASSWORD, client=known) == ""


def test_many_addresses_on_one_account_do_not_shut_out_a_known_browser(alice):
    known = at("192.0.2.1")
    assert attempt(password=PASSWORD, client=known) == ""
    for number in range(50):
        fail(1, client=at(f"198.51.100.{number}"))
    assert BRAKED in attempt(client=at("203.0.113.9"))
    assert attempt(password=PASSWORD, client=known) == ""


def test_a_known_browser_has_five_tries_too(alice):
    known = Client()
    assert attempt(password=PASSWORD, client=known) == ""
    fail(5, client=known)
    assert BRAKED in attempt(password=PASSWORD, client=known)


def test_ones_own_browser_is_not_known_to_another_account(alice, bob):
    guesser = Client()
    assert attempt("bob", PASSWORD, client=guesser) == ""
    fail(5, client=guesser)
    assert BRAKED in attempt(client=guesser)
    forged = Client()
    forged.cookies["attest_known"] = f"{guesser.cookies['attest_known'].value}x"
    assert BRAKED in attempt(client=forged)


def test_one_address_on_many_accounts(alice):
    for number in range(50):
        fail(1, f"person-{number}")
    assert BRAKED in attempt("somebody-else")
    assert attempt(password=PASSWORD, client=at("198.51.100.7")) == ""


@pytest.mark.parametrize("others", ["alice@example.org", "ALICE", " alice ", "Alice@Example.ORG"])
def test_two_names_of_an_account_are_no_two_chances(alice, others):
    fail(5)
    assert BRAKED in attempt(others)


def test_names_without_an_account_are_treated_alike(db):
    fail(5, "nobody")
    assert BRAKED in attempt("nobody")
    assert BRAKED in attempt(" NOBODY ")


def test_right_passwords_are_not_counted(alice):
    """A class behind one address, all signing in at once."""
    people = [person(f"pupil-{number}") for number in range(30)]
    for one in people:
        assert attempt(one.username, PASSWORD) == ""
    fail(4)
    for _ in range(20):
        assert attempt(password=PASSWORD) == ""


def test_a_visitor_cannot_claim_another_address(alice):
    for number in range(5):
        attempt(**{"X-Forwarded-For": f"203.0.113.{number}"})
    assert BRAKED in attempt(**{"X-Forwarded-For": "203.0.113.9"})


@pytest.mark.parametrize(
    ("first", "second", "are_one"),
    [
        ("203.0.113.9", "203.0.113.9", True),
        ("203.0.113.9", "203.0.113.8", False),
        ("1.1.1.1, 203.0.113.9", "2.2.2.2, 203.0.113.9", True),
        ("::ffff:203.0.113.9", "203.0.113.9", True),
        ("::ffff:203.0.113.9", "::ffff:203.0.113.8", False),
        ("unknown", "", True),
    ],
)
def test_behind_a_proxy_its_last_address_counts(alice, settings, first, second, are_one):
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    for _ in range(5):
        attempt(**{"X-Forwarded-For": first})
    assert (BRAKED in attempt(**{"X-Forwarded-For": second})) == are_one


def test_nothing_that_was_typed_is_kept(alice):
    attempt("my secret typed in the wrong field", **{"User-Agent": "Strange/1.0"})
    kept = str(list(SharedCount.objects.values_list()))
    assert kept.count("expires") == 0
    for private in ("secret", "127.0.0.1", "Strange", "bXkgc2VjcmV0"):
        assert private not in kept
    assert SharedCount.objects.exists()


def test_the_present_password_is_guessed_no_better(alice):
    client = Client()
    client.force_login(alice)
    for _ in range(5):
        client.post(reverse("account_reauthenticate"), {"password": "wrong"})
    page = client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    assert BRAKED in page.content.decode()


def patient() -> requests.Session:
    """A browser that knocks again: the server of a test lets few wait at its door."""
    browser = requests.Session()
    retry = Retry(4, backoff_factor=0.2, allowed_methods=None)
    browser.mount("http://", HTTPAdapter(max_retries=retry))
    return browser


def at_once(url, password, **headers):
    """One try of many, with a browser of its own."""
    browser = patient()
    address = f"{url}{reverse('account_login')}"
    browser.get(address)
    sent = {
        "login": "alice",
        "password": password,
        "csrfmiddlewaretoken": browser.cookies["csrftoken"],
    }
    answer = browser.post(address, sent, headers=headers, allow_redirects=False)
    return answer.status_code, answer.text


@pytest.mark.postgresql
def test_sixty_at_once_are_five(transactional_db, live_server):
    alice = person("alice")
    known = Client()
    assert attempt(password=PASSWORD, client=known) == ""
    with ThreadPoolExecutor(MANY) as pool:
        answers = list(pool.map(lambda n: at_once(live_server.url, f"guess {n}"), range(MANY)))
    assert {status for status, _ in answers} == {200}
    passed = [text for _, text in answers if WRONG in text]
    assert 1 <= len(passed) <= 5
    assert sum(BRAKED in text for _, text in answers) == MANY - len(passed)
    assert attempt(password=PASSWORD, client=known) == "", "the owner, in a browser of theirs"
    elsewhere = at("198.51.100.2")
    assert attempt(password=PASSWORD, client=elsewhere) == "", "the owner, elsewhere"
    alice.refresh_from_db()
    assert alice.is_active


@pytest.mark.postgresql
def test_the_right_one_among_sixty_at_once(transactional_db, live_server):
    """Whoever has the right password among many tries has five as everybody."""
    person("alice")
    words = [PASSWORD if number == MANY - 1 else f"guess {number}" for number in range(MANY)]
    with ThreadPoolExecutor(MANY) as pool:
        answers = list(pool.map(lambda word: at_once(live_server.url, word), words))
    looked_at = [text for status, text in answers if status == 302 or WRONG in text]
    assert len(looked_at) <= 6, "a right one is given back"


@pytest.mark.postgresql
def test_sixty_codes_at_once_are_five(transactional_db, live_server):
    """Whoever has the password guesses the second factor no better, in one browser's session."""
    alice = person("alice")
    Authenticator.objects.create(
        user=alice,
        type="totp",
        data={"secret": sealed("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", SEALED_FOR)},
    )
    browser = Client()
    browser.post(reverse("account_login"), {"login": "alice", "password": PASSWORD})
    cookies = {name: one.value for name, one in browser.cookies.items()}
    address = f"{live_server.url}{reverse('mfa_authenticate')}"

    def guess(number):
        token = "x" * 32
        sent = {"code": f"{number:06}", "csrfmiddlewaretoken": token}
        return (
            patient()
            .post(address, sent, cookies={**cookies, "csrftoken": token}, allow_redirects=False)
            .text
        )

    with ThreadPoolExecutor(MANY) as pool:
        answers = list(pool.map(guess, range(MANY)))
    assert 1 <= sum("Incorrect code" in text for text in answers) <= 5
    assert all("Incorrect code" in text or BRAKED in text for text in answers)

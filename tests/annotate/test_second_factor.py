"""A second factor: codes of an app, recovery codes, and who must have one. Passkeys have their
tests in a browser."""

import base64
import hashlib
import hmac
import re
import struct

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth import SESSION_KEY
from django.test import Client
from django.urls import reverse

from annotate.models import SharedCount, User
from annotate.people.signing_in import AccountAdapter
from tests.conftest import PASSWORD

BRAKED = str(AccountAdapter.error_messages["too_many_login_attempts"])


@pytest.fixture
def clock(monkeypatch):
    """The second since 1970, as codes and limits see it: `clock(seconds)` moves it on."""
    moment = [1_800_000_000.0]
    monkeypatch.setattr("time.time", lambda: moment[0])

    def forward(seconds=0.0):
        moment[0] += seconds
        return moment[0]

    return forward


def code(secret, moment):
    """RFC 6238, with its defaults."""
    digest = hmac.new(base64.b32decode(secret), struct.pack(">Q", int(moment) // 30), hashlib.sha1)
    start = digest.digest()[-1] & 15
    (number,) = struct.unpack(">I", digest.digest()[start : start + 4])
    return f"{(number & 0x7FFFFFFF) % 10**6:06}"


def confirmed(user):
    client = Client()
    client.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    return client


@pytest.fixture
def secret(alice, clock):
    """Of alice's app."""
    client = confirmed(alice)
    page = client.get(reverse("mfa_activate_totp")).content.decode()
    (found,) = re.findall(r'value="([A-Z2-7]{32})"', page)
    assert "data:image/svg+xml;base64," in page
    answer = client.post(reverse("mfa_activate_totp"), {"code": code(found, clock())})
    assert answer["Location"] == reverse("mfa_view_recovery_codes")
    clock(60)
    return found


def with_password():
    client = Client()
    answer = client.post(reverse("account_login"), {"login": "alice", "password": PASSWORD})
    assert answer["Location"] == reverse("mfa_authenticate")
    assert SESSION_KEY not in client.session
    return client


def answered(client, typed):
    """What the page says to a code; nothing where it signs in."""
    page = client.post(reverse("mfa_authenticate"), {"code": typed})
    assert (SESSION_KEY in client.session) == (page.status_code == 302)
    return "" if page.status_code == 302 else page.content.decode()


def test_the_code_of_an_app(secret, clock):
    client = with_password()
    assert "Incorrect code" in answered(client, "000000")
    assert answered(client, code(secret, clock())) == ""


def test_the_password_alone_opens_nothing(secret, study):
    client = with_password()
    for page in (reverse("studies"), reverse("account"), reverse("study", args=["peaks"])):
        assert client.get(page).status_code == 302
    assert client.get(reverse("api-studies-list")).status_code == 401


def test_a_code_works_once(secret, clock):
    seen = code(secret, clock())
    assert answered(with_password(), seen) == ""
    assert "Incorrect code" in answered(with_password(), seen)


def test_an_old_code(secret, clock):
    old = code(secret, clock())
    clock(60)
    assert "Incorrect code" in answered(with_password(), old)


def test_five_codes_are_free(secret, clock):
    client = with_password()
    for number in range(5):
        assert "Incorrect code" in answered(client, f"{number:06}")
    assert BRAKED in answered(with_password(), code(secret, clock()))
    clock(6 * 60)
    assert answered(with_password(), code(secret, clock())) == ""


def test_recovery_codes_work_once_each(secret, clock, alice):
    codes = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    assert len(codes) == 10
    assert answered(with_password(), codes[0]) == ""
    assert "Incorrect code" in answered(with_password(), codes[0])
    assert answered(with_password(), codes[1]) == ""


def test_recovery_codes_are_shown_to_who_proves_who_they_are(secret, alice, signed_in):
    assert "/reauthenticate/" in signed_in(alice).get(reverse("mfa_view_recovery_codes")).url


def test_nothing_of_it_can_be_read_in_the_database(secret):
    kept = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in kept
    for one in Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes():
        assert one not in kept
    assert SharedCount.objects.exists()


def test_an_app_is_removed_by_who_proves_who_they_are(secret, alice, clock, signed_in):
    address = reverse("mfa_deactivate_totp")
    assert "/reauthenticate/" in signed_in(alice).post(address).url
    client = with_password()
    assert answered(client, code(secret, clock())) == ""
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    client.post(address)
    assert not Authenticator.objects.exists()


def test_a_secret_that_can_no_longer_be_read(secret, settings, clock):
    settings.SECRET_KEY = "another " * 10
    settings.SECRET_KEY_FALLBACKS = []
    client = Client()
    client.post(reverse("account_login"), {"login": "alice", "password": PASSWORD})
    page = client.post(reverse("mfa_authenticate"), {"code": code(secret, clock())})
    assert page.status_code == 403
    assert "Ask your administrator to remove it." in page.content.decode().replace("\n", " ")
    assert SESSION_KEY not in client.session


# Who must have one -------------------------------------------------------------------------------


def goes(client, name="studies", **more):
    return client.get(reverse(name, **more)).status_code == 200


@pytest.mark.parametrize(
    ("whom", "going"),
    [
        ("operators", {"alice", "bob", "rita"}),
        ("researchers", {"rita"}),
        ("everybody", set()),
    ],
)
def test_who_must(study, alice, bob, rita, oscar, signed_in, settings, whom, going):
    User.objects.filter(pk=bob.pk).update(is_researcher=False)  # researches in alice's study
    User.objects.filter(pk=oscar.pk).update(is_researcher=False, is_staff=True)
    settings.ATTEST_SECOND_FACTOR_FOR = whom
    everybody = (alice, bob, rita, oscar)
    assert {one.username for one in everybody if goes(signed_in(one))} == going


def test_who_must_is_led_there_and_nowhere_else(study, alice, signed_in, settings):
    settings.ATTEST_SECOND_FACTOR_FOR = "researchers"
    client = signed_in(alice)
    page = client.get(reverse("study", args=["peaks"]), follow=True)
    assert page.redirect_chain[-1][0] == reverse("mfa_index")
    assert "You need a second factor here" in page.content.decode()
    assert client.get(reverse("account_reauthenticate")).status_code == 200
    for path in (reverse("tokens"), reverse("study-delete", args=["peaks"])):
        assert client.post(path, {"label": "x", "scopes": ["admin"]}).status_code == 403
    answer = client.get(reverse("api-studies-list"))
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "permission_denied"
    assert not alice.api_tokens.exists()
    client.post(reverse("account_logout"))
    assert SESSION_KEY not in client.session


def test_recovery_codes_alone_are_none(alice, signed_in, settings):
    settings.ATTEST_SECOND_FACTOR_FOR = "researchers"
    Authenticator.objects.create(user=alice, type="recovery_codes", data={})
    assert not goes(signed_in(alice))

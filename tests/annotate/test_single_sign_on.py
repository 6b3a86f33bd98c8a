"""Single sign-on: a real provider, who comes in by it, as whom, and as what."""

from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth import SESSION_KEY
from django.test import Client
from django.urls import reverse

from annotate.authentication import new_token
from annotate.models import User
from config import environment
from tests import issuer as issuers
from tests.conftest import PASSWORD

NORA = {"sub": "n-1", "email": "nora@example.org", "email_verified": True, "name": "Nora N."}


@pytest.fixture
def issuer(settings, monkeypatch):
    with issuers.started() as found:
        monkeypatch.setenv("ATTEST_SSO_CLIENT_ID", issuers.CLIENT)
        monkeypatch.setenv("ATTEST_SSO_CLIENT_SECRET", issuers.SECRET)
        monkeypatch.setenv("ATTEST_SSO_NAME", "Example University")
        settings.SOCIALACCOUNT_PROVIDERS = environment.single_sign_on(found.url)
        found.person = dict(NORA)
        yield found


def provider_id(settings):
    return settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]["provider_id"]


def come(client, settings, **query):
    """From the button on our page through the issuer and back; the page in the end."""
    begin = reverse("openid_connect_login", args=[provider_id(settings)])
    there = client.get(begin, {"process": "login", **query})
    assert there.status_code == 302, there.content
    back = requests.get(there.url, allow_redirects=False, timeout=5).headers["Location"]
    parts = urlsplit(back)
    return client.get(f"{parts.path}?{parts.query}", follow=True)


def is_signed_in(client):
    return SESSION_KEY in client.session


def test_the_page_leads_there_where_it_is_set(client, db, issuer, settings):
    page = client.get(reverse("account_login"), {"next": "/studies/new/"}).content.decode()
    assert "Sign in with Example University" in page
    assert "next=%2Fstudies%2Fnew%2F" in page
    begin = reverse("openid_connect_login", args=[provider_id(settings)])
    asked = parse_qs(urlsplit(client.get(begin)["Location"]).query)
    assert set(asked["scope"][0].split()) == {"openid", "profile", "email"}
    assert asked["redirect_uri"] == [
        f"http://testserver/account/oidc/{provider_id(settings)}/login/callback/"
    ]
    settings.SOCIALACCOUNT_PROVIDERS = {}
    assert "oidc" not in Client().get(reverse("account_login")).content.decode()


def test_somebody_new(client, db, issuer, settings):
    page = come(client, settings)
    assert page.redirect_chain[-1][0] == reverse("studies")
    nora = User.objects.get()
    assert (nora.username, nora.email, nora.name) == ("nora@example.org", NORA["email"], "Nora N.")
    assert not nora.is_researcher
    assert not nora.has_usable_password()
    assert EmailAddress.objects.get().verified
    assert is_signed_in(client)


def test_the_same_person_is_the_same_account_unless_deactivated(db, issuer, settings):
    come(Client(), settings)
    issuer.person |= {"email": "new-name@example.org", "name": "Nora M."}
    come(client := Client(), settings)
    assert client.session[SESSION_KEY] == str(User.objects.get().pk)
    User.objects.update(is_active=False)
    page = come(client := Client(), settings)
    assert not is_signed_in(client)
    assert page.redirect_chain[-1][0] == reverse("account_inactive")


def test_it_leads_on_to_pages_of_this_server_only(db, issuer, settings):
    for wanted, shown in (
        (reverse("account"), reverse("account")),
        ("https://evil.example/", reverse("studies")),
        ("//evil.example", reverse("studies")),
    ):
        page = come(Client(), settings, next=wanted)
        assert page.redirect_chain[-1][0] == shown


def test_an_account_whose_address_is_confirmed_is_linked(client, alice, issuer, settings):
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    issuer.person["email"] = "Alice@Example.org"
    come(client, settings)
    assert client.session[SESSION_KEY] == str(alice.pk)
    assert SocialAccount.objects.get().user == alice
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_an_account_whose_address_was_only_typed_is_not(client, alice, issuer, settings):
    """Whoever made it may have left a token, and waited for the owner of the address."""
    EmailAddress.objects.create(user=alice, email=alice.email, verified=False, primary=True)
    new_token(alice, "left behind")
    issuer.person["email"] = alice.email
    page = come(client, settings).content.decode()
    assert "An account with your address exists." in page
    assert not is_signed_in(client)
    again = client.post(reverse("socialaccount_signup"), {"email": alice.email}).content.decode()
    assert "Sign in to it with its password" in again
    assert not SocialAccount.objects.exists()
    client.post(reverse("socialaccount_signup"), {"email": "other@example.org"})
    assert User.objects.get(email="other@example.org") != alice


def test_an_address_that_the_issuer_does_not_vouch_for_links_nothing(
    subtests, client, alice, issuer, settings
):
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    for word in (False, None, "true", "false"):
        with subtests.test(word=word):
            issuer.person |= {"email": alice.email, "email_verified": word}
            come(client, settings)
            assert not is_signed_in(client)
            assert not SocialAccount.objects.exists()


def test_ones_own_account_is_connected_after_reauthentication(client, alice, issuer, settings):
    issuer.person |= {"email": "else@example.org"}
    client.force_login(alice)
    # Another site could have the browser signed in at the issuer as somebody else.
    page = come(client, settings, process="connect")
    assert "Confirm that it is you" in page.content.decode()
    assert not SocialAccount.objects.exists()
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    come(client, settings, process="connect")
    assert SocialAccount.objects.get().user == alice
    come(fresh := Client(), settings)
    assert fresh.session[SESSION_KEY] == str(alice.pk)
    page = client.get(reverse("socialaccount_connections")).content.decode()
    assert "Disconnect" in page


def test_groups_are_roles_at_each_sign_in(db, issuer, settings):
    come(Client(), settings)
    User.objects.update(is_researcher=True, is_staff=True)
    issuer.person["groups"] = ["research"]
    come(Client(), settings)
    nora = User.objects.get()
    assert (nora.is_researcher, nora.is_staff) == (True, True), "no group gives a role yet"
    settings.ATTEST_SSO_RESEARCHERS = ["research", "guests"]
    settings.ATTEST_SSO_OPERATORS = ["it"]
    for groups, roles in (
        (["students"], (False, False)),
        (["students", "guests"], (True, False)),
        (["it"], (True, True)),
        ("research", (True, False)),
        ([], (False, False)),
        (None, (False, False)),
    ):
        issuer.person["groups"] = groups
        come(Client(), settings)
        nora = User.objects.get()
        assert (nora.is_researcher, nora.is_staff) == roles, groups
    settings.ATTEST_SSO_GROUPS_CLAIM = "roles"
    issuer.person |= {"roles": ["research"], "groups": []}
    come(Client(), settings)
    assert User.objects.get().is_researcher


def test_issuer_that_refuses_or_does_not_answer(client, db, issuer, settings):
    issuer.refuses = True
    page = come(client, settings)
    assert not is_signed_in(client)
    assert page.redirect_chain[-1][0] == reverse("socialaccount_login_cancelled")
    app = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]
    app["settings"]["server_url"] = "http://127.0.0.1:1"
    page = client.get(reverse("openid_connect_login", args=[provider_id(settings)]))
    assert page.status_code == 503
    assert "Single sign-on did not work" in page.content.decode()


def test_an_answer_that_was_not_asked_for(db, issuer, settings):
    """Somebody's code, brought into another browser."""
    begin = reverse("openid_connect_login", args=[provider_id(settings)])
    there = Client().get(begin, {"process": "login"})["Location"]
    back = requests.get(there, allow_redirects=False, timeout=5).headers["Location"]
    parts = urlsplit(back)
    other = Client()
    page = other.get(f"{parts.path}?{parts.query}")
    assert page.status_code == 401
    assert "Single sign-on did not work" in page.content.decode()
    assert not is_signed_in(other)
    assert not User.objects.exists()


def test_a_token_for_somebody_else(subtests, client, db, issuer, settings):
    for wrong in [{"iss": "https://evil.example"}, {"aud": "somebody-else"}, {"exp": 1}]:
        with subtests.test(wrong=wrong):
            issuer.token_claims = wrong
            page = come(client, settings)
            assert page.status_code == 401
            assert not User.objects.exists()


def test_settings_name_one_provider_for_each_issuer(issuer, monkeypatch):
    """Who somebody is at one issuer says nothing about another."""
    names = {
        environment.single_sign_on(url)["openid_connect"]["APPS"][0]["provider_id"]
        for url in ("https://a.example/realms/x", "https://a.example/realms/y", "https://b.example")
    }
    assert names == {"a.example-realms-x", "a.example-realms-y", "b.example"}
    for missing in ("ATTEST_SSO_CLIENT_ID", "ATTEST_SSO_CLIENT_SECRET"):
        with monkeypatch.context() as patched:
            patched.delenv(missing)
            with pytest.raises(environment.SettingError, match=f"{missing}: name it"):
                environment.single_sign_on("https://issuer.example")

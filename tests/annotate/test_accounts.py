"""Signing in and out, passwords, one's own account."""

import pytest
from django.contrib.auth import SESSION_KEY
from django.test import Client
from django.urls import reverse

from annotate.models import User
from annotate.people.members import sign_up
from annotate.web.errors import Refused
from tests.conftest import PASSWORD

SIGN_IN = "/sign-in/"
LONG_ADDRESS = f"n@{'a' * 60}.{'b' * 60}.{'c' * 40}.example"


def sign_in(client, username, password=PASSWORD, **more):
    return client.post(SIGN_IN, {"login": username, "password": password, **more})


def is_signed_in(client):
    return SESSION_KEY in client.session


def test_by_name_or_address_in_any_case(alice):
    for name in (
        *("alice", "Alice", "ALICE", "alice@example.org", "Alice@Example.ORG", " alice "),
    ):
        answer = sign_in(client := Client(), name)
        assert (answer.status_code, answer.url) == (302, reverse("studies")), name
        assert client.session[SESSION_KEY] == str(alice.pk)
    other = User.objects.create_user(username="ALICE", password="another long password")
    sign_in(client := Client(), "ALICE", "another long password")
    assert client.session[SESSION_KEY] == str(other.pk), "an exact name goes before another case"


def test_wrong_name_or_password_is_refused_in_the_same_words(client, alice):
    for name, password in (
        ("alice", "wrong"),
        ("alice", PASSWORD.upper()),
        ("alice", f"{PASSWORD} "),
        ("alice", ""),
        ("nobody", PASSWORD),
        ("", PASSWORD),
        ("' OR 1=1 --", PASSWORD),
        ("%", PASSWORD),
    ):
        answer = sign_in(client, name, password)
        assert answer.status_code == 200
        assert not is_signed_in(client), (name, password)
        told = "No account has this name and password." in answer.content.decode()
        assert told is bool(name and password)
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert sign_in(client, "alice").status_code == 200
    assert not is_signed_in(client)


def test_an_account_without_address_is_not_found_by_an_empty_one(client, db):
    User.objects.create_user(username="crowd-7", password=PASSWORD)
    sign_in(client, " ")
    assert not is_signed_in(client)
    sign_in(client, "crowd-7")
    assert is_signed_in(client)


def test_signing_in_leads_back_to_pages_of_this_server_only(client, study, alice):
    wanted = reverse("responses", args=["peaks"])
    answer = client.get(wanted)
    assert answer.url == f"{SIGN_IN}?next={wanted}"
    page = client.get(answer.url)
    assert f'name="next" value="{wanted}"' in page.content.decode()
    assert sign_in(client, "alice", next=wanted).url == wanted
    for elsewhere in (
        "//evil.example",
        "https://evil.example/",
        "http:///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        " //evil.example",
        "http://testserver@evil.example/",
    ):
        browser = Client()
        assert browser.get(SIGN_IN, {"next": elsewhere}).status_code == 200
        assert sign_in(browser, "alice", next=elsewhere).url == reverse("studies"), elsewhere
        again = browser.get(SIGN_IN, {"next": elsewhere})
        assert again["Location"] == reverse("studies")


def test_session_changes_at_sign_in_and_ends_by_post_only(client, alice):
    session = client.session
    session["before"] = 1
    session.save()
    before = session.session_key
    sign_in(client, "alice")
    assert client.session.session_key != before
    assert client.get(reverse("account_logout")).status_code == 405
    assert is_signed_in(client)
    answer = client.post(reverse("account_logout"))
    assert answer.url == SIGN_IN
    assert not is_signed_in(client)


def test_sign_up_is_closed_unless_the_setting_opens_it(client, db, settings):
    address = reverse("account_signup")
    data = {"name": "Nora", "email": "Nora@Example.org", "password1": PASSWORD}
    for answer in (client.get(address), client.post(address, data)):
        assert "You need an invitation" in answer.content.decode()
    assert not User.objects.exists()
    settings.ATTEST_OPEN_SIGN_UP = True
    assert address in client.get(SIGN_IN).content.decode()
    assert client.post(address, data).url == reverse("studies")
    nora = User.objects.get()
    assert nora.username == nora.email == "nora@example.org"
    assert nora.is_researcher
    assert nora.password != PASSWORD
    assert is_signed_in(client)


def test_a_new_account_is_checked(subtests, client, alice, settings):
    for data, complaint in [
        ({"email": "ALICE@example.org", "password1": PASSWORD}, "There is an account"),
        ({"email": "no address", "password1": PASSWORD}, "valid email"),
        ({"email": "n@example.org", "password1": "short"}, "too short"),
        ({"email": "n@example.org", "password1": "password"}, "too common"),
        ({"email": "n@example.org", "password1": "8267345188"}, "entirely numeric"),
        ({"email": "nora.nilsen@example.org", "password1": "nora.nilsen"}, "too similar"),
        ({"email": "", "password1": PASSWORD}, "required"),
        ({"email": LONG_ADDRESS, "password1": PASSWORD}, "at most 150 characters"),
    ]:
        with subtests.test(data=data):
            settings.ATTEST_OPEN_SIGN_UP = True
            page = client.post(reverse("account_signup"), data)
            assert page.status_code == 200
            assert complaint in page.content.decode()
            assert User.objects.count() == 1
            assert not is_signed_in(client)


NEW = "another plain password"
CHANGE = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}


def test_a_new_password_keeps_this_session_and_ends_the_others(
    client, alice, signed_in, mailoutbox
):
    there, address = signed_in(alice), reverse("account_change_password")
    sign_in(client, "alice")
    for change, complaint in (
        ({"oldpassword": "wrong"}, "not your present password"),
        ({"password2": "something else"}, "same password"),
        ({"password1": "short", "password2": "short"}, "too short"),
        ({"password1": "alice@example.org", "password2": "alice@example.org"}, "too similar"),
    ):
        assert complaint in client.post(address, CHANGE | change).content.decode()
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)
    assert client.post(address, CHANGE).status_code == 302
    assert client.get(reverse("account")).status_code == 200
    assert there.get(reverse("account")).status_code == 302
    sign_in(fresh := Client(), "alice")
    assert not is_signed_in(fresh)
    sign_in(fresh, "alice", NEW)
    assert is_signed_in(fresh)
    (mail,) = mailoutbox
    assert mail.to == ["alice@example.org"]
    assert mail.subject == "[Attest] Password Changed"


def test_account_page_changes_the_name_and_no_rights(rita, signed_in):
    data = {"name": "R", "email": "", "is_researcher": "on", "is_superuser": "on", "username": "x"}
    assert signed_in(rita).post(reverse("account"), data).status_code == 302
    rita.refresh_from_db()
    assert (rita.name, rita.username) == ("R", "rita")
    assert not rita.is_researcher
    assert not rita.is_superuser


def confirmed(client, user):
    """A browser in which somebody has just proved who they are."""
    sign_in(client, user.username)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    return client


def test_who_changes_addresses_proves_who_they_are(alice, signed_in):
    answer = signed_in(alice).post(
        reverse("account_email"), {"email": "new@example.org", "action_add": ""}
    )
    assert answer.url.startswith(reverse("account_reauthenticate"))
    assert not alice.emailaddress_set.filter(email="new@example.org").exists()


def test_an_address_that_cannot_be_ones_own(client, alice, bob):
    User.objects.filter(pk=bob.pk).update(username="new@example.org")
    browser = confirmed(client, alice)
    for address, complaint in (
        ("BOB@example.org", "Another account has this address."),
        ("new@example.org", "Another account has this address."),
        ("bob", "valid email"),
        (LONG_ADDRESS, "at most 150 characters"),
    ):
        sent = {"email": address, "action_add": ""}
        assert complaint in browser.post(reverse("account_email"), sent).content.decode()
    assert [one.email for one in alice.emailaddress_set.all()] == ["alice@example.org"]
    with pytest.raises(Refused, match="at most 150 characters"):
        sign_up(name="", email=LONG_ADDRESS, password=PASSWORD)


def test_where_addresses_are_confirmed_nobody_comes_in_before(client, alice, settings, mailoutbox):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    assert sign_in(client, "alice").url == reverse("account_email_verification_sent")
    assert not is_signed_in(client)
    assert mailoutbox[0].to == ["alice@example.org"]
    alice.emailaddress_set.update(verified=True)
    sign_in(client, "alice")
    assert is_signed_in(client)
    User.objects.create_user(username="rater7", password=PASSWORD)
    sign_in(without := Client(), "rater7")
    assert is_signed_in(without), "no address, none to confirm"

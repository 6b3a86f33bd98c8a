"""Signing in and out, passwords, one's own account, tokens for programs."""

import re

import pytest
from django.contrib.auth import SESSION_KEY
from django.test import Client
from django.urls import reverse

from annotate.authentication import new_token, token_digest
from annotate.models import ApiToken, User
from annotate.services.errors import Refused
from annotate.services.people.members import sign_up
from tests.conftest import PASSWORD

SIGN_IN = "/sign-in/"
LONG_ADDRESS = f"n@{'a' * 60}.{'b' * 60}.{'c' * 40}.example"


def sign_in(client, username, password=PASSWORD, **more):
    return client.post(SIGN_IN, {"username": username, "password": password, **more})


def is_signed_in(client):
    return SESSION_KEY in client.session


@pytest.mark.parametrize(
    "name", ["alice", "Alice", "ALICE", "alice@example.org", "Alice@Example.ORG", " alice "]
)
def test_by_name_or_address_in_any_case(client, alice, name):
    answer = sign_in(client, name)
    assert (answer.status_code, answer.url) == (302, reverse("studies"))
    assert client.session[SESSION_KEY] == str(alice.pk)


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("alice", "wrong"),
        ("alice", PASSWORD.upper()),
        ("alice", f"{PASSWORD} "),
        ("alice", ""),
        ("nobody", PASSWORD),
        ("", PASSWORD),
        ("' OR 1=1 --", PASSWORD),
        ("%", PASSWORD),
    ],
)
def test_a_wrong_name_or_password(client, alice, name, password):
    answer = sign_in(client, name, password)
    assert answer.status_code == 200
    assert not is_signed_in(client)
    assert "error" in answer.content.decode()


def test_the_answer_does_not_tell_which_of_the_two_was_wrong(client, alice):
    unknown, known = sign_in(client, "nobody", "wrong"), sign_in(client, "alice", "wrong")
    message = "No account has this name and password."
    assert message in unknown.content.decode()
    assert message in known.content.decode()


def test_an_exact_name_goes_before_a_name_in_another_case(client, alice):
    other = User.objects.create_user(username="ALICE", password="another long password")
    sign_in(client, "ALICE", "another long password")
    assert client.session[SESSION_KEY] == str(other.pk)


def test_an_account_without_address_is_not_found_by_an_empty_one(client, db):
    User.objects.create_user(username="crowd-7", password=PASSWORD)
    sign_in(client, " ")
    assert not is_signed_in(client)
    sign_in(client, "crowd-7")
    assert is_signed_in(client)


def test_a_deactivated_account_cannot_sign_in(client, alice):
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert sign_in(client, "alice").status_code == 200
    assert not is_signed_in(client)


def test_signing_in_leads_back_to_where_one_was_going(client, study):
    wanted = reverse("responses", args=["peaks"])
    answer = client.get(wanted)
    assert answer.url == f"{SIGN_IN}?next={wanted}"
    page = client.get(answer.url)
    assert f'name="next" value="{wanted}"' in page.content.decode()
    assert sign_in(client, "alice", next=wanted).url == wanted


@pytest.mark.parametrize(
    "elsewhere",
    [
        "//evil.example",
        "https://evil.example/",
        "http:///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        " //evil.example",
        "http://testserver@evil.example/",
    ],
)
def test_signing_in_leads_nowhere_else(client, alice, elsewhere):
    assert sign_in(client, "alice", next=elsewhere).url == reverse("studies")
    assert client.get(SIGN_IN, {"next": elsewhere}).url == reverse("studies")


def test_signing_in_changes_the_session_key(client, alice):
    session = client.session
    session["before"] = 1
    session.save()
    before = session.session_key
    sign_in(client, "alice")
    assert client.session.session_key != before


def test_signing_out_by_post_only(alice, signed_in):
    client = signed_in(alice)
    assert client.get(reverse("sign-out")).status_code == 405
    assert is_signed_in(client)
    answer = client.post(reverse("sign-out"))
    assert answer.url == SIGN_IN
    assert not is_signed_in(client)


def test_demo_accounts_are_named_only_where_the_demo_is(client, study):
    assert "rater-demo" not in client.get(SIGN_IN).content.decode()
    study.is_demo = True
    study.save()
    assert "rater-demo" in client.get(SIGN_IN).content.decode()


def test_accounts_are_not_open_to_everybody_by_default(client, db):
    data = {"email": "new@example.org", "password": PASSWORD}
    assert client.get(reverse("sign-up")).status_code == 404
    assert client.post(reverse("sign-up"), data).status_code == 404
    assert not User.objects.exists()


def test_open_sign_up_makes_researchers(client, db, settings):
    settings.ATTEST_OPEN_SIGN_UP = True
    assert reverse("sign-up") in client.get(SIGN_IN).content.decode()
    data = {"name": "Nora", "email": "Nora@Example.org", "password": PASSWORD}
    assert client.post(reverse("sign-up"), data).url == reverse("studies")
    nora = User.objects.get()
    assert (nora.username, nora.email, nora.is_researcher) == (
        "nora@example.org",
        "nora@example.org",
        True,
    )
    assert nora.password != PASSWORD
    assert is_signed_in(client)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ({"email": "ALICE@example.org", "password": PASSWORD}, "There is an account"),
        ({"email": "no address", "password": PASSWORD}, "valid email"),
        ({"email": "n@example.org", "password": "short"}, "too short"),
        ({"email": "n@example.org", "password": "password"}, "too common"),
        ({"email": "n@example.org", "password": "8267345188"}, "entirely numeric"),
        ({"email": "nora.nilsen@example.org", "password": "nora.nilsen"}, "too similar"),
        ({"email": "", "password": PASSWORD}, "required"),
        ({"email": LONG_ADDRESS, "password": PASSWORD}, "at most 150 characters"),
    ],
)
def test_a_new_account_is_checked(client, alice, settings, data, complaint):
    settings.ATTEST_OPEN_SIGN_UP = True
    page = client.post(reverse("sign-up"), data)
    assert page.status_code == 200
    assert complaint in page.content.decode()
    assert User.objects.count() == 1
    assert not is_signed_in(client)


def test_a_new_password_keeps_this_session_and_ends_the_others(alice, signed_in):
    here, there = signed_in(alice), signed_in(alice)
    data = {"old": PASSWORD, "new": "another plain password", "again": "another plain password"}
    assert here.post(reverse("password"), data).url == reverse("account")
    page = here.get(reverse("account"))
    assert "tokens for programs go on working" in page.content.decode()
    assert there.get(reverse("account")).status_code == 302
    sign_in(fresh := Client(), "alice")
    assert not is_signed_in(fresh)
    sign_in(fresh, "alice", "another plain password")
    assert is_signed_in(fresh)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"old": "wrong"}, "not your present password"),
        ({"again": "something else"}, "differ"),
        ({"new": "short", "again": "short"}, "too short"),
        ({"new": "alice@example.org", "again": "alice@example.org"}, "too similar"),
    ],
)
def test_a_password_that_is_not_changed(alice, signed_in, change, complaint):
    data = {"old": PASSWORD, "new": "another plain password", "again": "another plain password"}
    page = signed_in(alice).post(reverse("password"), data | change)
    assert page.status_code == 422
    assert complaint in page.content.decode()
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_changing_name_and_address(alice, signed_in):
    client = signed_in(alice)
    data = {"name": "Alice A.", "email": "New@Example.org"}
    assert client.post(reverse("account"), data).status_code == 302
    alice.refresh_from_db()
    assert (alice.name, alice.email, alice.username) == ("Alice A.", "new@example.org", "alice")


def test_an_address_belongs_to_one_account(alice, bob, signed_in):
    page = signed_in(alice).post(reverse("account"), {"email": "BOB@example.org"})
    assert "Another account has this address." in page.content.decode()
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"


def test_an_address_has_room_as_a_user_name(alice, signed_in):
    page = signed_in(alice).post(reverse("account"), {"email": LONG_ADDRESS})
    assert "at most 150 characters" in page.content.decode()
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"
    with pytest.raises(Refused, match="at most 150 characters"):
        sign_up(name="", email=LONG_ADDRESS, password=PASSWORD)


def test_the_account_page_does_not_give_rights(rita, signed_in):
    data = {"name": "R", "email": "", "is_researcher": "on", "is_superuser": "on", "username": "x"}
    signed_in(rita).post(reverse("account"), data)
    rita.refresh_from_db()
    assert (rita.name, rita.username) == ("R", "rita")
    assert not rita.is_researcher
    assert not rita.is_superuser


def shown_key(page):
    return re.search(r"attest_[\w-]{40,}", page.content.decode())


def test_a_token_is_shown_once_and_stored_as_a_digest(alice, signed_in):
    client = signed_in(alice)
    found = shown_key(client.post(reverse("token-new"), {"label": "nightly"}))
    assert found
    token = ApiToken.objects.get()
    assert token.digest == token_digest(found[0]) != found[0]
    assert token.user == alice
    page = client.get(reverse("account"))
    assert shown_key(page) is None
    assert "nightly" in page.content.decode()


def test_a_token_needs_a_label(alice, signed_in):
    assert signed_in(alice).post(reverse("token-new"), {"label": ""}).status_code == 422
    assert not ApiToken.objects.exists()


def ask(client, authorization):
    return client.get(reverse("api-studies"), headers={"authorization": authorization})


def test_a_program_signs_in_by_token(client, study, alice):
    key = new_token(alice, "script")
    answer = ask(client, f"Bearer {key}")
    assert [found["slug"] for found in answer.json()["studies"]] == ["peaks"]
    assert ask(client, f"bearer {key}").status_code == 200
    assert ApiToken.objects.get().last_used_at is not None
    assert not is_signed_in(client)


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer attest_x", "Bearer a b", "Basic YWxpY2U6eA==", "Token {key}", "{key}"],
)
def test_a_program_without_a_known_token(client, alice, authorization):
    answer = ask(client, authorization.format(key=new_token(alice, "script")))
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Bearer"
    assert answer.json()["error"]["code"] in {"not_authenticated", "authentication_failed"}


def test_a_token_is_for_the_api_only(client, study, alice):
    key = new_token(alice, "script")
    page = client.get(reverse("study", args=["peaks"]), headers={"authorization": f"Bearer {key}"})
    assert page.status_code == 302


def test_a_deleted_token_stops_working(client, alice, signed_in):
    key = new_token(alice, "script")
    token = ApiToken.objects.get()
    answer = signed_in(alice).post(reverse("token-delete", args=[token.pk]))
    assert answer.url == reverse("account")
    assert ask(client, f"Bearer {key}").status_code == 401


def test_a_deactivated_persons_token_stops_working(client, alice):
    key = new_token(alice, "script")
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert ask(client, f"Bearer {key}").status_code == 401


def test_nobody_deletes_another_persons_token(alice, bob, signed_in):
    new_token(alice, "script")
    address = reverse("token-delete", args=[ApiToken.objects.get().pk])
    assert signed_in(bob).post(address).status_code == 404
    assert ApiToken.objects.count() == 1


def test_an_address_that_is_somebody_elses_user_name(client, alice, oscar):
    User.objects.filter(pk=oscar.pk).update(username="alice@example.org")
    oscar.refresh_from_db()
    oscar.set_password("another long password")
    oscar.save()
    sign_in(client, "alice@example.org")
    assert client.session[SESSION_KEY] == str(alice.pk)
    other = Client()
    sign_in(other, "alice@example.org", "another long password")
    assert other.session[SESSION_KEY] == str(oscar.pk)

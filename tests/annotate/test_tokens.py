"""Tokens for programs: made, shown once, what they open, and when they end."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth import SESSION_KEY
from django.urls import reverse
from django.utils import timezone

from annotate.authentication import new_token, token_digest
from annotate.models import ApiToken, Membership, Role, User

NIGHTLY = {"label": "nightly", "scopes": ["read"], "days": "90"}


def is_signed_in(client):
    return SESSION_KEY in client.session


def shown_key(page):
    return re.search(r"attest_[\w-]{40,}", page.content.decode())


def test_a_token_is_shown_once_and_stored_as_a_digest(alice, signed_in):
    client = signed_in(alice)
    found = shown_key(client.post(reverse("tokens"), {**NIGHTLY}))
    assert found
    token = ApiToken.objects.get()
    assert token.digest == token_digest(found[0]) != found[0]
    assert token.user == alice
    page = client.get(reverse("tokens"))
    assert shown_key(page) is None
    assert "nightly" in page.content.decode()


def ask(client, authorization):
    return client.get(reverse("api-studies-list"), headers={"authorization": authorization})


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
    assert answer.url == reverse("tokens")
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


@pytest.mark.parametrize("wrong", [{"scopes": []}, {"scopes": ["fly"]}, {"days": "7000"}])
def test_a_token_that_cannot_be(alice, signed_in, wrong):
    assert signed_in(alice).post(reverse("tokens"), {**NIGHTLY, **wrong}).status_code == 422
    assert not ApiToken.objects.exists()


def test_tokens_of_before_open_everything_and_say_so(client, study, alice, signed_in):
    ApiToken.objects.create(user=alice, label="old", digest=token_digest("attest_old"))
    assert ask(client, "Bearer attest_old").status_code == 200
    address = reverse("api-report", args=["peaks"])
    answer = client.post(address, headers={"authorization": "Bearer attest_old"})
    assert answer.status_code == 202
    page = signed_in(alice).get(reverse("tokens")).content.decode()
    assert "everything" in page
    assert "all your studies" in page
    assert "without an end" in page


def test_a_token_ends(client, alice, signed_in, monkeypatch):
    key = new_token(alice, "script", lasts=timedelta(days=1))
    assert ask(client, f"Bearer {key}").status_code == 200
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now + timedelta(days=1, seconds=1))
    answer = ask(client, f"Bearer {key}")
    assert answer.status_code == 401
    assert "expired" in answer.json()["error"]["message"]


def test_a_token_for_one_study_opens_no_other(client, study, elsewhere, alice):
    Membership.objects.create(study=elsewhere, user=alice, role=Role.OWNER)
    key = new_token(alice, "script", study=study)
    listed = ask(client, f"Bearer {key}").json()["studies"]
    assert [one["slug"] for one in listed] == ["peaks"]
    for slug, status in (("peaks", 200), ("elsewhere", 404)):
        answer = client.get(
            reverse("api-systems-list", args=[slug]), headers={"authorization": f"Bearer {key}"}
        )
        assert answer.status_code == status

"""What every answer tells browsers."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from annotate import access

ROOT = Path(__file__).resolve().parents[2]
STRICT = "default-src 'none'; script-src 'self'; style-src 'self'"


def answers(people):
    """Answers of every kind: pages, redirects, errors, files, JSON."""
    owner, rater, nobody = people
    study = ["peaks"]
    yield 200, nobody.get(reverse("account_login"))
    yield 200, nobody.get(reverse("formats"))
    yield 200, nobody.get(reverse("response-schema"))
    yield 200, nobody.get(reverse("healthz"))
    yield 302, nobody.get(reverse("studies"))
    yield 401, nobody.get(reverse("api-studies-list"))
    yield 404, nobody.get("/nothing/")
    yield 404, nobody.get("/api/nothing/")
    yield 403, rater.get(reverse("systems", args=study))
    yield 200, owner.get(reverse("responses", args=study))
    yield 405, owner.get(reverse("account_logout"))
    yield 422, owner.post(reverse("invite", args=study))
    yield 200, owner.get(reverse("download-outputs", args=study))
    yield 200, owner.get(reverse("download-judgments", args=[*study, "parquet"]))
    yield 200, owner.get(reverse("api-studies-detail", args=study))


@pytest.fixture
def people(peaks, alice, rita, signed_in):
    return signed_in(alice), signed_in(rita), Client(raise_request_exception=False)


def check_headers(answer):
    policy = answer["Content-Security-Policy"]
    assert policy.startswith(STRICT)
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self'" in policy
    assert "base-uri 'none'" in policy
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Referrer-Policy"] == "same-origin"
    assert "no-store" in answer["Cache-Control"]


def test_every_kind_of_answer_has_the_headers(people):
    for status, answer in answers(people):
        assert answer.status_code == status, answer.request
        check_headers(answer)
        if answer.streaming:
            assert b"".join(answer.streaming_content)


def test_an_answer_under_another_name_has_the_policy(client, db):
    answer = client.get("/", headers={"host": "evil.example"})
    assert answer.status_code == 400
    assert answer["Content-Security-Policy"].startswith(STRICT)
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_server_error_has_them_too(people, monkeypatch):
    def fail(*args):
        raise ZeroDivisionError

    monkeypatch.setattr(access, "memberships_of", fail)
    owner = people[0]
    owner.raise_request_exception = False
    answer = owner.get(reverse("studies"))
    assert answer.status_code == 500
    check_headers(answer)


def test_a_form_without_its_token_has_them_too(alice):
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    answer = client.post(reverse("study-new"), {"name": "x"})
    assert answer.status_code == 403
    check_headers(answer)


def test_cookies(client, alice):
    page = client.get(reverse("account_login"))
    assert page.cookies["csrftoken"]["samesite"] == "Lax"
    client.post(reverse("account_login"), {"login": "alice", "password": "a plain long password"})
    session = client.cookies["sessionid"]
    assert session["httponly"]
    assert session["samesite"] == "Lax"

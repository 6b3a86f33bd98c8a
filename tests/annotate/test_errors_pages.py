"""Pages for what goes wrong: they say what to do, and programs get the one JSON shape."""

import pytest
from django.db import DatabaseError
from django.test import Client
from django.urls import reverse

from annotate import access
from annotate.web import error_pages
from tests.annotate.pages import policy_faults, visible


@pytest.fixture
def broken(monkeypatch):
    """Makes the list of studies fail, and gives a browser that takes it as users would."""

    def fail(error):
        def failing(*args, **kwargs):
            raise error

        monkeypatch.setattr(access, "memberships_of", failing)
        return Client(raise_request_exception=False)

    return fail


@pytest.mark.parametrize("path", ["/nothing/", "/studies/none/", "/studies/peaks/responses/x/"])
def test_not_found(study, alice, signed_in, path):
    page = signed_in(alice).get(path)
    assert page.status_code == 404
    text = visible(page.content.decode())
    assert "There is nothing here" in text
    assert "The address may be mistyped" in text
    assert "Alice" in text


def test_not_for_this_role(study, rita, signed_in):
    page = signed_in(rita).get(reverse("systems", args=["peaks"]))
    assert page.status_code == 403
    text = visible(page.content.decode())
    assert "Not for your role" in text
    assert "This page is for researchers and viewers of the study; you are a rater." in text


def test_a_server_error(broken, alice):
    client = broken(ZeroDivisionError("a secret detail"))
    client.force_login(alice)
    page = client.get(reverse("studies"))
    assert page.status_code == 500
    html = page.content.decode()
    assert "Something went wrong on our side" in visible(html)
    assert "secret detail" not in html
    assert "Traceback" not in html
    assert policy_faults(html) == []


def test_a_server_error_asks_nothing_of_the_database(rf):
    """The database may be what failed, so the page is made without the visitor's session."""
    request = rf.get("/studies/")
    page = error_pages.server_error(request)
    assert page.status_code == 500
    assert "Your studies" in visible(page.content.decode())


def test_a_server_error_while_the_database_is_gone(broken, alice, monkeypatch):
    client = broken(DatabaseError("gone"))
    client.force_login(alice)

    def gone(*args):
        raise DatabaseError("gone")

    monkeypatch.setattr("django.contrib.auth.middleware.get_user", gone)
    page = client.get(reverse("studies"))
    assert page.status_code == 500
    assert "Nothing that was saved is lost." in visible(page.content.decode())


def test_a_form_that_expired(rf, db):
    page = error_pages.csrf_failure(rf.post("/studies/new/"), reason="CSRF cookie not set.")
    assert page.status_code == 403
    html = page.content.decode()
    assert "This form has expired" in visible(html)
    assert policy_faults(html) == []


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/nothing/", 404, "not_found"),
        ("/api/studies/none/", 404, "not_found"),
        ("/api/studies/peaks/systems/", 403, "permission_denied"),
        ("/api/studies/peaks/", 405, "method_not_allowed"),
        ("/api/studies/peaks/uploads/1/burn/", 404, "not_found"),
    ],
)
def test_programs_get_one_shape(study, rita, signed_in, path, status, code):
    client = signed_in(rita)
    answer = client.put(path) if status == 405 else client.get(path)
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/json"
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "details"}
    assert error["code"] == code
    assert len(error["message"]) > 10


def test_programs_get_it_for_server_errors_too(broken, alice):
    client = broken(ZeroDivisionError("a secret detail"))
    client.force_login(alice)
    answer = client.get(reverse("api-studies-list"))
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "server_error"
    assert "secret" not in answer.content.decode()

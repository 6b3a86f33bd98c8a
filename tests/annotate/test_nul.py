"""A character that PostgreSQL does not store is refused wherever text comes in."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotate.models import Batch, Flag, Judgment, Upload
from annotate.people import crowd
from annotate.people.members import sign_up
from tests.annotate.loading import load, response
from tests.annotate.rating import answer, at, open_work, take
from tests.shared_rows import shared_rows

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]


@shared_rows
def batch(study):
    load(study, [response("The Zugspitze is 2,962 metres high [1].")])
    return open_work(study)


@pytest.mark.parametrize(
    "sent",
    [
        {"step": "r:utility\0", "value": "4"},
        {"step": "r:utility", "value": "4", "note": "a\0b"},
        {"step": "r:utility", "skip": "\0"},
        {"step": "r:utility", "value": "4", "edit": "\0"},
        {"step": "r:utility", "value": "4", "\0": "a name"},
    ],
)
def test_nul_in_an_answer_is_refused(batch, rita, signed_in, sent):
    browser = signed_in(rita)
    task = take(browser, batch)
    for headers in ({}, {"hx-request": "true"}):
        # The test browser sends forms as multipart; a page sends them url-encoded.
        assert browser.post(at(task, "task-answer"), sent, headers=headers).status_code == 400
    assert not Judgment.objects.exists()
    assert answer(browser, task, "r:utility", "4").status_code == 200


def test_nul_in_an_encoded_form_is_refused(batch, rita, signed_in):
    browser = signed_in(rita)
    task = take(browser, batch)
    form = "application/x-www-form-urlencoded"
    sent = "step=r:utility&reason=other&flag_note=%00"
    page = browser.post(at(task, "task-flag"), sent, content_type=form)
    assert page.status_code == 400
    assert "This request cannot be read" in page.content.decode()
    assert not Flag.objects.exists()
    sent = "step=r:utility&reason=other&flag_note=%2500"
    assert browser.post(at(task, "task-flag"), sent, content_type=form).status_code == 302
    assert Flag.objects.get().note == "%00"


@pytest.mark.parametrize("method", ["get", "post"])
def test_nul_in_a_crowd_link_is_refused(batch, method):
    Batch.objects.update(audience=Batch.Audience.LINK)
    link = reverse("crowd", args=[crowd.batch_code(batch)])
    assert getattr(Client(), method)(f"{link}?PROLIFIC_PID=%00").status_code == 400
    assert Client().post(link, {"worker": "a\0"}).status_code == 400
    assert Client().get(f"{link}?PROLIFIC_PID=%2500").status_code == 200


@pytest.mark.parametrize("name", ["responses", "uploads", "batches", "members"])
def test_nul_in_an_address_is_refused(batch, alice, signed_in, name):
    assert signed_in(alice).get(reverse(name, args=["peaks"]) + "?q=a%00b").status_code == 400


def test_nul_at_sign_in_is_refused(db):
    sign_up(name="Al", email="al@example.org", password="2,962 metres high")
    sent = {"login": "al\0@example.org", "password": "x"}
    assert Client().post(reverse("account_login"), sent).status_code == 400


def test_programs_get_the_one_shape(batch, alice, signed_in):
    browser = signed_in(alice)
    page = browser.get("/api/studies/?q=%00")
    assert page.status_code == 400
    assert page.json()["error"]["code"] == "bad_request"
    path = reverse("api-batches-list", args=["peaks"])
    sent = {"name": "a\0b", "gold": "\0", "listed": ["\0"]}
    page = browser.post(path, sent, content_type="application/json")
    assert page.status_code == 400
    assert page.json()["error"]["code"] == "invalid"


def test_files_may_hold_any(study, bob, signed_in):
    """What is in a file is checked and told line by line."""
    line = json.dumps(response("High [1]."))
    sent = {"file": SimpleUploadedFile("outputs.jsonl", line.encode() + b"\n\0\n"), "mode": "auto"}
    page = signed_in(bob).post(reverse("uploads", args=["peaks"]), sent)
    assert page.status_code == 302
    assert Upload.objects.count() == 1

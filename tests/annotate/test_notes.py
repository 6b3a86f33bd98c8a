"""Notes of researchers on a response."""

import pytest
from django.urls import reverse

from annotate.models import AuditEntry, ResponseNote, Role
from annotate.people import members
from tests.annotate.pages import policy_faults, visible

pytestmark = pytest.mark.django_db

TEXT = "The second mark\nis <b>wrong</b>."


@pytest.fixture
def noted(peaks, signed_in, bob):
    """A response that bob noted something on."""
    response = peaks.responses.order_by("pk").first()
    written = signed_in(bob).post(
        reverse("note-write", args=["peaks", response.pk]), {"text": f" {TEXT} "}
    )
    assert written.url == f"{reverse('response', args=['peaks', response.pk])}#notes"
    return response


def page(client, response):
    return client.get(reverse("response", args=["peaks", response.pk])).content.decode()


def test_it_is_written_changed_and_deleted(noted, signed_in, bob):
    client, note = signed_in(bob), ResponseNote.objects.get()
    assert (note.text, note.author, note.edited_at) == (TEXT, bob, None)
    html = page(client, noted)
    assert policy_faults(html) == []
    assert "The second mark<br>is &lt;b&gt;wrong&lt;/b&gt;." in html
    assert f"{bob.name}, " in visible(html)
    client.post(reverse("note", args=["peaks", note.pk]), {"text": "It is right."})
    note.refresh_from_db()
    assert note.text == "It is right."
    assert ", changed " in visible(page(client, noted))
    assert client.post(reverse("note", args=["peaks", note.pk]), {"text": ""}).status_code == 422
    client.post(reverse("note-delete", args=["peaks", note.pk]))
    assert not ResponseNote.objects.exists()
    told = AuditEntry.objects.filter(act="response-noted").order_by("pk")
    assert [entry.details["what"] for entry in told] == ["written", "changed", "deleted"]


def test_others_read_it_and_an_owner_deletes_it(noted, peaks, signed_in, alice, bob, oscar):
    note = ResponseNote.objects.get()
    members.join(members.invite(peaks, role=Role.RESEARCHER, author=alice), oscar)
    other, owner = signed_in(oscar), signed_in(alice)
    change, delete = (reverse(name, args=["peaks", note.pk]) for name in ("note", "note-delete"))
    assert "The second mark" in page(other, noted)
    assert change not in page(other, noted)
    other.post(change, {"text": "Mine now."})
    other.post(delete)
    assert ResponseNote.objects.get().text == TEXT
    refused = other.delete(reverse("api-notes-detail", args=["peaks", note.pk]))
    assert refused.status_code == 409
    owner.post(change, {"text": "Mine now."})
    assert ResponseNote.objects.get().text == TEXT
    owner.post(delete)
    assert not ResponseNote.objects.exists()


def test_viewers_and_raters_see_none(noted, peaks, signed_in, alice, vera, rita):
    members.join(members.invite(peaks, role=Role.VIEWER, author=alice), vera)
    viewer, rater = signed_in(vera), signed_in(rita)
    assert "The second mark" not in page(viewer, noted)
    for client in (viewer, rater):
        told = client.get(reverse("api-notes-of-response-list", args=["peaks", noted.pk]))
        assert told.status_code == 403
        assert client.get(reverse("download-notes", args=["peaks"])).status_code == 403
    assert "The second mark" not in str(
        viewer.get(reverse("api-responses-detail", args=["peaks", noted.pk])).content
    )

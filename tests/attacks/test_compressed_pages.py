"""What the size of a compressed page could tell (BREACH): no page that holds a secret is one."""

import gzip

import pytest
from django.urls import reverse

from annotate.models import ApiToken, Role
from annotate.people import crowd, members
from tests.annotate.crowd import open_batch
from tests.annotate.pages import reachable

pytestmark = pytest.mark.django_db
GZIP = {"accept-encoding": "gzip, deflate, br"}


@pytest.fixture
def secrets(peaks, alice):
    """Those of a study that stand on its pages as long as they work."""
    invitation = members.invite(peaks, role=Role.RATER, author=alice)
    batch = open_batch(peaks, completion_code="C0DE-OF-THE-BATCH", screen_out_code="0UT-OF-IT")
    return [
        members.invitation_code(invitation),
        crowd.batch_code(batch),
        batch.completion_code,
        batch.screen_out_code,
    ]


def test_pages_with_a_secret_go_as_they_are(secrets, alice, signed_in):
    client = signed_in(alice)
    shown = set()
    for path, answer in reachable(client, reverse("study", args=["peaks"])).items():
        if answer.streaming or answer.status_code != 200:
            continue
        told = {secret for secret in secrets if secret.encode() in answer.content}
        if told:
            assert "Content-Encoding" not in client.get(path, headers=GZIP), path
        shown |= told
    assert shown == set(secrets)


def test_others_go_compressed(peaks, alice, signed_in):
    path = reverse("responses", args=["peaks"])
    plain = signed_in(alice).get(path)
    packed = signed_in(alice).get(path, headers=GZIP)
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    assert len(packed.content) < len(plain.content) / 2
    assert b"<!doctype html>" in gzip.decompress(packed.content)


def test_what_is_shown_once_after_a_form_goes_as_it_is(alice, signed_in):
    answer = signed_in(alice).post(
        reverse("tokens"), {"label": "a token", "days": "30", "scopes": ["read"]}, headers=GZIP
    )
    assert ApiToken.objects.count() == 1
    assert "Content-Encoding" not in answer

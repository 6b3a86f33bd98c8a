"""What the size of a compressed page could tell (BREACH): no page that holds a secret is one."""

import gzip

import pytest
from django.test import Client
from django.urls import reverse

from annotate.models import ApiToken, Role
from annotate.services.people import crowd, members
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


def test_the_token_of_a_form_is_never_twice_the_same(peaks, alice, signed_in):
    client = signed_in(alice)
    path = reverse("responses", args=["peaks"])
    pages = {gzip.decompress(client.get(path, headers=GZIP).content) for _ in range(3)}
    assert len(pages) == 3


@pytest.mark.parametrize("name", ["account_login", "formats"])
def test_the_same_page_has_not_always_the_same_size(name):
    """Django adds up to a hundred bytes of chance, so that one look tells little."""
    client = Client()
    sizes = {len(client.get(reverse(name), headers=GZIP).content) for _ in range(12)}
    assert len(sizes) > 3

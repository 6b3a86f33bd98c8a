"""What the size of a compressed page could tell (BREACH).

`tests/annotate/test_every_page.py` finds no page that holds a secret compressed.
"""

import gzip

import pytest
from django.urls import reverse

from annotate.models import ApiToken

pytestmark = pytest.mark.django_db
GZIP = {"accept-encoding": "gzip, deflate, br"}


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

"""Bodies of requests that would break what reads them."""

import pytest
from django.test import Client
from django.urls import reverse

from annotate.authentication import new_token


@pytest.fixture
def send(peaks, bob):
    """Sends JSON as a researcher of the study."""
    program = Client(headers={"authorization": f"Bearer {new_token(bob, 'test')}"})

    def post(name, body):
        return program.post(reverse(name, args=["peaks"]), body, content_type="application/json")

    return post


@pytest.mark.parametrize("name", ["api-batches-list", "api-runs-list"])
@pytest.mark.parametrize(
    "body",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        "[" * 900 + "]" * 900,
        '{"options": ' + "[" * 200 + "]" * 200 + "}",
    ],
    ids=["open lists", "open objects", "closed lists", "within a field"],
)
def test_what_is_nested_too_deeply_is_refused(send, name, body):
    answer = send(name, body)
    assert answer.status_code == 400
    assert "nested" in answer.json()["error"]["message"]

"""A source without a text at the desk: it is said so, can be skipped, and gets its text later."""

import pytest

from annotate.models import Judgment
from tests.annotate.loading import load, response
from tests.annotate.rating import answer, at, open_work, take
from tests.uploads.files import lines
from tests.uploads.steps import loaded

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("counts_hold")]

NONE = "This source has no text."
STEP = "s1-citation_recall"


@pytest.fixture
def task(study, signed_in, rita):
    load(study, [response("It is high [1].", passages=(("Peaks", ""),))])
    study.responses.get().sources.update(url="https://example.org/a")
    return take(signed_in(rita), open_work(study))


def page_of(client, task):
    return client.get(at(task, "task"), {"step": STEP}).content.decode()


def test_missing_text_can_be_skipped_and_is_there_as_soon_as_it_is_loaded(
    client, rita, task, study
):
    client.force_login(rita)
    page = page_of(client, task)
    assert NONE in page
    assert '<option value="The source is not available">' in page
    answer(client, task, "s1:citation_recall", skip="The source is not available")
    loaded(study, lines({"url": "https://example.org/a", "text": "Very high."}), "pages.jsonl")
    page = page_of(client, task)
    assert NONE not in page
    assert "Very high." in page
    assert Judgment.objects.get().skipped_reason == "The source is not available"

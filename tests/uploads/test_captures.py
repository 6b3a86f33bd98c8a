"""Texts that come later: sources get them, and what was judged stays."""

import json

import pytest

from annotate.models import Source, Unit
from evaluation.report_pages.data_state import data_state
from tests.cases import each
from tests.uploads.files import judged, judgments, lines
from tests.uploads.steps import State, check, load, loaded

A, B = "https://example.org/a", "https://example.org/b"
ANSWER = {
    "question": {"id": "q1", "text": "How high?"},
    "response": {
        "object": "response",
        "model": "S",
        "output": [
            {
                "type": "message",
                "content": [
                    {
                        "type": "output_text",
                        "text": "It is high. It is cold.",
                        "annotations": [
                            {"type": "url_citation", "url": A, "title": "Peaks",
                             "start_index": 0, "end_index": 11},
                            {"type": "url_citation", "url": B, "start_index": 12, "end_index": 23},
                        ],
                    }
                ],
            }
        ],
    },
}  # fmt: skip
CAPTURED = {"url": A, "title": "Other", "text": "Very high.", "date": "2024-05-02"}


@pytest.fixture
def filled(study):
    """A study with an answer whose two sources have no text, and a judgment of one citation."""
    loaded(study, json.dumps(ANSWER).encode(), "answers.json")
    row = judged(1, "s1.c1", "citation_support", "full", system="S", question_id="q1")
    loaded(study, judgments(row), "j.csv")
    return study


def texts():
    rows = Source.objects.order_by("n")
    return list(rows.values_list("url", "passage__title", "passage__text", "retrieved"))


def test_a_captured_page_fills_its_source(filled):
    before = list(Unit.objects.order_by("pk").values_list("pk", "key", "source"))
    upload = load(filled, lines(CAPTURED), "pages.jsonl")
    assert (upload.format, upload.state) == ("captures", State.DONE)
    assert texts() == [(A, "Peaks", "Very high.", "2024-05-02"), (B, "", "", "")]
    assert upload.result["captured"] == 1
    assert list(Unit.objects.order_by("pk").values_list("pk", "key", "source")) == before


def test_a_text_that_is_here_already_is_kept_once_and_not_overwritten(filled):
    loaded(filled, lines(CAPTURED), "pages.jsonl")
    again = loaded(filled, lines({**CAPTURED, "text": "Another."}), "later.jsonl")
    assert again.result.get("captured", 0) == 0
    assert texts()[0][2] == "Very high."


def test_captured_text_changes_the_data_state(filled):
    before = data_state(filled)
    loaded(filled, lines(CAPTURED), "pages.jsonl")
    assert data_state(filled) != before


@each(
    "url",
    ["HTTPS://Example.org/a", "https://example.org:443/a", "https://example.org/a#high"],
)
def test_another_spelling_of_the_address_is_the_same_page(filled, url):
    loaded(filled, lines({**CAPTURED, "url": url}), "pages.jsonl")
    assert texts()[0] == (A, "Peaks", "Very high.", "2024-05-02")


@each("turned", [False, True])
def test_of_two_texts_of_one_page_that_with_the_very_address_is_taken(filled, turned):
    exact, other = CAPTURED, {**CAPTURED, "url": f"{A}#high", "text": "Only a part."}
    rows = [other, exact] if turned else [exact, other]
    found = check(filled, lines(*rows), "p.jsonl").findings
    assert (found["new"], found["unchanged"]) == (1, 0)
    upload = loaded(filled, lines(*rows), "pages.jsonl")
    assert upload.result["captured"] == 1
    assert texts()[0][2] == "Very high."

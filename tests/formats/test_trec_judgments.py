"""Support labels and nuggets of TREC as judgments and references."""

import json

import pytest

from annotate.formats import recognise
from tests.formats.reading import outcome

RUN = {
    "run_id": "ours",
    "topic_id": "t1",
    "references": ["d1", "d2"],
    "answer": [
        {"text": "It is high.", "citations": [0, 1]},
        {"text": "It is cold.", "citations": []},
        {"text": "It is far.", "citations": [1, 1, 0]},
    ],
    "segments": {"d1": "Peaks: very high."},
}
ENTRIES = [
    {"answer": "It is high.", "citations": [0, 1], "count": 2, "eval_scores": ["FS", "NS"]},
    {"answer": "It is far.", "citations": [1, 1, 0], "count": 3, "eval_scores": ["PS", "FS", None]},
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "gpt-4o_ours.jsonl"


def told(rows):
    return [(row.judgment.unit, row.judgment.dimension, row.judgment.value) for row in rows]


def test_labels_of_citations_and_of_sentences_by_the_first(path):
    found = outcome(path, json.dumps({**RUN, "support_eval": ENTRIES}), "trec-support")
    assert recognise(path) == "trec-support"
    assert not found.problems
    assert told(found.rows) == [
        ("s1.c1", "citation_support", "full"),
        ("s1", "trec_support", "full"),
        ("s1.c2", "citation_support", "none"),
        ("s3.c1", "citation_support", "partial"),
        ("s3", "trec_support", "partial"),
    ]
    row = found.rows[0]
    assert (row.system, row.run, row.question_id) == ("ours", "", "t1")
    assert (row.judgment.judge, row.judgment.judge_kind) == ("gpt-4o_ours", "reference")


def test_the_judge_is_named_with_the_file_and_known_by_its_answers(path):
    entry = {**ENTRIES[0], "gpt-4o_responses": ["Full Support", "No Support"]}
    found = outcome(path, {**RUN, "support_eval": [entry]}, "trec-support", system="gpt-4o")
    judge = found.rows[0].judgment
    assert (judge.judge, judge.judge_kind) == ("gpt-4o", "automatic")


NUGGETS = [
    {"text": "It is high", "importance": "vital", "assignment": "support"},
    {"text": "It is cold ", "importance": "okay", "assignment": "partial_support"},
    {"text": "It is high", "importance": "okay", "assignment": "not_support"},
    {"text": "It is far", "importance": "okay", "assignment": "failed"},
]
ASSIGNED = {"query": "Q", "qid": "t1", "run_id": "ours", "answer_text": "A", "nuggets": NUGGETS}


def test_nuggets_are_claims_of_the_reference(path):
    bare = [{key: n[key] for key in ("text", "importance")} for n in NUGGETS]
    found = outcome(path, json.dumps({"query": "Q", "qid": "t1", "nuggets": bare}), "trec-nuggets")
    assert recognise(path) == "trec-nuggets"
    (row,) = found.references
    assert row.question_id == "t1"
    assert row.references["claims"] == [nugget["text"] for nugget in NUGGETS]
    assert row.references["nuggets"] == bare


def test_assignments_say_which_claims_are_said(path):
    found = outcome(path, json.dumps(ASSIGNED), "trec-assignments")
    assert recognise(path) == "trec-assignments"
    assert told(found.rows) == [
        ("k1", "reference_said", "yes"),
        ("k2", "reference_said", "partial"),
        ("k3", "reference_said", ""),
    ]
    assert found.rows[2].judgment.skipped_reason == "failed"

"""ALCE result files and ALiiCE's bare lists."""

import json
from typing import Any

import pytest

from annotate.formats import read
from tests.cases import each
from tests.formats.reading import outcome

DOC = {"title": "Zugspitze", "text": "2,962 m high."}


def item(**changes: Any) -> dict:
    return {"question": "How high?", "output": "2,962 m [1].", "docs": [DOC], **changes}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "outputs.json"


def test_args_name_the_system_and_the_run(path):
    args = {"model": "some-lab/big-7b", "shot": 2, "ndoc": "5", "seed": 42, "temperature": 0.5}
    reader = outcome(path, {"args": args, "data": [item()]}, "alce").reader
    assert reader.suggested_system == "big-7b, 2-shot, 5 passages"
    assert reader.suggested_run == "42"
    assert reader.args == args


def test_references_are_kept_as_given(path):
    references = {
        "answer": "2,962 m",
        "annotations": [{"long_answer": "It is high.", "knowledge": []}],
        "qa_pairs": [{"question": "?", "short_answers": ["a", "b"], "context": "c"}],
        "answers": [["a", "b"], ["c"]],
        "claims": ["It is high."],
    }
    record = outcome(path, [item(**references)], "alce").responses[0]
    assert record.question.references == references
    assert record.metadata == {}


@each(
    ("ids", "expected"),
    [
        ({}, ""),
        ({"id": "q1"}, "q1"),
        ({"id": 12}, "12"),
        ({"sample_id": "s9"}, "s9"),
        ({"id": None, "sample_id": 3}, "3"),
        ({"id": "q1", "sample_id": "s9"}, "q1"),
    ],
)
def test_question_id_is_read(path, ids, expected):
    assert outcome(path, [item(**ids)], "alce").responses[0].question.external_id == expected


@each(
    ("references", "mode", "expected"),
    [
        ({}, "auto", False),
        ({"answers": [["a"]]}, "auto", True),
        ({"answers": [["a"]], "qa_pairs": []}, "auto", False),
        ({"answers": [["a"]], "claims": ["c"]}, "auto", False),
        ({"answers": [["a"]]}, "sentences", False),
        ({}, "list", True),
    ],
)
def test_lists_are_distinguished_from_sentences(path, references, mode, expected):
    record = outcome(path, [item(**references)], "alce", mode=mode).responses[0]
    assert record.is_list is expected


@each("indent", [None, 1])
def test_items_across_the_pieces_of_a_stream(path, monkeypatch, indent):
    """Wherever a piece of the text ends, the same items come out."""
    items = [
        item(question=f"Qué {n}?", n=n, x=[True, None, -1.5e3, "\\u00e9\ud83d\ude00"])
        for n in range(12)
    ]
    path.write_text(json.dumps({"args": {"seed": 12}, "data": items}, indent=indent))
    whole = list(read(path, "alce"))
    for size in (1, 2, 3, 5, 7, 64):
        monkeypatch.setattr("annotate.formats.json_stream.PIECE", size)
        assert list(read(path, "alce")) == whole
    assert len(whole) == 12

"""Samples of RAGAS, DeepEval, TruLens and LlamaIndex: one reader, four ways of naming."""

import json

import pytest

from annotate.formats import PassageRecord, recognise
from tests.cases import each
from tests.formats.reading import outcome


@pytest.fixture
def path(tmp_path):
    return tmp_path / "samples"


def test_ragas_of_today(path):
    sample = {
        "user_input": "How high?",
        "retrieved_contexts": ["High, very.", "Low."],
        "retrieved_context_ids": ["a", 7],
        "response": "High [1].",
        "reference": "2,962 m",
        "faithfulness": 0.5,
        "rubrics": None,
    }
    (record,) = outcome(path, [sample], "ragas", system="S", run="3").responses
    assert (record.question.text, record.output) == ("How high?", "High [1].")
    assert record.question.references == {"answer": "2,962 m"}
    first, second = record.passages
    assert first == PassageRecord(1, "", "High, very.", "a")
    assert (second.n, second.external_id) == (2, "7")
    assert (record.system, record.run) == ("S", "3")
    assert record.metadata == {"faithfulness": 0.5}


SAMPLE = {"user_input": "Q", "response": "A"}
OTHER = {**SAMPLE, "user_input": "R"}


@each(
    ("content", "places"),
    [
        (json.dumps([SAMPLE, OTHER]), ["item [0]", "item [1]"]),
        (json.dumps([SAMPLE, OTHER], indent=2), ["item [0]", "item [1]"]),
        (f"{json.dumps(SAMPLE)}\n\n{json.dumps(OTHER)}\n", ["line 1", "line 3"]),
        (json.dumps(SAMPLE), ["line 1"]),
        (json.dumps(SAMPLE, indent=1), ["line 1"]),
        (
            json.dumps({"name": "x", "samples": [SAMPLE, OTHER]}),
            ["item samples[0]", "item samples[1]"],
        ),
    ],
    ids=["list", "list over lines", "lines", "a line", "alone over lines", "under a key"],
)
def test_records_stand_as_they_like(path, content, places):
    found = outcome(path, content, "ragas")
    assert recognise(path) == "ragas"
    assert not found.problems
    assert [str(record.where) for record in found.responses] == places


def test_deepeval_within_a_test_run(path):
    case = {
        "name": "test_case_0",
        "input": "How high?",
        "actualOutput": "High.",
        "expectedOutput": "2,962 m",
        "retrievalContext": ["Very high."],
        "context": ["What it should rest on."],
    }
    found = outcome(path, {"testFile": "t.py", "testCases": [case]}, "deepeval")
    assert recognise(path) == "deepeval"
    (record,) = found.responses
    assert [passage.text for passage in record.passages] == ["Very high."]
    assert record.question.references == {"answer": "2,962 m"}
    assert record.metadata == {"name": "test_case_0", "context": ["What it should rest on."]}


def test_llamaindex_nodes_and_contexts(path):
    node = {
        "id_": "n1",
        "text": "It is high.",
        "metadata": {"file_name": "peaks.pdf", "url": "https://example.org/", "page_label": "3"},
    }
    lines = [
        {"query": "Q?", "response": "A", "source_nodes": [{"node": node, "score": 0.5}]},
        {"query": "R?", "response": "B", "contexts": ["C"], "passing": True, "score": 1.0},
    ]
    found = outcome(path, "\n".join(map(json.dumps, lines)), "llamaindex")
    assert recognise(path) == "llamaindex"
    first, second = found.responses
    assert first.passages == (
        PassageRecord(
            1,
            "peaks.pdf",
            "It is high.",
            "n1",
            "https://example.org/",
            metadata={
                "file_name": "peaks.pdf",
                "url": "https://example.org/",
                "page_label": "3",
                "score": 0.5,
            },
        ),
    )
    assert [passage.text for passage in second.passages] == ["C"]
    assert second.metadata == {"passing": True, "score": 1.0}


CALLS = [
    {"stack": [{"method": {"name": "query"}}], "rets": "High."},
    {"stack": [{"method": {"name": "query"}}, {"method": {"name": "_get_relevant_documents"}}],
     "rets": [{"page_content": "Very high.", "metadata": {"source": "https://example.org/a"}}]},
    {"stack": [{"method": {"name": "retrieve"}}], "rets": ["A second time."]},
]  # fmt: skip


@each("write", [json.dumps, lambda value: value], ids=["as text", "as JSON"])
def test_trulens_contexts_come_from_the_calls(path, write):
    row = {
        "app_name": "rag",
        "app_version": "v2",
        "record_id": "h1",
        "input": "How high?",
        "output": "High.",
        "record_json": write({"calls": CALLS}),
        "Groundedness": 0.9,
    }
    found = outcome(path, [row], "trulens")
    assert recognise(path) == "trulens"
    (record,) = found.responses
    assert (record.system, record.run) == ("rag", "v2")
    (passage,) = record.passages
    assert (passage.text, passage.url) == ("Very high.", "https://example.org/a")
    assert record.metadata == {"record_id": "h1", "Groundedness": 0.9}

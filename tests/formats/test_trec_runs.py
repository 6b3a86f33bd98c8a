"""Runs of TREC: sentences as given, each with what it cites, and passages beside the file."""

import json

import pytest

from annotate.formats import PassageRecord, recognise
from annotate.formats.division import cited_number, divide_record
from tests.cases import each
from tests.formats.reading import outcome

A = "https://example.org/a"
RUN = {
    "run_id": "our-run",
    "topic_id": "2024-1",
    "topic": "how high is it",
    "references": ["d#1", "d#2", "d#3"],
    "response_length": 7,
    "answer": [
        {"text": "It is 2,962 m high.", "citations": [2, 0]},
        {"text": "It stands alone.", "citations": []},
        {"text": "It is cold.", "citations": [1, 1]},
    ],
}
NEWER = {
    "metadata": {"team_id": "us", "run_id": "our-run", "topic_id": 5, "type": "automatic"},
    "responses": [
        {"text": "Sky is blue.", "citations": {"a": 0.3, "b": 0.1}},
        {"text": "This is all.", "citations": ["b", 0]},
    ],
    "references": ["a"],
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.jsonl"


def cited(record):
    """Of each statement, the ids of the sources that its citations point to."""
    found = divide_record(record)
    ids = {passage.n: passage.external_id for passage in record.passages}
    return [
        (
            statement.text,
            [
                ids[cited_number(record, place, at, citation)]
                for at, citation in enumerate(statement.citations)
            ],
        )
        for place, statement in enumerate(found.statements)
    ]


def test_statements_as_given_with_their_citations(path):
    found = outcome(path, json.dumps(RUN), "trec-rag")
    assert recognise(path) == "trec-rag"
    assert not found.problems
    (record,) = found.responses
    assert cited(record) == [
        ("It is 2,962 m high.", ["d#3", "d#1"]),
        ("It stands alone.", []),
        ("It is cold.", ["d#2"]),
    ]
    assert record.output == "It is 2,962 m high. [3][1] It stands alone. It is cold. [2]"
    assert (record.system, record.run) == ("our-run", "")
    assert (record.question.external_id, record.question.text) == ("2024-1", "how high is it")
    assert record.metadata == {"response_length": 7}
    assert record.passages[0] == PassageRecord(1, "", "", "d#1")


def test_citations_by_id_with_scores_and_beyond_the_references(path):
    found = outcome(path, json.dumps(NEWER), "trec-rag")
    assert recognise(path) == "trec-rag"
    (record,) = found.responses
    assert cited(record) == [("Sky is blue.", ["a", "b"]), ("This is all.", ["b", "a"])]
    assert (record.question.external_id, record.question.text) == ("5", "")
    assert record.system == "our-run"
    assert record.metadata == {
        "team_id": "us",
        "type": "automatic",
        "sentences": [{"citations": {"a": 0.3, "b": 0.1}}, {}],
    }


def test_references_that_bring_their_texts(path):
    references = [
        {"docid": "d#1", "title": "Peak", "segment": "It is high.", "url": A, "rank": 1},
        {"id": 2, "text": "It is cold."},
        "d#3",
        {"url": A},
    ]
    answer = [
        {"text": "It is high.", "citations": [0, "d#3"]},
        {"text": "Cold.", "citations": [1, 3]},
    ]
    found = outcome(
        path, json.dumps({**RUN, "references": references, "answer": answer}), "trec-rag"
    )
    assert not found.problems
    (record,) = found.responses
    told = [(p.n, p.external_id, p.title, p.text, p.url, p.metadata) for p in record.passages]
    assert told == [
        (1, "d#1", "Peak", "It is high.", A, {"rank": 1}),
        (2, "2", "", "It is cold.", "", {}),
        (3, "d#3", "", "", "", {}),
        (4, A, "", "", A, {}),
    ]
    assert cited(record) == [("It is high.", ["d#1", "d#3"]), ("Cold.", ["2", A])]


@each(
    ("reference", "field", "expected"),
    [
        ({"text": "It is high."}, "references[0].id", "a text of at most 500 characters"),
        ({"id": " ", "text": "High."}, "references[0].id", "an id that is not blank"),
        ({"id": "a", "text": 7}, "references[0].text", "a text"),
        ({"id": "a", "text": " "}, "references[0].text", "a text that is not blank"),
        ({"id": ["a"]}, "references[0].id", "a text of at most 500 characters"),
        ([{"id": "a"}], "references[0]", "an id of at most 500 characters"),
    ],
)
def test_malformed_references_are_refused(path, reference, field, expected):
    record = {**RUN, "references": [reference], "answer": []}
    (problem,) = outcome(path, json.dumps(record), "trec-rag").problems
    assert problem.where.field == field
    assert problem.expected.startswith(expected)


def test_one_id_has_one_text(path):
    references = [
        {"id": "a", "text": "One."},
        {"id": "a", "text": "One."},
        {"id": "a", "text": "Two."},
    ]
    record = {**RUN, "references": references, "answer": [{"text": "A.", "citations": [1]}]}
    (problem,) = outcome(path, json.dumps(record), "trec-rag").problems
    assert (problem.where.field, problem.expected) == ("references[2]", "one text for each id")


def test_sentences_of_several_lines(path):
    answer = [{"text": "One:\n- two\n- three", "citations": [0]}, {"text": "Four.\n"}]
    (record,) = outcome(path, {**RUN, "answer": answer}, "trec-rag").responses
    assert cited(record) == [("One:\n- two\n- three", ["d#1"]), ("Four.", [])]


SEGMENT = {
    "docid": "d#3",
    "url": "https://example.org/d",
    "title": "Heights",
    "headings": "H",
    "segment": "It is 2,962 m high.",
}


BIOGEN = {
    "team_id": "us",
    "run_name": "our-run",
    "results": [
        {
            "topic_id": 116,
            "answer": "It is high [22, 11]. It [the peak] is cold [33,33] .",
            "references": ["11", "22"],
        },
        {"topic_id": "117", "answer": "Nothing is known.", "references": []},
    ],
}


def test_lists_of_pmids_are_marks_of_their_sources(path, beside):
    abstracts = beside("p.jsonl", [{"id": "22", "title": "Heights", "text": "It is high."}])
    found = outcome(path, json.dumps(BIOGEN), "trec-biogen", passages_path=abstracts)
    assert recognise(path) == "trec-biogen"
    assert not found.problems
    first, second = found.responses
    assert first.output == "It is high [2][1]. It [the peak] is cold [3] ."
    assert cited(first)[0] == ("It is high.", ["22", "11"])
    assert [(one.external_id, one.text) for one in first.passages] == [
        ("11", ""),
        ("22", "It is high."),
        ("33", ""),
    ]
    assert (first.system, first.question.external_id) == ("our-run", "116")
    assert (second.output, second.passages) == ("Nothing is known.", ())


@pytest.fixture
def beside(tmp_path):
    """A writer of passages files."""

    def write(name, content):
        path = tmp_path / name
        if isinstance(content, list):
            content = "".join(json.dumps(line) + "\n" for line in content)
        path.write_text(content, encoding="utf-8")
        return path

    return write


def passages_of(path, passages):
    found = outcome(path, json.dumps(RUN), "trec-rag", passages_path=passages)
    assert not found.problems
    return found.responses[0].passages


def test_passages_as_the_collection_has_them(path, beside):
    first, second, third = passages_of(path, beside("p.jsonl", [SEGMENT]))
    assert third == PassageRecord(
        3, "Heights", "It is 2,962 m high.", "d#3", "https://example.org/d",
        metadata={"headings": "H"},
    )  # fmt: skip
    assert (first.n, first.text, second.text) == (1, "", "")


@each(
    "content",
    ["d#3\tIt is high.\r\nd#1\tOne.\n", "title\tdocid\ttext\n\td#3\tIt is high.\nT\td#1\tOne.\n"],
    ids=["two columns", "a header"],
)
@each("mark", ["", "\ufeff"])
def test_passages_between_tabs(path, beside, content, mark):
    first, second, third = passages_of(path, beside("p.tsv", mark + content))
    assert [first.text, second.text, third.text] == ["One.", "", "It is high."]


@each(
    ("name", "content", "said"),
    [
        ("p.tsv", "a\tb\nc\n", "passages file p.tsv, line 2: expected 2 cells"),
        ("p.tsv", "a\tb\na\tc\n", "passages file p.tsv, line 2, field id: expected each id once"),
        (
            "p.jsonl",
            [{"id": "a"}],
            "passages file p.jsonl, line 1, field contents: expected a text",
        ),
        ("p.jsonl", [{"text": "a"}], "passages file p.jsonl, line 1, field id: expected a text of"),
        ("p.parquet", "PAR1 no more", "passages file p.parquet: expected a Parquet file"),
    ],
)
def test_problems_with_passages(path, beside, name, content, said):
    found = outcome(path, json.dumps(RUN), "trec-rag", passages_path=beside(name, content))
    assert str(found.problems[0]).startswith(said)

"""Attributed QA predictions, with passages in the file or beside it."""

import json

import pytest

from annotate.formats import PassageRecord
from annotate.formats.passages_file import split_contents
from tests.cases import each
from tests.formats.reading import outcome


@pytest.fixture
def path(tmp_path):
    return tmp_path / "predictions.csv"


@pytest.fixture
def passages(tmp_path):
    path = tmp_path / "passages.jsonl"
    lines = [
        {"id": "p1", "contents": "« Zugspitze » « Zugspitze, Height » It is 2,962 m high."},
        {"id": "p2", "contents": "No heading é.", "source": "w"},
    ]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    return path


def test_passages_of_the_file_itself(path):
    found = outcome(
        path,
        'passage,question,answer,attribution,year\n"High, very.",How?,High,p1,1999\n,Who?,Me,,\n',
        "aqa-predictions",
        system="S",
    )
    assert not found.problems
    with_passage, without = found.responses
    assert with_passage.passages == (PassageRecord(1, "", "High, very.", "p1"),)
    assert (with_passage.question.text, with_passage.output) == ("How?", "High")
    assert (with_passage.system, with_passage.metadata) == ("S", {"year": "1999"})
    assert without.passages == ()


def test_passages_come_from_the_passages_file(path, passages):
    text = "question,answer,attribution\nA?,a,p2\nB?,b,p1\nC?,c,\n"
    found = outcome(path, text, "aqa-predictions", passages_path=passages)
    assert not found.problems
    second, first, none = (record.passages for record in found.responses)
    assert first == (
        PassageRecord(1, "Zugspitze", "It is 2,962 m high.", "p1", metadata={"section": "Height"}),
    )
    assert second == (PassageRecord(1, "", "No heading é.", "p2", metadata={"source": "w"}),)
    assert none == ()


def test_an_unknown_passage_is_a_problem_of_its_row(path, passages):
    text = "question,answer,attribution\nA?,a,p9\nB?,b,p1\n"
    found = outcome(path, text, "aqa-predictions", passages_path=passages)
    assert len(found.responses) == 1
    assert (found.problems[0].where.line, found.problems[0].where.field) == (2, "attribution")


def test_rows_of_several_lines_are_counted_by_line(path):
    text = 'question,answer,attribution\r\n"A\r\n?",a,\r\n,b,\r\n'
    found = outcome(path, text, "aqa-predictions")
    assert found.responses[0].question.text == "A\r\n?"
    assert found.responses[0].where.line == 2
    assert found.problems[0].where.line == 4


@each(
    ("contents", "expected"),
    [
        ("« T » « T, S, U » text « here »", ("T", "S, U", "text « here »")),
        ("« T » text", ("T", "", "text")),
        ("« T » « Other » text", ("T", "", "« Other » text")),
        ("plain text", ("", "", "plain text")),
        ("« never closed", ("", "", "« never closed")),
    ],
)
def test_headings_of_contents(contents, expected):
    assert split_contents(contents) == expected

"""Formats are told by content, and what is in none is described."""

import gzip
import json
import zipfile
from typing import Any

from annotate.formats import FORMATS, recognise, unrecognised
from annotate.formats.tables.kinds import is_table
from tests.cases import each
from tests.formats.reading import outcome
from tests.formats.tables.making import mapping

TOLD = [key for key, each in FORMATS.items() if not each.mapped]
DOCS = [{"title": "T", "text": "word " * 2_000} for _ in range(20)]
CITED = [{"text": "A.", "citations": DOCS}]
LONG: dict[str, list[Any]] = {
    "alce": [
        {"args": {}, "data": [{"question": "Q", "output": "A", "docs": DOCS}]},
        {"data": [{"docs": DOCS, "question": "Q", "output": "A"}]},
        [{"question": "Q", "output": "A", "docs": DOCS}],
    ],
    "alce-citations": [
        {"asqa": {"m.json": {"overall_results": {"x": 1}, "1": {"sentences": CITED}}}},
        {"asqa": {"m.json": {"1": {"output": "A.", "sentences": CITED}}}},
    ],
    "alce-utility": [{"a": {"m": {"1": {"utility_score": 1, "output": "w" * 70_000}}}}],
    "attest": [
        {"question": {"text": "Q"}, "system": "S", "output": "A", "passages": DOCS},
        {"system": "S", "passages": DOCS, "question": {"text": "Q"}, "output": "A"},
    ],
}


@each("key", TOLD)
def test_examples_are_recognised_from_bytes_and_from_files(key, tmp_path):
    path = tmp_path / "renamed.bin"
    path.write_text(FORMATS[key].example)
    assert recognise(path) == key
    assert recognise(path.read_bytes()) == key


@each(("key", "value"), [(key, value) for key, values in LONG.items() for value in values])
@each("indent", [None, 2])
def test_records_longer_than_the_head(key, value, indent):
    content = json.dumps(value, indent=indent).encode()
    assert len(content) > 65_536
    assert recognise(content) == key


def zipped(tmp_path):
    path = tmp_path / "z.json"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.json", "{}")
    return path.read_bytes()


@each(
    ("content", "found"),
    [
        (b"", "an empty file"),
        (b" \r\n\t", "nothing but white space"),
        (zipped, "a zip archive"),
        (gzip.compress(b"{}", mtime=0), "a gzip archive"),
        (b"\x89PNG\r\n\x1a\n....", "a PNG picture"),
        (b"PAR1\x15\x04", "a Parquet file"),
        ('{"data": []}'.encode("utf-16"), "UTF-16 text"),
        ('{"data": []}'.encode("utf-16-le"), "UTF-16 text"),
        (bytes(range(256)), "binary data"),
        ("question;réponse\n".encode("latin-1"), "not UTF-8 (byte 0xE9 at offset 10)"),
        (b"a,b,c\n1,2,3\n", 'a CSV with the columns "a", "b", "c"'),
        (b"question;answer;attribution\n", "separated by semicolons"),
        (b"question\tanswer\n", "separated by tabs"),
        (b"Dear all,", 'a CSV with the columns "Dear all", ""'),
        (b"hello", 'text that starts with "hello"'),
        (b"<!doctype html><p>", "an HTML or XML page"),
        (b'{"a": 1, "b": 2}', 'a JSON object with the keys "a", "b"'),
        (b"{}", "an empty JSON object"),
        (b"[]", "a JSON list of no objects"),
        (b"[1, 2]", "a JSON list of no objects"),
        (b'[{"x": 1}]', 'a JSON list of objects with "x"'),
        (b"{oops", "an empty JSON object"),
        (b'{"id": "1", "contents": "x"}\n', "a passages file"),
        (b'{"question": "Q", "output": "A"}\n', "question must be an object"),
        (b"q1 0 d1 2\nq1 0 d2 0\n", "relevance judgments (qrels)"),
        (b"q1\tQ0\td1\t-1\n", "relevance judgments (qrels)"),
        (b"query-id\tcorpus-id\tscore\nq1\td1\t1\n", "relevance judgments (qrels)"),
    ],
)
def test_unknown_file_is_described(content, found, tmp_path):
    content = content(tmp_path) if callable(content) else content
    assert recognise(content) is None
    problem = unrecognised(content, "outputs.json")
    assert found in problem.found
    assert '"outputs.json"' in problem.found


@each(
    ("record", "is_list"),
    [
        ({"prompt": "Q", "response": "A", "url": "https://e.org", "content": "T"}, False),
        ({"question": "Q", "output": "A", "system": "S"}, True),
        ({"input": "Q", "output": "A"}, True),
        ({"query": "Q", "response": "A", "model": "S"}, False),
        ({"question": "Q", "choices": ["A", "B"], "answer": "A"}, False),
        ({"question": "Q", "choices": [{"label": "A", "text": "B"}], "answer": "A"}, False),
        ({"prompt": "Q", "output": ["A", "B"]}, False),
        ({"prompt": "Q", "candidates": ["A", "B"]}, False),
    ],
)
def test_ordinary_tables_are_recognised_as_tables(record, is_list):
    content = json.dumps([record] if is_list else record).encode() + b"\n"
    assert recognise(content) is None
    assert is_table(content)


def test_rows_under_data_are_a_table(tmp_path):
    row = {"ask": "Q?", "says": "A."}
    content = json.dumps({"data": [row, row | {"ask": "R?"}, 7]}).encode()
    assert recognise(content) is None
    assert is_table(content)
    by = mapping(ask="question", says="output")
    found = outcome(tmp_path / "t", content, "table", mapping=by, system="S")
    assert [each.question.text for each in found.responses] == ["Q?", "R?"]
    assert [str(each.where) for each in found.problems] == ["item data[2]"]


@each("sign", ["[", "{", '{"a":', '[{"a":', '"'])
def test_deep_nesting_is_survived(sign):
    assert recognise((sign * 65_536).encode()) is None


def test_a_character_cut_by_the_head_is_no_fault():
    content = '[{"question": "é'.encode() + "é".encode() * 40_000
    assert recognise(content) == "alce"

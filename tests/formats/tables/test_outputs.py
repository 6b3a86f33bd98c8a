"""What becomes of the cells of a row: passages in all their shapes, references, metadata."""

import json

import pytest

from annotate.formats import PassageRecord
from annotate.formats.tables.mapping import MappingError, mapping_of
from annotate.text import Span
from tests.cases import each
from tests.formats.reading import outcome
from tests.formats.tables.making import RATING, as_lines, mapping

BASE = {"ask": "Who?", "says": "Ada [1], Bob [2]."}
ASKED = {"ask": "question", "says": "output"}


def response_of(path, row, **columns):
    found = outcome(
        path / "t", as_lines([BASE | row]), "table", mapping=mapping(**ASKED, **columns), system="S"
    )
    assert found.problems == []
    return found.responses[0]


TWO = (PassageRecord(1, "", "One."), PassageRecord(2, "", "Two."))


@each(
    "cell",
    [
        ["One.", "Two."],
        '["One.", "Two."]',
        "['One.', 'Two.']",
        [{"text": "One."}, {"contents": "Two."}],
        {"text": ["One.", "Two."], "title": ["", ""]},
        ["One.", {"page_content": "Two."}],
    ],
)
def test_passages_in_one_cell(tmp_path, cell):
    assert response_of(tmp_path, {"ctx": cell}, ctx="passage").passages == TWO


def test_parts_of_passages(tmp_path):
    cell = [
        {"Title": "T", "snippet": "One.", "docid": 7, "link": "https://example.org", "score": 0.5},
        {"name": "U", "body": "Two.", "url": "shelf 3"},
        {"contents": "« V » « V, Part » Three."},
    ]
    assert response_of(tmp_path, {"ctx": cell}, ctx="passage").passages == (
        PassageRecord(1, "T", "One.", "7", "https://example.org", metadata={"score": 0.5}),
        PassageRecord(2, "U", "Two.", metadata={"url": "shelf 3"}),
        PassageRecord(3, "V", "Three.", metadata={"section": "Part"}),
    )


def test_passages_in_columns_keep_their_numbers(tmp_path):
    row = {"p1": "", "t1": "", "p2": "Two.", "t2": "B", "p3": "Three.", "t3": "C"}
    columns = {f"{part}{n}": key for n in (1, 2, 3) for part, key in
               (("p", "passage"), ("t", "passage_title"))}  # fmt: skip
    assert response_of(tmp_path, row, **columns).passages == (
        PassageRecord(2, "B", "Two."),
        PassageRecord(3, "C", "Three."),
    )


NAMED = {"i1": "passage_id", "i2": "passage_id", "t1": "passage_title", "t2": "passage_title",
         "u1": "passage_url", "u2": "passage_url"}  # fmt: skip


def test_sources_that_are_named_keep_numbers_titles_and_addresses(tmp_path):
    row = {"i1": "", "i2": 7, "t1": "", "t2": "B", "u1": "", "u2": "https://e.org/2"}
    assert response_of(tmp_path, row, **NAMED).passages == (
        PassageRecord(2, "B", "", "7", "https://e.org/2"),
    )


def test_passages_file_has_priority_for_a_source(tmp_path):
    beside = tmp_path / "p.jsonl"
    beside.write_text('{"id": "a", "title": "Own", "text": "One."}\n')
    row = {"i1": "a", "i2": "b", "t1": "A", "t2": "B", "u1": "https://e.org/1", "u2": None}
    by = mapping(**ASKED, **NAMED)
    found = outcome(tmp_path / "t", as_lines([BASE | row]), "table", mapping=by, system="S",
                    passages_path=beside)  # fmt: skip
    assert found.responses[0].passages == (
        PassageRecord(1, "Own", "One.", "a", "https://e.org/1"),
        PassageRecord(2, "B", "", "b"),
    )


@each(
    ("cell", "references"),
    [
        ("Ada", {"answer": "Ada"}),
        (["Ada", "A. L."], {"answer": ["Ada", "A. L."]}),
        ('["Ada"]', {"answer": ["Ada"]}),
        ([["Ada", "A. L."], ["Bob"]], {"answers": [["Ada", "A. L."], ["Bob"]]}),
        (1840, {"answer": "1840"}),
        ({"answers": [["Ada"]], "note": 1}, {"answers": [["Ada"]], "note": 1}),
        (
            '{"answers": [["Ada"]], "claims": ["Ada did."]}',
            {"answers": [["Ada"]], "claims": ["Ada did."]},
        ),
        ("", {}),
        (None, {}),
        ([], {}),
    ],
)
def test_references_are_read_in_every_form(tmp_path, cell, references):
    found = response_of(tmp_path, {"gold": cell}, gold="reference")
    assert found.question.references == references


@each("kind", [json.dumps, lambda value: value])
def test_places_of_citations_and_given_statements(tmp_path, kind):
    own = [{"n": 3, "text": "One.", "url": "", "metadata": '{"a": 1}'}, {"n": 7, "text": "Two."}]
    spans = [{"start": 0, "end": 2, "passages": [7, 3]}]
    columns = {"own": "passage", "c": "citations", "s": "statements", "l": "is_list"}
    row = {"own": kind(own), "c": kind(spans), "s": [], "l": "True"}
    found = response_of(tmp_path, row, **columns)
    assert found.citations == (Span(0, 2, (7, 3)),)
    assert (found.is_list, found.statements) == (True, None)
    assert [(p.n, p.text, p.url, p.metadata) for p in found.passages] == [
        (3, "One.", "", {"a": 1}),
        (7, "Two.", "", {}),
    ]
    given = [{"text": "It", "passages": [3]}, {"text": "is", "passages": []}]
    found = response_of(tmp_path, {**row, "c": "", "s": kind(given), "l": ""}, **columns)
    assert [(s.text, [p.n for p in s.passages]) for s in found.statements] == [
        ("It", [3]),
        ("is", []),
    ]
    assert not found.is_list


@each(
    ("row", "field"),
    [
        ({"c": [{"start": 0, "end": 2, "passages": [9]}]}, "c[0].passages[0]"),
        ({"c": "everywhere"}, "c"),
        ({"s": [{"text": "It"}]}, "s[0].passages"),
        ({"l": "perhaps"}, "l"),
    ],
)
def test_division_that_is_none(tmp_path, row, field):
    said = mapping(**ASKED, own="passage", c="citations", s="statements", l="is_list")
    lines = as_lines([BASE | {"own": ["One."], "c": "", "s": "", "l": ""} | row])
    (problem,) = outcome(tmp_path / "t", lines, "table", mapping=said, system="S").problems
    assert problem.where.field == field


def test_a_list_printed_by_python_is_no_program(tmp_path):
    cell = "[__import__('os').getcwd()]"
    assert response_of(tmp_path, {"ctx": cell}, ctx="passage").passages[0].text == cell
    deep = "[" * 5_000
    assert response_of(tmp_path, {"ctx": deep}, ctx="passage").passages[0].text == deep


def test_the_mapping_of_json_is_the_mapping():
    whole = mapping(given={"system": "S"}, **ASKED)
    assert mapping_of(json.loads(json.dumps(whole.as_json()))) == whole
    base = whole.as_json()
    for wrong, said in (
        ({"attest_mapping": 2}, "attest_mapping: 1"),
        ({"more": 1}, "Expected the keys"),
        ({"rows": "x"}, "outputs or judgments"),
        ({"columns": []}, "an object of texts"),
        ({"columns": {"a": 1}}, 'a text for "a"'),
        ({"columns": {"a": "x"}}, "one of question, output"),
        ({"columns": {"a": "question", "b": "question", "c": "output"}}, "one column for question"),
        ({"columns": {"a": "question"}}, "a column for output (answer)"),
        ({"columns": {"a\0": ""}}, "without NUL"),
        ({"given": {"question": "x"}}, "a column or one value for question"),
        ({"given": {"passage": "x"}}, "a field that is one text"),
        ({"given": {"nothing": "x"}}, "a field that is one text"),
    ):
        with pytest.raises(MappingError) as error:
            mapping_of(base | wrong)
        assert said in str(error.value)


def test_problems_with_several_value_columns():
    assert mapping_of(json.loads(json.dumps(RATING.as_json()))) == RATING
    base = RATING.as_json()
    for wrong, said in (
        ({"about": []}, "an object of objects"),
        ({"about": {"utility": "x"}}, "an object of texts"),
        ({"about": {"q": {"unit": "r"}}}, "a column of values"),
        ({"about": {"utility": {"run": "1"}}}, 'found "run"'),
        ({"about": {"utility": {"unit": "r"}}}, "a column for dimension"),
        (
            {"columns": {**base["columns"], "m": "unit"}, "given": {"judge": "Cleo"}},
            "a column for unit or this",
        ),
        ({"columns": {**base["columns"], "n": "score"}}, "one column of values with score"),
    ):
        with pytest.raises(MappingError) as error:
            mapping_of(base | wrong)
        assert said in str(error.value)

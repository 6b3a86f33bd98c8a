"""Whatever wrote a table, its rows become the same records, at places that can be found."""

import json

import pyarrow.parquet as pq

from annotate.formats import Limits, read
from annotate.formats.tables.kinds import is_table
from annotate.formats.tables.sampling import first_rows
from tests.cases import each
from tests.formats.reading import outcome
from tests.formats.tables.making import (
    KINDS,
    MAPPING,
    RECORDS,
    as_csv,
    as_lines,
    as_parquet,
    as_workbook,
    mapping,
    zipped,
)

PLACES = {
    "csv": "line 3",
    "tsv": "line 3",
    "semicolons": "line 3",
    "jsonl": "line 2",
    "json": "item [1]",
    "parquet": "row 2",
    "arrow stream": "row 2",
    "arrow file": "row 2",
    "xlsx": "row 3",
    "zip": "line 3 of a.csv",
    "dataset": "row 1 of answers/data-00001-of-00002.arrow",
}


@each("kind", KINDS)
def test_every_kind_gives_the_same_records(kind, tmp_path):
    content = KINDS[kind](RECORDS)
    assert is_table(content[:65_536])
    found = outcome(tmp_path / "t", content, "table", mapping=MAPPING)
    assert found.problems == []
    first, second = found.responses
    assert (first.question.text, first.question.external_id) == ("How high?", "q1")
    assert (first.output, first.system) == ("High [1].", "S")
    (passage,) = second.passages
    assert (passage.n, passage.text) == (1, "Über there; yes.")
    assert str(second.where) == PLACES[kind]


@each("kind", KINDS)
def test_a_bad_row_is_found_and_spoils_no_other(kind, tmp_path):
    records = [RECORDS[0], {**RECORDS[1], "ask": " "}]
    found = outcome(tmp_path / "t", KINDS[kind](records), "table", mapping=MAPPING)
    assert len(found.responses) == 1
    (problem,) = found.problems
    assert str(problem.where) == f"{PLACES[kind]}, field ask"
    assert problem.expected == "a text that is not blank"


def test_numbers_of_a_sheet_are_texts_where_texts_are_needed(tmp_path):
    record = {"id": 7, "ask": "How many?", "says": 42, "ctx": 1.5, "by": 3.0}
    for kind in ("xlsx", "parquet", "json"):
        found = outcome(tmp_path / kind, KINDS[kind]([record]), "table", mapping=MAPPING)
        assert found.problems == []
        (response,) = found.responses
        assert (response.question.external_id, response.output, response.system) == ("7", "42", "3")
        assert response.passages[0].text == "1.5"


def test_sheets_of_a_workbook_are_distinct(tmp_path):
    """As files of a zip are; what is hidden or empty is no table."""
    rows = [{key: value for key, value in each.items() if key != "by"} for each in RECORDS]
    content = as_workbook(rows, Other=rows, Empty=[], Old=[{"x": 1}], hidden="Old")
    systems = mapping(id="question_id", ask="question", says="output", file="system")
    found = outcome(tmp_path / "t.xlsx", content, "table", mapping=systems)
    assert found.problems == []
    assert [each.system for each in found.responses] == ["First", "First", "Other", "Other"]
    assert str(found.responses[3].where) == "row 3 of Other"
    alone = as_workbook(rows, Empty=[])
    alike = mapping(id="question_id", ask="question", says="output")
    found = outcome(tmp_path / "t.xlsx", alone, "table", mapping=alike, system="S")
    assert [str(each.where) for each in found.responses] == ["row 2", "row 3"]
    assert "file" not in found.responses[0].metadata


def test_a_sheet_of_something_else_is_named_once(tmp_path):
    content = as_workbook(RECORDS, Notes=[{"note": "of the annotators"}, {"note": "more"}])
    found = outcome(tmp_path / "t.xlsx", content, "table", mapping=MAPPING)
    assert len(found.responses) == 2
    (problem,) = found.problems
    assert str(problem.where) == "Notes"
    assert problem.expected.startswith("columns of the first sheet")
    assert problem.found == '"note"'
    assert "Hide or delete" in problem.advice


def test_files_of_a_zip_are_distinct(tmp_path):
    """Places of two files are never the same, and each file may be a system."""
    rows = [{key: value for key, value in each.items() if key != "by"} for each in RECORDS]
    content = zipped(b___one__csv=as_csv(rows), a__jsonl=as_lines(rows), read__me=b"x")
    systems = mapping(id="question_id", ask="question", says="output", file="system")
    found = outcome(tmp_path / "t.zip", content, "table", mapping=systems)
    assert found.problems == []
    assert [each.system for each in found.responses] == ["a", "a", "b/one", "b/one"]
    alike = mapping(id="question_id", ask="question", says="output")
    found = outcome(tmp_path / "t.zip", content, "table", mapping=alike, system="S")
    assert [str(each.where) for each in found.problems] == [
        "line 2 of b/one.csv",
        "line 3 of b/one.csv",
    ]
    assert found.problems[0].found == "a second one; the first is at line 1 of a.jsonl"


def test_workbooks_in_a_zip_are_distinct(tmp_path):
    rows = [{key: value for key, value in each.items() if key != "by"} for each in RECORDS]
    two = as_workbook(rows[:1], Second=rows[1:], Notes=[{"note": "x"}])
    content = zipped(a__csv=as_csv(rows), b__xlsx=as_workbook(rows), c__xlsx=two)
    systems = mapping(id="question_id", ask="question", says="output", file="system")
    found = outcome(tmp_path / "t.zip", content, "table", mapping=systems)
    assert [str(each.where) for each in found.problems] == ["Notes of c.xlsx"]
    assert [each.system for each in found.responses] == [
        "a", "a", "b", "b", "c/First", "c/Second",
    ]  # fmt: skip
    assert str(found.responses[-1].where) == "row 2 of Second of c.xlsx"


@each("name", ["b__csv__gz", "b__zip", "b__xls"])
def test_archive_within_a_zip_is_reported(name, tmp_path):
    content = zipped(**{"a__csv": as_csv(RECORDS), name: b"x", "read__me": b"x"})
    found = outcome(tmp_path / "t.zip", content, "table", mapping=MAPPING)
    assert len(found.responses) == 2
    assert [str(each.where) for each in found.problems] == [name.replace("__", ".")]
    assert "Unpack" in found.problems[0].advice


def test_a_large_row_group_is_read_in_pieces(tmp_path, monkeypatch):
    """Rows are looked at when they are asked for, though all are in one group."""
    sizes = []
    batches = pq.ParquetFile.iter_batches

    def counted(file, **options):
        for batch in batches(file, **options):
            sizes.append(batch.num_rows)
            yield batch

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", counted)
    path = tmp_path / "t.parquet"
    path.write_bytes(as_parquet([{**RECORDS[0], "id": str(n), "ask": f"{n}?"} for n in range(500)]))
    reader = read(path, "table", mapping=MAPPING)
    next(reader)
    assert len(sizes) == 1
    assert sizes[0] < 100
    assert len(list(reader)) == 499
    assert reader.position == reader.size


def test_cells_that_json_does_not_know(tmp_path):
    from datetime import date
    from decimal import Decimal

    record = {
        "ask": "A?",
        "says": "B.",
        "day": date(2024, 5, 1),
        "cost": Decimal("1.50"),
        "x": b"a",
        "deep": {"sums": [Decimal("2")]},
    }
    columns = mapping(ask="question", says="output")
    found = outcome(tmp_path / "t", as_parquet([record]), "table", mapping=columns, system="S")
    (response,) = found.responses
    assert response.metadata == {
        "day": "2024-05-01",
        "cost": 1.5,
        "x": "YQ==",
        "deep": {"sums": [2]},
    }
    json.dumps(response.metadata)


@each(
    "content",
    [
        b"", b"hello", b"just some words\n", b"Dear all,", b"a,b", b"[1, 2]", b"[]", b'{"a": 1}\n',
        b"<p>a,b\nc,d", b"\x89PNG\r\n\x1a\n", b'{"id": "1", "contents": "x"}\n', b"a,,\n1,2,3\n",
        "a,b\nc,d\n".encode("utf-16"),
    ],
)  # fmt: skip
def test_files_that_are_no_tables(content):
    assert not is_table(content)


def test_a_damaged_zip_has_no_first_rows(tmp_path):
    path = tmp_path / "t.zip"
    path.write_bytes(zipped(a__parquet=as_parquet(RECORDS)[:-9]))
    assert first_rows(path, Limits()) == []

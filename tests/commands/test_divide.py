"""`manage.py divide`."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command


@pytest.fixture
def divided(tmp_path):
    """What the command prints about these records, and what it complains about."""

    def run(*records, **options):
        path = tmp_path / "answers.jsonl"
        lines = [each if isinstance(each, str) else json.dumps(each) for each in records]
        path.write_text("\n".join(lines), encoding="utf-8")
        out, err = StringIO(), StringIO()
        failure = ""
        try:
            call_command("divide", str(path), stdout=out, stderr=err, **options)
        except CommandError as error:
            failure = str(error)
        return [json.loads(line) for line in out.getvalue().splitlines()], err.getvalue() + failure

    return run


RECORD = {"id": "a", "output": "# Owls\n\nThey hunt [1].\nBy ear.", "passages": [{"n": 1}]}


def test_statements_and_what_is_not_judged(divided):
    found, faults = divided(RECORD | {"expected": {"statements": []}})
    mark = {"marks": "[1]", "start": 18, "end": 21, "cites": [1]}
    assert found == [
        {
            "id": "a",
            "statements": [
                {"text": "They hunt.", "start": 8, "end": 22, "citations": [mark]},
                {"text": "By ear.", "start": 23, "end": 30, "citations": []},
            ],
            "not_judged": [{"kind": "heading", "start": 0, "end": 6}],
        }
    ]
    assert not faults


def test_a_language_holds_where_the_record_names_none(divided):
    output = "Am 3. Mai kam er. Ende."
    ((german, named), _) = divided(
        {"id": 1, "output": output}, {"id": 2, "output": output, "language": "en"}, language="de"
    )
    assert len(german["statements"]) == 2
    assert len(named["statements"]) == 3


def test_spans_are_assigned_to_statements(divided):
    spans = [{"start": 9, "end": 13, "passages": [1], "quote": "they"}]
    ((found,), _) = divided(RECORD | {"citations": spans})
    assert [statement["spans"] for statement in found["statements"]] == [[0], []]


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"id": 1}, "field output: expected a text, found no such field"),
        ({"id": 1, "output": "a", "passages": [{}]}, "field passages[0].n"),
        ({"id": 1, "output": "a", "language": "klingon"}, "field language"),
        (
            RECORD | {"citations": [{"start": 4, "end": 400, "passages": [1]}]},
            "field citations[0].end",
        ),
        (RECORD | {"citations": [{"start": 0, "end": 4, "passages": [7]}]}, "passages[0]"),
        ("{nothing", "line 1"),
    ],
)
def test_bad_records_are_named_and_the_others_divided(divided, record, said):
    found, faults = divided(record, RECORD)
    assert [each["id"] for each in found] == ["a"]
    assert said in faults
    assert "1 line was not divided." in faults


def test_missing_file_is_refused_by_divide():
    with pytest.raises(CommandError, match="There is no file"):
        call_command("divide", "/nowhere.jsonl")

"""Tables by command: with a mapping in a file, with one that the study knows, as a folder."""

import json
import os

import pytest
from django.core.management.base import CommandError

from annotate.models import Judge, Response, System, Upload
from tests.formats.tables.making import MAPPING, RECORDS, as_arrow, as_csv, as_parquet


@pytest.fixture
def table(tmp_path):
    (tmp_path / "mapping.json").write_text(json.dumps(MAPPING.as_json()))
    (tmp_path / "things.parquet").write_bytes(as_parquet(RECORDS))
    return tmp_path / "things.parquet"


def test_a_table_with_its_mapping(run, study, table):
    said = run("import_outputs", study, table, "--mapping", table.with_name("mapping.json"))
    assert said.out == "things.parquet: Table of responses\n2 responses loaded.\n"
    assert System.objects.get().name == "S"


def test_a_table_without_a_mapping_is_met_with_a_guess(run, study, table, tmp_path):
    with pytest.raises(CommandError, match="say which of its columns is what") as refusal:
        run("import_outputs", study, table)
    assert not Response.objects.exists()
    assert Upload.objects.get().state == Upload.State.DISCARDED
    guess = json.loads(str(refusal.value).split("--mapping FILE:\n")[1])
    assert guess["columns"]["id"] == "question_id"
    (tmp_path / "guess.json").write_text(
        json.dumps({**guess, "columns": MAPPING.as_json()["columns"]})
    )
    run("import_outputs", study, table, "--mapping", tmp_path / "guess.json")
    said = run("import_outputs", study, table)
    assert "Nothing changed" in said.out, "the study knows the columns by now"


def test_the_guess_is_of_what_the_command_loads(run, study, table):
    with pytest.raises(CommandError) as refusal:
        run("import_judgments", study, table)
    guess = json.loads(str(refusal.value).split("--mapping FILE:\n")[1])
    assert guess["rows"] == "judgments"
    assert guess["columns"]["id"] == "question_id"


def test_a_folder_as_datasets_write_it(run, study, tmp_path):
    folder = tmp_path / "saved"
    (folder / "train").mkdir(parents=True)
    (folder / "dataset_dict.json").write_text('{"splits": ["train"]}')
    (folder / "train" / "state.json").write_text("{}")
    for n, record in enumerate(RECORDS):
        (folder / "train" / f"data-{n:05}-of-00002.arrow").write_bytes(as_arrow([record]))
    (tmp_path / "mapping.json").write_text(json.dumps(MAPPING.as_json()))
    said = run("import_outputs", study, folder, "--mapping", tmp_path / "mapping.json")
    assert "saved: Table of responses\n2 responses loaded." in said.out
    assert Response.objects.order_by("pk")[0].metadata == {"file": "train"}


def test_a_plain_folder_of_csv(run, study, tmp_path):
    folder = tmp_path / "answers"
    (folder / "later").mkdir(parents=True)
    (folder / "README.md").write_text("What the files are.")
    (folder / ".hidden.csv").write_bytes(as_csv(RECORDS))
    for name, record in zip(("first.csv", "later/second.csv"), RECORDS, strict=True):
        (folder / name).write_bytes(as_csv([record]))
        os.utime(folder / name, (0, 0))  # before the years that a zip knows
    with pytest.raises(CommandError, match="say which of its columns is what") as refusal:
        run("import_outputs", study, folder)
    guess = json.loads(str(refusal.value).split("--mapping FILE:\n")[1])
    columns = guess["columns"] | MAPPING.as_json()["columns"]
    (tmp_path / "mapping.json").write_text(json.dumps(guess | {"columns": columns}))
    said = run("import_outputs", study, folder, "--mapping", tmp_path / "mapping.json")
    assert said.out == "answers: Table of responses\n2 responses loaded.\n"
    found = Response.objects.order_by("pk").values_list("text", "metadata__file")
    assert [*found] == [(RECORDS[0]["says"], "first"), (RECORDS[1]["says"], "later/second")]
    said = run("import_outputs", study, folder)
    assert "Nothing changed" in said.out, "the study knows the columns by now"


def test_a_mapping_from_before_standing_was_read_is_told_of(run, study, files, tmp_path):
    run("import_outputs", study, files / "own.jsonl")
    rows = [dict(LONG_FORM, judge=name, standing=said) for name, said in RATERS.items()]
    old = {"attest_mapping": 1, "rows": "judgments",
           "columns": {name: "" if name == "standing" else name for name in rows[0]}}  # fmt: skip
    (tmp_path / "old.json").write_text(json.dumps(old))
    (tmp_path / "said.parquet").write_bytes(as_parquet(rows[:1]))
    run("import_judgments", study, tmp_path / "said.parquet", "--mapping", tmp_path / "old.json")
    (tmp_path / "more.parquet").write_bytes(as_parquet(rows[1:]))
    said = run("import_judgments", study, tmp_path / "more.parquet")
    assert "The mapping skips standing, which says more of each judgment" in said.out
    assert Judge.objects.get(name="Bo").standing == "active"


LONG_FORM = {
    "system": "System A", "question_id": "q1", "unit": "s1", "dimension": "citation_recall",
    "judge_kind": "human", "value": "yes",
}  # fmt: skip


RATERS = {"Ada": "active", "Bo": "excluded"}

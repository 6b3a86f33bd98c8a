"""export_outputs and export_judgments: to files, to the terminal, into a pipe."""

import json

import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotate.exchange import streams
from annotate.models import Judge, Study
from annotate.rating.standing import change_standing

pytestmark = pytest.mark.postgresql


@pytest.fixture
def filled(run, study, files):
    run("import_outputs", study, files / "own.jsonl")
    run("import_judgments", study, files / "judgments.csv")
    return Study.objects.get()


def test_outputs_to_the_terminal(run, filled):
    said = run("export_outputs", "things")
    assert [json.loads(line)["question"]["id"] for line in said.out.splitlines()] == ["q1", "q2"]
    assert said.out == "".join(streams.output_lines(filled))
    assert said.err == ""


def test_judgments_as_parquet(run, filled, tmp_path):
    path = tmp_path / "j.parquet"
    said = run("export_judgments", "things", "--format", "parquet", "--output", path)
    assert said.err == "2 judgments.\n"
    rows = pq.read_table(path).to_pylist()
    assert [row["value"] for row in rows] == ["yes", "yes"]
    assert rows[0]["score"] is None


def test_parquet_is_no_text(run, filled):
    with pytest.raises(CommandError, match="name a file with --output"):
        run("export_judgments", "things", "--format", "parquet")


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_folder_that_is_not_there(run, filled, tmp_path, form):
    path = tmp_path / "none" / "file"
    with pytest.raises(CommandError, match=r"file cannot be written: No such file or directory\."):
        run("export_judgments", "things", "--format", form, "--output", path)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("standing", ["paused", "excluded"])
def test_standing_comes_back_in_with_its_reason(run, filled, tmp_path, form, standing):
    judge = Judge.objects.filter(kind="human")[0]
    change_standing(judge, Judge.Standing(standing), reason="At random")
    run("export_outputs", "things", "--output", tmp_path / "o.jsonl")
    path = tmp_path / f"j.{form}"
    run("export_judgments", "things", "--format", form, "--output", path)
    call_command("create_study", "copy", preset="alce", verbosity=0)
    run("import_outputs", "copy", tmp_path / "o.jsonl")
    run("import_judgments", "copy", path)
    copied = Judge.objects.get(study__slug="copy", name=judge.name)
    assert copied.standing == standing
    assert [change.reason for change in copied.standing_changes.all()] == ["as imported"]
    again = tmp_path / f"again.{form}"
    run("export_judgments", "copy", "--format", form, "--output", again)
    before = path.read_text()
    assert again.read_text().replace("copy", "things") == before.replace("copy", "things")

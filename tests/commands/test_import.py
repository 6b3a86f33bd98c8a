"""import_outputs and import_judgments."""

import io
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotate.models import Response, Study, System, Unit, Upload
from annotate.uploads import lifecycle
from tests.uploads.files import alce, item, lines

pytestmark = pytest.mark.postgresql


def test_outputs_are_loaded(run, study, files):
    said = run("import_outputs", study, files / "alce.json")
    assert said.out == "alce.json: ALCE or ALiiCE result file\n2 responses loaded.\n"
    assert said.err == ""
    assert System.objects.get().name == "alce"
    assert Upload.objects.get().created_by is None


def test_passages_from_a_file_of_their_own(run, files):
    run("create_study", "short", "--preset", "ais")
    (files / "p.csv").write_bytes(b"question,answer,attribution\nwho,Ada,p1\n")
    (files / "passages.jsonl").write_bytes(lines({"id": "p1", "contents": "Ada did."}))
    with pytest.raises(CommandError, match="1 error; nothing was stored"):
        run("import_outputs", "short", files / "p.csv")
    said = run("import_outputs", "short", files / "p.csv", "--passages", files / "passages.jsonl")
    assert "1 response loaded" in said.out
    assert Upload.objects.get(state="done").passages_name == "passages.jsonl"


AFTER = "Thing 1 is round. [1] It is also blue. [2]"


def statements():
    found = Unit.objects.filter(kind="citation").order_by("pk")
    return [unit.parent.key for unit in found if unit.parent]


def test_marks_are_read_strictly(run, study, files):
    (files / "after.json").write_bytes(alce(item(1, output=AFTER)))
    run("import_outputs", study, files / "after.json", "--strict-marks")
    assert Study.objects.get().reading == "strict"
    assert statements() == ["s2", "s3"]


def test_marks_are_read_strictly_from_the_beginning_or_never(run, study, files):
    run("import_outputs", study, files / "alce.json")
    with pytest.raises(CommandError, match="cannot change so any more"):
        run("import_outputs", study, files / "own.jsonl", "--strict-marks")
    assert Study.objects.get().reading == "repaired"
    assert Response.objects.count() == 2


@pytest.fixture
def bad(files):
    path = files / "bad.json"
    path.write_bytes(alce(item(1), item(2, output=7), item(3, output="Round.")))
    return path


def file_is_gone(upload):
    return not Path(upload.file.path).exists()


def test_errors_are_listed_and_nothing_is_stored(study, bad):
    err = io.StringIO()
    with pytest.raises(CommandError, match=r"1 error; nothing was stored. Mend the file, or"):
        call_command("import_outputs", study, str(bad), stderr=err, stdout=io.StringIO())
    assert "bad.json: item [1], field output: expected a text" in err.getvalue()
    assert not Response.objects.exists()
    assert Upload.objects.get().state == Upload.State.DISCARDED
    assert file_is_gone(Upload.objects.get())


def test_more_errors_than_are_shown(run, study, files):
    (files / "bad.json").write_bytes(alce(item(0), *({"question": 1} for _ in range(150))))
    said = run("import_outputs", study, files / "bad.json", "--keep-good")
    assert "… and " in said.err
    assert said.err.count("\n") == 101


@pytest.mark.parametrize(
    ("command", "name", "other"),
    [
        ("import_outputs", "judgments.csv", "use import_judgments"),
        ("import_judgments", "own.jsonl", "use import_outputs"),
    ],
)
def test_wrong_kind_of_file_names_the_other_command(run, study, files, command, name, other):
    with pytest.raises(CommandError, match=other):
        run(command, study, files / name)
    upload = Upload.objects.get()
    assert upload.state == Upload.State.DISCARDED
    assert file_is_gone(upload)


@pytest.mark.parametrize("command", ["import_outputs", "import_judgments"])
def test_missing_file_is_refused(run, study, files, command):
    with pytest.raises(CommandError, match=r"There is no file .*none\.json"):
        run(command, study, files / "none.json")
    with pytest.raises(CommandError, match="There is no file"):
        run(command, study, files / "none")


@pytest.mark.parametrize("direction", ["import", "export"])
@pytest.mark.parametrize("what", ["outputs", "judgments"])
def test_unknown_study_is_refused(run, files, direction, what):
    command = f"{direction}_{what}", "other", *[files / "own.jsonl"] * (direction == "import")
    with pytest.raises(CommandError, match=r"There is no study “other”. Known: none yet."):
        run(*command)
    run("create_study", "things", "--preset", "alce")
    with pytest.raises(CommandError, match=r"There is no study “other”. Known: things."):
        run(*command)


@pytest.mark.parametrize(("step", "said"), [("check", "The check failed"), ("load", "Failed")])
def test_failed_step_says_why(run, study, files, monkeypatch, step, said):
    def fail(_):
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(lifecycle, step, fail)
    with pytest.raises(CommandError, match=f"{said}: ZeroDivisionError: by zero"):
        run("import_outputs", study, files / "own.jsonl")


def test_load_waits_for_another_load(run, study, files, monkeypatch):
    run("import_outputs", study, files / "alce.json")
    monkeypatch.setattr(lifecycle, "send", lambda _: None)
    Upload.objects.update(state="loading", lease_until="2999-01-01T00:00Z")
    with pytest.raises(CommandError, match="Another file of this study is being loaded"):
        run("import_outputs", study, files / "own.jsonl")
    assert Upload.objects.latest("pk").state == Upload.State.QUEUED

"""A whole study in one zip: tables, and a data set with its card."""

import csv
import io
import json
import re
import zipfile

import pyarrow.parquet as pq
import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from annotate import uploads
from annotate.content.judgments import judge_of
from annotate.exchange import dataset, streams
from annotate.exchange import tables as every
from annotate.models import Assignment, Judge
from annotate.rating.assignments import next_task
from annotate.rating.batches import create_batch, open_batch
from annotate.rating.standing import change_standing
from annotate.studies.lifecycle import change_system, create_study, write_guidelines
from tests.annotate.loading import judgment, load, load_judgments, response
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

TOLD_IN = {
    "Study": "study",
    "Question": "responses",
    "System": "systems",
    "Response": "responses",
    "Passage": "passages",
    "Source": "passages",
    "Unit": "units",
    "Wording": "wordings",
    "GuidelinesVersion": "guidelines",
    "Example": "examples",
    "Judge": "judges",
    "Judgment": "judgments",
    "PastJudgment": "earlier_judgments",
    "Evidence": "evidence",
    "Flag": "flags",
    "Inquiry": "inquiries",
    "InquiryMessage": "inquiries",
    "ResponseNote": "notes",
    "StandingChange": "standing",
    "Batch": "batches",
    "BatchItem": "tasks",
    "Assignment": "tasks",
    "PracticeRound": "practice",
    "Measure": "measures",
    "PairShown": "pairs_shown",
    "SystemFamily": "families",
    "Run": "runs",
    "Jury": "juries",
    "Candidate": "ranked_passages",
    "JuryMember": "juries",
    "StudyPrompt": "prompts",
    "Generation": "generations",
    "TrainedScorer": "learned",
    "TrainedOn": "learned_from",
}

PEOPLE = "who may come in, and who did what: of people, not of what was judged"
WORK = "how work goes that is done by workers, or what is to be done"
COUNTED = "counted or found from what is in the tables, or kept so that it is not asked twice"
AROUND = "of the installation, or of other machines"

IN_NO_TABLE = {
    PEOPLE: """User ApiToken Membership Invitation Participant Enrolment CrowdTry Admission
        AdmittedId AuditEntry AuditChain""",
    WORK: """Upload Shard ModelBatch Making Report ReportComparison ReportLink Corpus CorpusFile
        Removal Worker""",
    COUNTED: """Changed ResponseCounts Sum Disputed Counting SearchedText BatchAgreement RaterDrift
        ReportChart EntailmentScorer Entailment ClaimDivision ModelCall""",
    AROUND: """Connection ServerPace Webhook Delivery SharedCount""",
}


@shared_rows
def filled(study):
    """Three responses and a judgment of each."""
    load(
        study,
        [response(f"=High {n} [1].", question_id=f"q{n}", question=f"Q{n}?") for n in (1, 2, 3)],
    )
    load_judgments(study, [judgment("r", "utility", "4", question_id=f"q{n}") for n in (1, 2, 3)])
    return study


def opened(content):
    return zipfile.ZipFile(io.BytesIO(content))


def got(client, name, study, **query):
    answer = client.get(reverse(name, args=[study.slug]), query)
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def rows(archive, name):
    return list(csv.DictReader(io.StringIO(archive.read(f"{name}.csv").decode("utf-8-sig"))))


def test_archive_has_every_table_and_is_the_same_each_time(signed_in, alice, filled):
    archive = opened(got(signed_in(alice), "download-tables", filled))
    assert [name.removesuffix(".csv") for name in archive.namelist()] == sorted(
        {*TOLD_IN.values()} - {"notes", "ranked_passages"}
    )
    found = rows(archive, "responses")
    assert [row["output"] for row in found] == [f"=High {n} [1]." for n in (1, 2, 3)]
    assert [row["question"] for row in found] == ["Q1?", "Q2?", "Q3?"]
    assert len(rows(archive, "judgments")) == 3
    passages = rows(archive, "passages")
    assert {row["question_id"] for row in passages} == {"q1", "q2", "q3"}
    assert passages[0]["text"]
    client = signed_in(alice)
    for name in ("download-tables", "download-dataset"):
        assert got(client, name, filled) == got(client, name, filled)
    content = got(signed_in(alice), "download-tables", filled, **{"for": "spreadsheet"})
    assert [row["output"][:2] for row in rows(opened(content), "responses")] == ["'="] * 3


def test_all_that_a_study_has_is_in_a_table_or_said_to_be_in_none():
    models = {
        one.__name__
        for app in ("annotate", "evaluation")
        for one in apps.get_app_config(app).get_models()
    }
    untold = {name for names in IN_NO_TABLE.values() for name in names.split()}
    assert untold.isdisjoint(TOLD_IN)
    assert models == {*TOLD_IN, *untold}
    assert {*TOLD_IN.values()} <= {*every.TABLES}


def test_archive_has_units_and_question_metadata(signed_in, alice, study, tmp_path):
    made = response("Peaks are high [1]. Lakes are deep.", question_id="q1")
    made["question"]["metadata"] = {"dataset": "Earth", "hops": 2}
    load(study, [made])
    system = study.systems.get()
    change_system(
        system, name=system.name, display_name="Red", description="Old.", uses_autoais=True
    )
    load_judgments(study, [judgment("s1.c1", "citation_support", "full")])
    client = signed_in(alice)
    archive = opened(got(client, "download-tables", study))
    of_question = json.loads(rows(archive, "responses")[0]["question_metadata"])
    assert of_question == {"dataset": "Earth", "hops": 2}
    units = {row["unit"]: row for row in rows(archive, "units")}
    assert [*units] == [*study.responses.get().units.order_by("pk").values_list("key", flat=True)]
    assert (units["s2"]["kind"], units["s2"]["parent"]) == ("statement", "r")
    assert units["s2"]["text"] == "Lakes are deep."
    assert (units["s1.c1"]["parent"], units["s1.c1"]["passage"]) == ("s1", "1")
    assert {row["unit"] for row in rows(archive, "judgments")} <= units.keys()
    assert rows(archive, "systems") == [
        {
            "system": system.name,
            "display_name": "Red",
            "description": "Old.",
            "uses_autoais": "True",
        }
    ]
    archive = opened(got(client, "download-dataset", study))
    path = archive.extract("responses/test-00000-of-00001.parquet", tmp_path)
    [row] = pq.read_table(path).to_pylist()
    assert json.loads(row["question_metadata"]) == {"dataset": "Earth", "hops": 2}


def card_of(archive):
    _, head, body = archive.read("README.md").decode().split("---\n", 2)
    lines = (line.partition(": ") for line in head.split("\n") if line)
    return {key: json.loads(value) for key, _, value in lines}, body


def test_a_data_set_with_its_card_and_shards(signed_in, alice, filled, monkeypatch, tmp_path):
    monkeypatch.setattr(dataset, "RESPONSES_A_FILE", 2)
    monkeypatch.setattr(streams, "CHUNK", 1)
    archive = opened(got(signed_in(alice), "download-dataset", filled, licence="cc-by-4.0"))
    assert archive.namelist() == [
        "responses/test-00000-of-00002.parquet",
        "responses/test-00001-of-00002.parquet",
        "judgments/test-00000-of-00001.parquet",
        "README.md",
    ]
    archive.extractall(tmp_path)
    shards = [pq.read_table(tmp_path / f"responses/test-0000{n}-of-00002.parquet") for n in (0, 1)]
    assert [shard.num_rows for shard in shards] == [2, 1]
    first = shards[0].to_pylist()[0]
    assert (first["question_id"], first["output"]) == ("q1", "=High 1 [1].")
    assert first["passages"][0]["n"] == 1
    assert pq.read_table(tmp_path / "judgments/test-00000-of-00001.parquet").num_rows == 3
    card, body = card_of(archive)
    assert card["license"] == "cc-by-4.0"
    assert card["configs"] == [
        {
            "config_name": "responses",
            "data_files": [{"split": "test", "path": "responses/test-*.parquet"}],
            "default": True,
        },
        {
            "config_name": "judgments",
            "data_files": [{"split": "test", "path": "judgments/test-*.parquet"}],
        },
    ]
    assert f"# {filled.name}" in body
    assert "3 answers of systems" in body


@pytest.fixture
def mixed(study):
    """Questions of two data sets, of which one is called as no split can be, and one of none."""
    said = [
        {"dataset": "ASQA dev", "hops": 1},
        {"dataset": "eli5", "hops": 2},
        {},
        {"dataset": "eli5"},
    ]
    made = []
    for n, metadata in enumerate(said, 1):
        made.append(response(f"High {n} [1].", question_id=f"q{n}", question=f"Q{n}?"))
        made[-1]["question"]["metadata"] = metadata
    load(study, made)
    load_judgments(study, [judgment("r", "utility", "4", question_id=f"q{n}") for n in (1, 2, 3)])
    return study


def splits_in(archive, tmp_path):
    """Of each configuration, the questions in each split, as the card finds their files."""
    card, _ = card_of(archive)
    archive.extractall(tmp_path)
    return {
        config["config_name"]: {
            one["split"]: sorted(
                row["question_id"]
                for file in sorted(tmp_path.glob(one["path"]))
                for row in pq.read_table(file).to_pylist()
            )
            for one in config["data_files"]
        }
        for config in card["configs"]
    }


def test_a_split_for_each_data_set_or_another_key(signed_in, alice, mixed, tmp_path):
    client = signed_in(alice)
    archive = opened(got(client, "download-dataset", mixed))
    assert splits_in(archive, tmp_path / "datasets") == {
        "responses": {"ASQA_dev": ["q1"], "eli5": ["q2", "q4"], "other": ["q3"]},
        "judgments": {"ASQA_dev": ["q1"], "eli5": ["q2"], "other": ["q3"]},
    }
    _, body = card_of(archive)
    assert "| `ASQA_dev` | dataset: ASQA dev | 1 | 1 |" in body
    assert "| `other` | without dataset | 1 | 1 |" in body
    page = client.get(reverse("data", args=[mixed.slug])).content.decode()
    assert '<option value="dataset">one for each dataset</option>' in page
    assert '<option value="hops">one for each hops</option>' in page
    archive = opened(got(client, "download-dataset", mixed, split="hops"))
    found = splits_in(archive, tmp_path / "hops")["responses"]
    assert found == {"1": ["q1"], "2": ["q2"], "other": ["q3", "q4"]}


@pytest.fixture
def cited(mixed):
    """All that a response can have: places of citations, numbers with gaps, given statements."""
    passages = [
        {"n": 2, "title": "", "text": "It is high.", "url": "https://e.org/a", "page": "7"},
        {"n": 5, "title": "Cold", "text": "It is cold.", "metadata": {"section": "Air"}},
    ]
    spans = response("It is high.", question_id="q5", question="Q5?", run="a")
    spans |= {"passages": passages, "citations": [{"start": 0, "end": 10, "passages": [5, 2]}]}
    spans["question"]["references"] = {"answers": [["2,962 m"]], "claims": ["It is high."]}
    given = response("It is high [5]. It is cold.", question_id="q6", question="Q6?", run="a")
    statements = [
        {"text": "It is high [5].", "passages": [5]},
        {"text": "It is cold.", "passages": []},
    ]
    given |= {"passages": passages, "statements": statements, "metadata": {"cost": 0.5, "tags": []}}
    listed = response("Ada, Bob [1]", question_id="q7", question="Q7?")
    load(mixed, [spans, given, listed | {"is_list": True}])
    return mixed


def read_back(study, path, split):
    with zipfile.ZipFile(path) as archive:
        content = archive.read(f"responses/{split}-00000-of-00001.parquet")
    upload = uploads.receive(study, ContentFile(content), name="r.parquet", author=None)
    assert upload.guessed_mapping is not None
    uploads.start(upload)
    again = {"system": "", "run": "", "mode": "auto"}
    uploads.check_again(upload, **again, mapping=upload.guessed_mapping)
    return upload


def test_the_responses_of_a_data_set_are_read_back_as_a_table(cited, tmp_path):
    dataset.write_dataset(cited, tmp_path / "one.zip")
    other = create_study(name="Other", slug="other", preset="alce", owner=None)
    for split in ("ASQA_dev", "eli5", "other"):
        here = read_back(cited, tmp_path / "one.zip", split).findings
        assert (here["problem_count"], here["new"], here["changed"]) == (0, 0, 0)
        assert here["records"] == here["unchanged"] > 0
        uploads.confirm(read_back(other, tmp_path / "one.zip", split))
    dataset.write_dataset(other, tmp_path / "other.zip")
    assert responses_in(tmp_path / "one.zip") == responses_in(tmp_path / "other.zip") != []


def responses_in(path):
    with zipfile.ZipFile(path) as archive:
        found = [
            row
            for name in archive.namelist()
            if name.startswith("responses/")
            for row in pq.read_table(io.BytesIO(archive.read(name))).to_pylist()
        ]
    return sorted(found, key=lambda row: row["question_id"])


def test_unfit_splits_and_licences_are_refused(signed_in, alice, mixed):
    lines = []
    for n in range(51):
        one = response("High.", question_id=f"x{n}", question=f"X{n}?")
        one["question"]["metadata"] = {"id": n}
        lines.append(one)
    load(mixed, lines)
    for asked, said in (
        ({"split": "colour"}, "No question has “colour” in its metadata"),
        ({"split": "a=b"}, "Expected a key of metadata"),
        ({"split": "id"}, "“id” has 51 values; at most 50 splits"),
        ({"licence": "CC BY: x"}, "is no short name of a licence"),
    ):
        address = reverse("download-dataset", args=[mixed.slug])
        assert said in signed_in(alice).get(address, asked, follow=True).content.decode()


def test_names_of_splits_are_what_the_library_takes(subtests):
    for values, names in [
        (["asqa", "ASQA", "as-qa", "as qa"], ["asqa", "ASQA_2", "as_qa", "as_qa_2"]),
        (["all", "other", "…", "日本語"], ["split_all", "other_2", "split", "日本語"]),
        (["x" * 200], ["x" * 60]),
    ]:
        with subtests.test(values=values):
            made = dataset.split_names(values)
            assert [made[value] for value in values] == names
            assert all(re.fullmatch(r"\w+(\.\w+)*", name) for name in names)


def test_archives_are_written_by_command(filled, tmp_path):
    path = tmp_path / "all.zip"
    call_command("export_archive", filled.slug, "--output", str(path), stderr=io.StringIO())
    assert len(rows(zipfile.ZipFile(path), "responses")) == 3
    call_command(
        "export_archive",
        filled.slug,
        "--as",
        "dataset",
        "--output",
        str(path),
        stderr=io.StringIO(),
    )
    assert 'license: "unknown"' in zipfile.ZipFile(path).read("README.md").decode()
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("export_archive", filled.slug, "--output", str(tmp_path / "no" / "x.zip"))


def test_tables_have_task_settings_and_earlier_answers(signed_in, alice, filled, rita):
    batch = open_batch(create_batch(filled, name="Pilot", raters_per_item=1))
    task = next_task(batch, judge_of(filled, rita))
    assert isinstance(task, Assignment)
    change_standing(judge_of(filled, rita), Judge.Standing.PAUSED, reason="Too fast.", by=alice)
    write_guidelines(filled, "Read =twice.", alice)
    again = [judgment("r", "utility", "3", question_id="q1")]
    load_judgments(filled, again, replace=True)
    archive = opened(got(signed_in(alice), "download-tables", filled))
    [told] = rows(archive, "tasks")
    assert (told["judge"], told["state"]) == (task.judge.name, "active")
    [row] = rows(archive, "batches")
    assert (row["id"], row["name"], row["raters_per_item"]) == (str(batch.pk), "Pilot", "1")
    assert not {"completion_code", "nonce"} & row.keys()
    assert rows(archive, "standing")[0]["reason"] == "Too fast."
    assert rows(archive, "guidelines")[-1]["text"] == "Read =twice."
    assert {row["setting"]: row["value"] for row in rows(archive, "study")}["name"] == filled.name
    asked = {row["dimension"] for row in rows(archive, "wordings")}
    assert {"utility", *filled.dimensions} <= asked
    before = [
        (row["unit"], row["dimension"], row["value"]) for row in rows(archive, "earlier_judgments")
    ]
    assert before == [("r", "utility", "4")]

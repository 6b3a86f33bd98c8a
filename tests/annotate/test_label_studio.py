"""A study as projects of Label Studio: what is asked, what is to be judged, and what was said."""

import io
import json
import zipfile
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotate.content.judgments import judge_of, record_judgment
from annotate.exchange.label_studio import active_dimensions, config
from annotate.models import Judge, Unit
from tests.annotate.loading import judgment, load, load_judgments, response
from tests.evaluation.rubric import EVERY, rubric_study
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@shared_rows
def filled(study):
    load(study, [response("It is high [1]. It is far [2].")])
    reference = {"judge": "Key", "judge_kind": "reference"}
    machine = {"judge": "m|v:1", "judge_kind": "automatic", "score": "0.9"}
    load_judgments(
        study,
        [
            judgment("r", "utility", "4", seconds="7.5"),
            judgment("s1", "citation_recall", "yes"),
            judgment("s1", "citation_recall", "no", **reference),
            judgment("s1", "citation_recall", "yes", **machine),
            judgment("s2", "citation_recall", "", skipped_reason="unclear"),
            judgment("s1.c1", "citation_support", "partial"),
        ],
    )
    return study


def projects(content):
    archive = zipfile.ZipFile(io.BytesIO(content))
    found: dict[str, Any] = {}
    for name in archive.namelist():
        kind, _, file = name.partition("/")
        text = archive.read(name).decode()
        made = json.loads(text) if file == "tasks.json" else ElementTree.fromstring(text)
        found.setdefault(kind, {})[file] = made
    return found


@pytest.fixture
def taken(filled, alice, signed_in):
    answer = signed_in(alice).get(reverse("download-label-studio", args=[filled.slug]))
    return projects(b"".join(answer.streaming_content))


def controls(view):
    return {one.get("name"): one for one in view.iter() if one.get("toName")}


def test_results_answer_what_is_asked(taken):
    names = 0
    for project in taken.values():
        asked = controls(project["config.xml"])
        for task in project["tasks.json"]:
            for said in (*task["annotations"], *task["predictions"]):
                for result in said["result"]:
                    control = asked[result["from_name"]]
                    assert result["to_name"] == control.get("toName") == "text"
                    assert result["type"] == control.tag.lower()
                    known = {one.get("value") for one in control}
                    assert set(result["value"]["choices"]) <= known
                    names += 1
    assert names == 5


def test_people_annotate_and_judges_predict(taken):
    first, second = taken["statement"]["tasks.json"]
    assert first["data"]["text"] == "It is high."
    assert first["data"]["passages"].startswith("[1] Zugspitze\nAt 2,962 m")
    by = {one["result"][0]["meta"]["text"][0]: one for one in first["annotations"]}
    assert {name: one["ground_truth"] for name, one in by.items()} == {
        "Key": True,
        "Simulated rater 7": False,
    }
    assert by["Key"]["result"][0]["value"] == {"choices": ["no"]}
    [predicted] = first["predictions"]
    assert (predicted["model_version"], predicted["score"]) == ("m|v:1", 0.9)
    assert (second["annotations"], second["predictions"]) == ([], [])  # it was skipped
    [mark] = taken["response"]["tasks.json"][0]["annotations"]
    assert mark["lead_time"] == 7.5


def test_excluded_rater_has_no_annotation(filled, tmp_path):
    Judge.objects.filter(name="Simulated rater 7").update(standing=Judge.Standing.EXCLUDED)
    path = tmp_path / "out.zip"
    call_command("export_archive", filled.slug, form="label-studio", output=path)
    first, _ = projects(path.read_bytes())["statement"]["tasks.json"]
    assert [one["ground_truth"] for one in first["annotations"]] == [True]


def test_answers_of_every_type_are_exported(alice, rita, tmp_path):
    study = rubric_study(alice, questions=1, file=EVERY)
    judge = judge_of(study, rita)
    unit = Unit.objects.get(response=study.responses.first(), key="s2")
    of = {
        dimension.answer: dimension
        for some in active_dimensions(study).values()
        for dimension in some
    }
    assert {"choice", "number", "several", "text", "spans"} <= of.keys()
    tags = {answer: controls(ElementTree.fromstring(config(of[answer].unit_kind, [of[answer]])))
            for answer in of}  # fmt: skip
    assert {answer: one[of[answer].key].tag for answer, one in tags.items()} == {
        "choice": "Choices",
        "number": "Number",
        "several": "Choices",
        "text": "TextArea",
        "spans": "Labels",
    }
    Unit.objects.filter(pk=unit.pk).update(text=f"\N{MOUNT FUJI} {unit.text}")
    record_judgment(judge=judge, unit=unit, dimension="errors", value="2-4:made_up:minor")
    path = tmp_path / "out.zip"
    call_command("export_archive", study.slug, form="label-studio", output=path)
    tasks = projects(path.read_bytes())["statement"]["tasks.json"]
    [result] = [result for task in tasks for one in task["annotations"] for result in one["result"]]
    assert result["type"] == "labels"
    assert (
        result["value"]
        == {
            "start": 3,  # the mountain is two units of UTF-16
            "end": 5,
            "text": unit.text[:2],
            "labels": ["made_up"],
        }
    )

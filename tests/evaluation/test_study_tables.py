"""What automatic judges found, and how they were made, among the tables of a study."""

import csv
import io
import zipfile

import pytest

from annotate.export.archives import write_tables
from annotate.models import Judge, System, Unit
from evaluation.models import (
    Jury,
    Measure,
    PairShown,
    Run,
    StudyPrompt,
    SystemFamily,
    TrainedScorer,
)
from tests.annotate.loading import load, response

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]


def tables(study, path, *slices):
    write_tables(study, path, slices=slices)
    with zipfile.ZipFile(path) as archive:
        return {
            name.removesuffix(".csv"): list(
                csv.DictReader(io.StringIO(archive.read(name).decode()))
            )
            for name in archive.namelist()
        }


@pytest.fixture
def judged(study):
    made = [response("High [1].", question_id=f"q{n}", question=f"Q{n}?") for n in (1, 2)]
    made[0]["question"]["metadata"] = {"dataset": "asqa"}
    load(study, made)
    judge = Judge.objects.create(study=study, kind=Judge.Kind.AUTOMATIC, name="correctness:v1")
    for one in study.responses.all():
        Measure.objects.create(judge=judge, response=one, name="str_em", value=0.5)
        Measure.objects.create(judge=judge, response=one, name="length", reason="no text")
    PairShown.objects.create(judge=judge, unit=Unit.objects.filter(key="r")[0], mirrored=True)
    SystemFamily.objects.create(system=System.objects.get(), family="llama")
    Run.objects.create(study=study, judge_name="correctness", settings={"threshold": 0.5})
    jury = Jury.objects.create(judge=judge, method=Jury.Method.MAJORITY)
    jury.members.create(judge=judge)
    StudyPrompt.objects.create(study=study, name="mine", version=2, text="=Ask.")
    scorer = TrainedScorer.objects.create(
        study=study, fingerprint="abc", seed=1, agreement={"n": 1}
    )
    scorer.units.create(unit=Unit.objects.filter(key="s1")[0])
    return study


def test_measures_and_how_judges_were_made_are_in_it(judged, tmp_path):
    found = tables(judged, tmp_path / "all.zip")
    told = [
        (one["question_id"], one["measure"], one["value"], one["reason"])
        for one in found["measures"]
    ]
    assert told == [
        (question, *rest)
        for question in ("q1", "q2")
        for rest in (("length", "", "no text"), ("str_em", "0.5", ""))
    ]
    assert [one["mirrored"] for one in found["pairs_shown"]] == ["True"]
    assert [one["family"] for one in found["families"]] == ["llama"]
    assert found["runs"][0]["settings"] == '{"threshold": 0.5}'
    assert (found["juries"][0]["method"], found["juries"][0]["member"]) == (
        "majority",
        "correctness:v1",
    )
    assert found["prompts"][0]["text"] == "=Ask."
    assert found["learned"][0]["learned"] == found["learned_from"][0]["learned"] == "abc"


def test_of_a_slice_what_is_about_its_questions(judged, tmp_path):
    found = tables(judged, tmp_path / "some.zip", "dataset=asqa")
    assert {one["question_id"] for one in found["measures"]} == {"q1"}


def test_what_is_of_a_deleted_system_is_in_no_table(judged, tmp_path):
    from annotate.services.deletion import delete_system

    delete_system(System.objects.get())
    found = tables(judged, tmp_path / "none.zip")
    assert [found[name] for name in ("measures", "pairs_shown", "families", "learned_from")] == [
        [],
        [],
        [],
        [],
    ]

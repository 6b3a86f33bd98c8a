"""Runs for programs."""

import pytest
from django.urls import reverse

from annotate import jobs
from annotate.models import Batch, System
from evaluation.models import Run, SystemFamily
from evaluation.running.shards import work
from tests.beginnings import beginning
from tests.evaluation.runs.doing import finished, plan_it, planned

pytestmark = pytest.mark.django_db


@beginning
def program(signed_in, bob):
    return signed_in(bob)


def post(program, name, *args, **data):
    return program.post(reverse(name, args=args), data, content_type="application/json")


def test_from_the_first_call_to_the_end(program, loaded):
    answer = post(program, "api-runs-list", "peaks", judge="alce", scorer="containment")
    assert answer.status_code == 201
    told = answer.json()
    assert (told["state"], told["queue"], told["workers"]) == ("planning", "default", [])
    run = plan_it(told["id"])
    assert run.state == Run.State.RUNNING  # it starts by itself unless told otherwise
    work(run.shards.get().pk)
    told = program.get(reverse("api-runs-detail", args=["peaks", run.pk])).json()
    assert (told["state"], told["share_done"], told["found"]["new"]) == ("done", 1.0, 7)
    assert told["parts"] == {"waiting": 0, "working": 0, "done": 1, "failed": 0}


def test_a_run_that_waits_for_its_start(program, loaded):
    run = post(
        program, "api-runs-list", "peaks", judge="alce", scorer="containment", start=False
    ).json()
    assert plan_it(run["id"]).state == Run.State.PLANNED
    told = post(program, "api-runs-start", "peaks", run["id"]).json()
    assert told["state"] == "running"
    assert post(program, "api-runs-pause", "peaks", run["id"]).json()["state"] == "paused"
    told = post(program, "api-runs-cancel", "peaks", run["id"], found="discard").json()
    assert told["state"] == "cancelled"


def test_a_refusal_has_the_shape_of_all_errors(program, loaded):
    run = finished(loaded)
    answer = post(program, "api-runs-pause", "peaks", run.pk)
    assert answer.status_code == 409
    assert "it is done" in str(answer.json())


@pytest.mark.parametrize(
    ("wrong", "status", "said"),
    [
        ({"judge": "nobody"}, 400, "nobody"),
        ({"threshold": 3}, 400, "less than or equal to 1"),
        ({"cap": 0}, 400, "from 1 to 1,000,000"),
        ({"systems": ["Umber"]}, 409, "There is no system “Umber”"),
        ({"batch": 999999}, 409, "no batch 999999"),
        ({"questions": 0}, 400, "greater than or equal to 1"),
        ({"families": {"Umber": "some"}}, 409, "There is no system “Umber”"),
        ({"families": {"Vermilion": "a|b"}}, 409, "hyphens as family"),
        ({"families": ["Quokka-9B"]}, 400, "Expected a dictionary"),
    ],
)
def test_what_is_wrong_is_said(program, loaded, wrong, status, said):
    answer = post(program, "api-runs-list", "peaks", **({"judge": "alce"} | wrong))
    assert answer.status_code == status
    assert said in str(answer.json())


def test_the_list_and_who_serves_the_queues(program, loaded):
    jobs.arrive("one", ["default"])
    planned(loaded)
    told = program.get(reverse("api-runs-list", args=["peaks"])).json()
    assert [run["state"] for run in told["runs"]] == ["planned"]
    assert told["queues"] == {"default": ["one"], "entailment": [], "outside": []}


def test_some_questions_and_whose_models_the_systems_are(program, peaks_too):
    system = System.objects.get(study=peaks_too)
    given = {"judge": "alce", "scorer": "containment", "start": False}
    told = post(
        program, "api-runs-list", "peaks", **given, questions=2, families={system.name: " some "}
    ).json()
    assert told["questions"] == 2
    assert plan_it(told["id"]).plan["responses"] == 2
    assert SystemFamily.objects.get(system=system).family == "some"
    # A run that is refused says nothing of systems.
    refused = post(
        program, "api-runs-list", "peaks", judge="model", families={system.name: "other"}
    )
    assert refused.status_code == 409
    assert SystemFamily.objects.get(system=system).family == "some"
    told = post(program, "api-runs-list", "peaks", **given, families={system.name: ""}).json()
    assert told["questions"] is None
    assert not SystemFamily.objects.exists()


def test_only_some_systems(program, peaks):
    answer = post(program, "api-runs-list", "peaks", judge="correctness", systems=["Quokka-9B"])
    assert answer.json()["systems"] == ["Quokka-9B"]
    assert not Batch.objects.exists()

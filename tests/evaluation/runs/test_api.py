"""Runs for programs."""

import pytest
from django.urls import reverse

from evaluation.models import Run
from evaluation.runs.shards import work
from tests.evaluation.runs.doing import plan_it

pytestmark = pytest.mark.django_db


def post(browser, name, *args, **data):
    return browser.post(reverse(name, args=args), data, content_type="application/json")


def test_from_the_first_call_to_the_end(browser, loaded):
    answer = post(browser, "api-runs-list", "peaks", judge="alce", scorer="containment")
    assert answer.status_code == 201
    told = answer.json()
    assert (told["state"], told["queue"], told["workers"]) == ("planning", "default", [])
    run = plan_it(told["id"])
    assert run.state == Run.State.RUNNING  # it starts by itself unless told otherwise
    work(run.shards.get().pk)
    told = browser.get(reverse("api-runs-detail", args=["peaks", run.pk])).json()
    assert (told["state"], told["share_done"], told["found"]["new"]) == ("done", 1.0, 7)
    assert told["parts"] == {"waiting": 0, "working": 0, "done": 1, "failed": 0}


def test_a_run_that_waits_for_its_start(browser, loaded):
    run = post(
        browser, "api-runs-list", "peaks", judge="alce", scorer="containment", start=False
    ).json()
    assert plan_it(run["id"]).state == Run.State.PLANNED
    told = post(browser, "api-runs-start", "peaks", run["id"]).json()
    assert told["state"] == "running"
    assert post(browser, "api-runs-pause", "peaks", run["id"]).json()["state"] == "paused"
    told = post(browser, "api-runs-cancel", "peaks", run["id"], found="discard").json()
    assert told["state"] == "cancelled"


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
def test_invalid_runs_are_refused_with_reasons(browser, loaded, wrong, status, said):
    answer = post(browser, "api-runs-list", "peaks", **({"judge": "alce"} | wrong))
    assert answer.status_code == status
    assert said in str(answer.json())

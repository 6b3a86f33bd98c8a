"""Batches through the JSON interface."""

import pytest
from django.test import Client

from annotate.authentication import new_token
from annotate.content.judgments import judge_of
from annotate.models import Assignment, Batch, Judge
from annotate.rating.assignments import finish, next_task
from annotate.rating.batches import create_batch
from tests.annotate.loading import judgment, load_judgments
from tests.shared_rows import shared_rows

BATCHES = "/api/studies/peaks/batches/"


@shared_rows
def program(bob):
    return Client(headers={"authorization": f"Bearer {new_token(bob, 'script')}"})


def make(program, **fields):
    return program.post(BATCHES, {"name": "Pilot", **fields}, content_type="application/json")


def test_a_batch_from_making_to_closing(peaks, program, rita):
    made = make(program, systems=["Vermilion"], questions="list", listed=["q1"], raters_per_item=2)
    assert made.status_code == 201
    row = made.json()
    assert (row["state"], row["tasks"], row["ratings_wanted"]) == ("draft", 1, 2)
    assert row["selection"]["systems"] == ["Vermilion"]
    one = f"{BATCHES}{row['id']}/"
    assert program.post(f"{one}open/").json()["state"] == "open"
    task = next_task(Batch.objects.get(), judge_of(peaks, rita))
    assert isinstance(task, Assignment)
    finish(task)
    done = program.get(one).json()
    assert (done["ratings"], done["raters"]) == (1, 1)
    assert program.post(f"{one}close/").json()["state"] == "closed"
    assert program.post(f"{one}open/").json()["closed_at"] is None
    assert [b["name"] for b in program.get(BATCHES).json()["batches"]] == ["Pilot"]


def test_names_stand_for_judges_and_numbers_for_practice(peaks, program):
    load_judgments(
        peaks, [judgment("s1", "citation_recall", "yes", judge="Key", judge_kind="reference")]
    )
    key = Judge.objects.get(name="Key")
    practice = create_batch(peaks, name="Practice", purpose="practice", gold=key)
    row = make(
        program, gold="Key", gold_listed=["q1"], gold_percent=10, qualification=practice.pk
    ).json()
    assert (row["gold"], row["qualification"], row["gold_tasks"]) == ("Key", practice.pk, 2)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"systems": ["Azure"]}, "no system “Azure”"),
        ({"gold": "Nobody"}, "no known answers by “Nobody”"),
        ({"qualification": 10**9}, "not one of this study"),
        ({"questions": "sample"}, "at least one"),
        ({"listed": ["q77"], "questions": "list"}, "“q77”"),
        ({"dimensions": ["pf_utility"]}, "does not ask “pf_utility”"),
    ],
)
def test_refusals_are_told(peaks, program, fields, said):
    answer = make(program, **fields)
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "refused"
    assert said in answer.json()["error"]["message"]
    assert not Batch.objects.exists()


def test_who_has_which_task(peaks, program, rita):
    made = make(program, raters_per_item=1, systems=["Vermilion"]).json()
    other = make(program, name="Other", systems=["Quokka-9B"]).json()
    at = f"{BATCHES}{made['id']}/"
    program.post(f"{at}open/")
    batch, rater = Batch.objects.get(pk=made["id"]), judge_of(peaks, rita)
    first = next_task(batch, rater)
    assert isinstance(first, Assignment)
    finish(first)
    held = next_task(batch, rater)
    assert isinstance(held, Assignment)
    rows = program.get(f"{at}assignments/").json()["assignments"]
    assert [(row["state"], row["done_at"] is None) for row in rows] == [
        ("done", False),
        ("active", True),
    ]
    assert rows[1] == {
        "id": held.pk,
        "item": held.item_id,
        "response": held.item.response_id,
        "unit": "r",
        "is_gold": False,
        "judge": rater.pk,
        "name": rater.name,
        "state": "active",
        "begun_at": rows[1]["begun_at"],
        "seen_at": rows[1]["seen_at"],
        "held_until": rows[1]["held_until"],
        "done_at": None,
    }
    page = program.get(f"{at}assignments/?limit=1").json()
    rest = program.get(f"{at}assignments/?after={page['after']}").json()
    assert page["assignments"] + rest["assignments"] == rows
    done = program.get(f"{at}assignments/?state=done").json()["assignments"]
    assert done == rows[:1]
    assert program.get(f"{BATCHES}{other['id']}/assignments/").json()["assignments"] == []

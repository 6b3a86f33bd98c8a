"""A viewer reads what a study found, and does nothing in it; people's names are not for them."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.authentication import new_token
from annotate.models import (
    Assignment,
    Batch,
    Flag,
    Judge,
    Judgment,
    Membership,
    Role,
    Scope,
    Unit,
    Worker,
)
from annotate.people import members
from annotate.rating.assignments import next_task
from annotate.rating.task_steps import steps_of
from annotate.web.errors import Refused
from evaluation.models import Run
from tests.annotate.addresses import a_run, desk_objects
from tests.annotate.loading import SKY
from tests.annotate.rating import answer
from tests.shared_rows import shared_rows


@shared_rows
def viewer(peaks, alice, vera, signed_in):
    members.join(members.invite(peaks, role=Role.VIEWER, author=alice), vera)
    return signed_in(vera)


def test_nobody_is_named_to_a_viewer(peaks, rita, alice, viewer, signed_in):
    """Raters at work, what they noted, who wrote a flag; a researcher is told."""
    desk_objects(peaks, rita)
    rita.name = "Marguerite"
    rita.save()
    judge = Judge.objects.get(study=peaks, user=rita)
    judge.name = "Marguerite"
    judge.save()
    sky = Unit.objects.get(response__study=peaks, response__question__text=SKY, key="s1")
    Judgment.objects.create(
        judge=judge, unit=sky, dimension="citation_recall", value="yes", note="I was there"
    )
    Flag.objects.create(judge=judge, unit=sky, reason=Flag.Reason.values[0], note="odd words")
    places = [
        reverse("response", args=["peaks", sky.response_id]),
        reverse("batch-monitor", args=["peaks", Batch.objects.get(name="First").pk]),
    ]
    told, known = (
        " ".join(client.get(place).content.decode() for place in places)
        for client in (viewer, signed_in(alice))
    )
    for secret in ("Marguerite", "I was there", "odd words"):
        assert secret in known
        assert secret not in told
    assert "1 × " in told


def test_a_rater_who_becomes_a_viewer_rates_no_more(peaks, rita, signed_in):
    batch_id = desk_objects(peaks, rita)["batch_id"]
    batch = Batch.objects.get(pk=batch_id)
    task = next_task(batch, Judge.objects.get(study=peaks, user=rita))
    assert isinstance(task, Assignment)
    step = steps_of(batch, task.item)[0]
    client = signed_in(rita)
    kept = answer(client, task, step.key, step.dimension.choices[0].value)
    assert kept.status_code == 200
    members.change_role(Membership.objects.get(study=peaks, user=rita), Role.VIEWER)
    before = Judgment.objects.count()
    assert answer(client, task, step.key, step.dimension.choices[1].value).status_code == 403
    assert Judgment.objects.count() == before


def test_owners_are_not_made_by_link(peaks, alice):
    with pytest.raises(Refused, match="Owners"):
        members.invite(peaks, role=Role.OWNER, author=alice)


def told_by_program(vera, name, *more, **query):
    key = new_token(vera, "x", scopes=list(Scope))
    headers = {"authorization": f"Bearer {key}"}
    return Client().get(reverse(name, args=["peaks", *more]), query, headers=headers)


def test_what_one_rater_said_is_not_searched_for_by_a_program(peaks, rita, vera, viewer):
    """Of a judge that is called after a person; an automatic one can be named."""
    people, judge = (
        Judge.objects.create(study=peaks, kind=kind, name=kind) for kind in ("human", "automatic")
    )
    sky = Unit.objects.get(response__study=peaks, response__question__text=SKY, key="s1")
    for one in (people, judge):
        Judgment.objects.create(judge=one, unit=sky, dimension="citation_recall", value="yes")
    of_person, of_judge = (
        told_by_program(vera, "api-responses-list", by=by.pk, label="citation_recall:yes")
        for by in (people, judge)
    )
    assert of_judge.json()["total"] == 1
    assert of_person.status_code == 400
    assert [*of_person.json()["error"]["details"]] == ["by"]


def test_no_worker_is_named_to_a_program_of_a_viewer(peaks, vera, viewer):
    now = timezone.now()
    queues = ["default", "entailment", "outside"]
    Worker.objects.create(name="w on host7", queues=queues, since=now, seen_at=now)
    run = a_run(peaks)
    Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING)
    told = [
        told_by_program(vera, name, *more).content
        for name, *more in (["api-runs-list"], ["api-runs-detail", run.pk], ["api-report"])
    ]
    assert [b"workers" in one for one in told] == [True] * 3
    assert [b"host7" in one for one in told] == [False] * 3

"""Designs of batches that come with a copy of their study."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from annotate.authentication import new_token
from annotate.exchange.copying import copy_study
from annotate.models import AuditEntry, Batch, Study, System
from annotate.rating.batches import (
    Selection,
    change_batch,
    create_batch,
    draw_tasks,
    open_batch,
    systems_named,
)
from annotate.web.errors import Refused
from tests.annotate import batched
from tests.annotate.batched import rows, sample
from tests.annotate.loading import judgment, load, load_judgments
from tests.annotate.pages import visible

peaks, key = batched.peaks, batched.key

SAME = ("name", "purpose", "dimensions", "granularity", "order", "seed", "raters_per_item")


@pytest.fixture
def designed(peaks, alice):
    """Practice, a sample that asks for it, and what is left for a second one."""
    practice = create_batch(
        peaks,
        name="Practice",
        purpose="practice",
        selection=Selection(questions="list", listed=("q8",)),
    )
    first = create_batch(
        peaks,
        author=alice,
        name="First",
        **sample(3, seed=5, systems=systems_named(peaks, ["Amber", "Bronze"])),
        qualification=practice,
        order="together",
        raters_per_item=4,
        consent="Read this.",
        dimensions=["citation_recall"],
    )
    second = create_batch(
        peaks, name="Second", selection=Selection(apart_from=(first.pk,)), dimensions=["utility"]
    )
    return tuple(Batch.objects.get(pk=batch.pk) for batch in (practice, first, second))


def copied(client, **data):
    answer = client.post("/studies/peaks/copy/", {"name": "Again", "with_batches": "on", **data})
    assert answer.status_code == 302
    return Study.objects.get(name="Again"), answer["Location"]


def held(batch):
    names = "response__question__external_id", "response__system__name", "unit__key"
    return sorted(batch.items.values_list(*names))


def test_without_responses_they_come_as_drafts_without_a_task(signed_in, alice, designed):
    open_batch(designed[2])
    made, _ = copied(signed_in(alice))
    drafts = {batch.name: batch for batch in made.batches.all()}
    assert {*drafts} == {"Practice", "First", "Second"}
    for batch in designed:
        draft = drafts[batch.name]
        assert [getattr(draft, name) for name in SAME] == [getattr(batch, name) for name in SAME]
        assert (draft.state, draft.items.count(), draft.selection) == ("draft", 0, batch.selection)
        assert draft.nonce != batch.nonce
    first = drafts["First"]
    assert (first.qualification, first.consent, first.created_by) == (
        drafts["Practice"], "Read this.", alice,
    )  # fmt: skip
    noted = AuditEntry.objects.get(study_id=designed[0].study_id, act="study-copied")
    assert noted.details["with_batches"] is True
    with pytest.raises(Refused, match="draw its tasks first"):
        open_batch(first)


def test_once_the_responses_are_there_the_same_tasks_are_drawn(signed_in, alice, designed):
    client = signed_in(alice)
    made, address = copied(client, with_responses="on")
    practice, first, second = made.batches.order_by("pk")
    at = f"/studies/{made.slug}/batches/"
    page = visible(client.get(f"{at}{first.pk}/").content.decode())
    assert "This batch has a design but no tasks" in page
    assert "Draw tasks" in page
    said = visible(client.post(f"{at}{first.pk}/draw/", follow=True).content.decode())
    assert "“Amber”, “Bronze”: no responses" in said
    client.post(f"{address}confirm/")
    said = visible(client.post(f"{at}{second.pk}/draw/", follow=True).content.decode())
    assert "apart from “First”: draw its tasks first" in said
    for draft, batch in zip((practice, first, second), designed, strict=True):
        page = visible(client.post(f"{at}{draft.pk}/draw/", follow=True).content.decode())
        assert f"“{batch.name}” has its tasks" in page
        assert "Draw tasks" not in page
        assert held(draft) == held(batch)
        draft.refresh_from_db()
        assert (draft.state, draft.selection) == ("draft", batch.selection)
        shuffles = [
            b.items.order_by("shuffle").values_list("shuffle", flat=True) for b in (draft, batch)
        ]
        assert [*shuffles[0]] == [*shuffles[1]]
    with pytest.raises(Refused, match="has its tasks already"):
        draw_tasks(first)
    assert AuditEntry.objects.filter(study_id=made.pk, act="batch-drawn").count() == 3


def test_a_judge_of_known_answers_goes_by_its_name(peaks, key, alice):
    chosen = Selection(gold_count=2, questions="sample", sample_size=2, seed=3)
    batch = create_batch(peaks, name="Gold", selection=chosen, seed=3, gold=key, gold_percent=20)
    made, _ = copy_study(peaks, name="Again", owner=alice, with_batches=True)
    draft = made.batches.get()
    change_batch(draft, {"raters_per_item": 2, "gold_percent": 30})
    load(made, rows())
    with pytest.raises(Refused, match="Choose a source of gold answers"):
        draw_tasks(draft)
    load_judgments(
        made,
        [
            judgment(
                "s1", "citation_recall", "yes", judge=batched.KEY, judge_kind="reference",
                system=system, question_id=f"q{n}",
            )
            for n in range(1, 5)
            for system in ("Amber", "Bronze")
        ],
    )  # fmt: skip
    drawn = draw_tasks(draft)
    assert drawn.gold == made.judges.get(name=batched.KEY)
    assert held(drawn) == held(batch)
    assert "known_by" not in drawn.selection


def test_what_is_no_longer_asked_is_left_out(peaks, designed, alice):
    Study.objects.filter(pk=peaks.pk).update(dimensions=["utility"])
    peaks.refresh_from_db()
    made, _ = copy_study(peaks, name="Again", owner=alice, with_batches=True)
    assert {b.name: b.dimensions for b in made.batches.all()} == {
        "Practice": ["utility"], "Second": ["utility"],
    }  # fmt: skip


def test_pages_of_a_design_open_and_another_is_made_like_it(signed_in, alice, designed):
    client = signed_in(alice)
    made, _ = copied(client)
    for draft in made.batches.all():
        for name in ("batch", "batch-edit", "batch-gold", "batch-monitor", "batch-preview"):
            answer = client.get(reverse(name, args=[made.slug, draft.pk]))
            assert answer.status_code in {200, 302}, (name, draft.name)
    assert client.get(reverse("batches", args=[made.slug])).status_code == 200
    load(made, rows(systems=("Other",)))
    first = made.batches.get(name="First")
    form = client.get(f"/studies/{made.slug}/batches/new/?like={first.pk}").context["form"]
    assert (form["name"].value(), form["seed"].value()) == ("First (copy)", 5)
    other = System.objects.get(study=made, name="Other")
    assert form["systems"].value() == [str(other.pk)]


def test_by_program_and_from_the_terminal(alice, designed):
    program = Client(headers={"authorization": f"Bearer {new_token(alice, 'script')}"})
    sent = {"name": "Again", "with_batches": True}
    answer = program.post("/api/studies/peaks/copy/", sent, content_type="application/json")
    made = Study.objects.get(slug=answer.json()["slug"])
    load(made, rows())
    draft = made.batches.get(name="First")
    at = f"/api/studies/{made.slug}/batches/{draft.pk}/draw/"
    assert program.post(at).json()["tasks"] == designed[1].items.count()
    assert program.post(at).status_code == 409
    call_command("create_study", "third", copy_of="peaks", with_batches=True)
    assert Batch.objects.filter(study__slug="third").count() == 3
    with pytest.raises(CommandError, match="name the study"):
        call_command("create_study", "fourth", preset="ais", with_batches=True)

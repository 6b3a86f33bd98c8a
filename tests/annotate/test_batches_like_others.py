"""A new batch that begins like another one, of the same study or of another."""

import pytest
from django.test import Client
from django.urls import reverse

from annotate.authentication import new_token
from annotate.models import Batch, Judge, Membership, Role
from annotate.rating.batches import Selection, create_batch
from annotate.studies.lifecycle import create_study
from tests.annotate.pages import policy_faults

NAMES = ("Vermilion",)


@pytest.fixture
def designed(peaks, bob):
    """A batch in which little is as a new one has it."""
    practice = create_batch(
        peaks,
        name="Practice",
        purpose="practice",
        gold=Judge.objects.create(study=peaks, kind="reference", name="Known"),
    )
    return create_batch(
        peaks,
        author=bob,
        name="Pilot",
        selection=Selection(
            systems=tuple(peaks.systems.filter(name__in=NAMES).values_list("pk", flat=True)),
            questions="list",
            listed=("q1",),
            left_out=("q2",),
            seed=9,
        ),
        dimensions=["citation_recall"],
        order="together",
        seed=9,
        raters_per_item=4,
        lease_minutes=17,
        consent="Read this first.",
        qualification=practice,
    )


def form_at(client, slug, batch):
    answer = client.get(f"{reverse('batch-new', args=[slug])}?like={batch.pk}")
    assert answer.status_code == 200
    assert policy_faults(answer.content.decode()) == []
    return answer.context["form"]


def begun(form, *names):
    return [form[name].value() for name in names]


def test_it_is_filled_in_and_makes_the_same_again(signed_in, bob, peaks, designed):
    client = signed_in(bob)
    page = client.get(reverse("batch", args=["peaks", designed.pk])).content.decode()
    assert f"/studies/peaks/batches/new/?like={designed.pk}" in page
    form = form_at(client, "peaks", designed)
    same = ("questions", "listed", "left_out", "seed", "order", "raters_per_item", "consent")
    assert begun(form, *same) == ["list", "q1", "q2", 9, "together", 4, "Read this first."]
    sent = {name: form[name].value() for name in form.fields}
    sent = {name: value for name, value in sent.items() if value not in (None, False)}
    sent |= {"qualification": designed.qualification_id, "apart_from": []}
    designed.items.all().delete()  # or all that it would take is in the first one
    answer = client.post(reverse("batch-new", args=["peaks"]), sent)
    assert answer.status_code == 302, answer.context["form"].errors
    made = Batch.objects.get(study=peaks, name="Pilot (copy)")
    designed.refresh_from_db()
    assert made.selection == designed.selection
    for name in [
        "dimensions",
        "order",
        "seed",
        "raters_per_item",
        "lease_minutes",
        "consent",
        "qualification",
    ]:
        assert getattr(made, name) == getattr(designed, name), name


def test_in_another_study_what_is_there_goes_by_its_name(signed_in, bob, elsewhere, designed):
    Membership.objects.create(study=elsewhere, user=bob, role=Role.RESEARCHER)
    form = form_at(signed_in(bob), "elsewhere", designed)
    assert begun(form, "name", "lease_minutes", "dimensions") == ["Pilot", 17, ["citation_recall"]]
    keys = elsewhere.systems.filter(name__in=NAMES).values_list("pk", flat=True)
    assert form["systems"].value() == [str(pk) for pk in keys]
    assert form["qualification"].value() is None
    Batch.objects.filter(pk=designed.pk).update(selection={"systems": ["Nobody"]})
    form = form_at(signed_in(bob), "elsewhere", designed)
    assert len(form["systems"].value()) == elsewhere.systems.count()


@pytest.mark.parametrize("role", [Role.VIEWER, Role.RATER, None])
def test_no_design_of_a_study_in_which_one_does_not_research(
    signed_in, oscar, designed, role, elsewhere
):
    if role:
        Membership.objects.create(study=designed.study, user=oscar, role=role)
    form = form_at(signed_in(oscar), "elsewhere", designed)
    assert form["name"].value() is None
    page = signed_in(oscar).get(reverse("batch-new", args=["elsewhere"])).content.decode()
    assert "Pilot" not in page


def test_a_program_makes_one_like_another(peaks, bob, rita, designed):
    program = Client(headers={"authorization": f"Bearer {new_token(bob, 'script')}"})
    sent = {"name": "Second", "like": designed.pk, "dimensions": ["utility"], "lease_minutes": 20}
    at = "/api/studies/peaks/batches/"
    answer = program.post(at, sent, content_type="application/json")
    assert answer.status_code == 201, answer.json()
    made = Batch.objects.get(name="Second")
    designed.refresh_from_db()
    same = ("purpose", "order", "seed", "raters_per_item", "consent", "qualification", "selection")
    assert [getattr(made, name) for name in same] == [getattr(designed, name) for name in same]
    assert (made.dimensions, made.lease_minutes) == (["utility"], 20)
    Membership.objects.filter(study=peaks, user=bob).update(role=Role.OWNER)
    other = create_study(name="Elsewhere", slug="elsewhere", preset="alce", owner=rita)
    hidden = Batch.objects.create(
        study=other, name="Hidden", dimensions=["utility"], raters_per_item=1, lease_minutes=1
    )
    refused = program.post(at, {**sent, "like": hidden.pk}, content_type="application/json")
    assert refused.status_code == 400
    assert [*refused.json()["error"]["details"]] == ["like"]

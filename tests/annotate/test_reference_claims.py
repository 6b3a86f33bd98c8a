"""Claims of references as units: made by batches, retired when the reference changes."""

import json
from dataclasses import replace

import pytest
from django.urls import reverse

from annotate import uploads
from annotate.content.judgments import judge_of, record_judgment
from annotate.exchange.streams import judgments_csv
from annotate.models import Judgment, Unit
from annotate.protocol.dimensions import UnitKind
from annotate.protocol.faults import faults_of_dimension
from annotate.protocol.shipped import SHIPPED
from annotate.rating.batches import Selection, create_batch, open_batch, preview
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from annotate.studies.wordings import save_dimension
from annotate.web.errors import Refused
from tests.annotate.loading import ZUGSPITZE, check, load, response
from tests.annotate.rating import answer, at, finish, open_work, rater_in, take
from tests.annotate.test_dimensions_pages import DRAFT
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.usefixtures("counts_hold")

CLAIMS = ["It is 2,962 m high.", "It is in Bavaria."]


def row(system, claims=CLAIMS):
    made = response("It is 2,962 m high [1].", system=system)
    return made | {"question": {"id": "q1", "text": ZUGSPITZE, "references": {"claims": claims}}}


@shared_rows
def recalled(alice):
    study = create_study(name="Said", slug="said", preset="reference_claims", owner=alice)
    load(study, [row("Amber"), row("Bronze")])
    return study


def change(study, claims):
    line = json.dumps({"question_id": "q1", "references": {"claims": claims}})
    upload = check(study, "references.jsonl", line)
    uploads.accept(upload, replace=True)
    uploads.work(upload.pk)


def keys(batch):
    item = batch.items.earliest("pk")
    return [step.key for step in steps_of(batch, item)]


def test_a_batch_makes_them(recalled):
    counts = preview(recalled, Selection())
    assert (counts.tasks, counts.answers) == (2, 4)
    assert not Unit.objects.filter(kind="reference_claim").exists()
    batch = create_batch(recalled, name="Said", granularity="unit")
    found = batch.items.values_list("response__system__name", "unit__text")
    assert sorted(found) == [(name, text) for name in ("Amber", "Bronze") for text in CLAIMS]


def test_what_was_said_of_a_claim_that_changed_counts_no_more(recalled, rita):
    batch = create_batch(recalled, name="Said")
    open_batch(batch)
    judge = judge_of(recalled, rita)
    for unit in Unit.objects.filter(kind="reference_claim"):
        record_judgment(judge=judge, unit=unit, dimension="reference_said", value="yes")
    change(recalled, [CLAIMS[1], "It was first climbed in 1820."])
    said = Judgment.objects.current().values_list("unit__text", flat=True)
    assert list(said) == [CLAIMS[1]] * 2
    assert Judgment.objects.count() == 4
    assert keys(batch) == ["k2:reference_said", "k3:reference_said"]
    change(recalled, CLAIMS)
    assert Judgment.objects.current().count() == 4
    assert keys(batch) == ["k1:reference_said", "k2:reference_said"]


def test_judgments_go_into_another_study(recalled, rita, alice):
    create_batch(recalled, name="Said")
    judge = judge_of(recalled, rita)
    unit = Unit.objects.get(key="k2", response__system__name="Bronze")
    record_judgment(judge=judge, unit=unit, dimension="reference_said", value="partial")
    text = "".join(judgments_csv(recalled))
    elsewhere = create_study(name="There", slug="there", preset="reference_claims", owner=alice)
    load(elsewhere, [row("Amber"), row("Bronze")])
    upload = check(elsewhere, "judgments.csv", text)
    uploads.accept(upload)
    uploads.work(upload.pk)
    [kept] = Judgment.objects.filter(unit__response__study=elsewhere)
    assert (kept.unit.key, kept.unit.text, kept.value) == ("k2", CLAIMS[1], "partial")
    upload = check(elsewhere, "judgments.csv", text.replace(",k2,", ",k3,"))
    assert "one of the 2 claims of the question's reference" in str(upload.findings)


@pytest.mark.parametrize(("marks", "good", "gone"), [("text", "0-19", "0-20"),
                                                     ("passages", "p1@0-4", "p9@0-4")])  # fmt: skip
def test_words_marked_about_claims_that_are_still_to_be_made(recalled, alice, marks, good, gone):
    words = replace(SHIPPED["error_spans"], key="where", severities=(), marks=marks)
    save_dimension(recalled, replace(words, unit_kind=UnitKind.REFERENCE_CLAIM), by=alice)
    label = words.choices[0].value
    said = [
        {"system": "Amber", "question_id": "q1", "unit": "k1", "dimension": "where",
         "judge": name, "judge_kind": "human", "value": f"{value}:{label}"}
        for name, value in (("ann", good), ("ben", gone))
    ]  # fmt: skip
    upload = check(recalled, "judgments.jsonl", "\n".join(map(json.dumps, said)))
    told = str(upload.findings)
    assert "line 2, field value: expected places of words that are there" in told
    uploads.accept(upload, keep_good=True)
    uploads.work(upload.pk)
    [kept] = Judgment.objects.filter(dimension="where")
    assert (kept.unit.key, kept.judge.name) == ("k1", "ann")


# Against the reference --------------------------------------------------------------------------


TEXT = "The Zugspitze is 2,962 m high.\n\nIt lies in Bavaria, in the Wetterstein."


@shared_rows
def checked(alice):
    study = create_study(name="Check", slug="check", preset="reference_check", owner=alice)
    rows = [row("Bronze"), row("Amber")]
    for number, references in enumerate(({"claims": CLAIMS}, {"answer": "x"}), 2):
        rows.append(row("Amber"))
        rows[-1]["question"] = {"id": f"q{number}", "text": "?", "references": references}
    for one in rows[:2]:
        one["question"]["references"]["answer"] = TEXT
    load(study, rows)
    return study


def test_each_reference_is_asked_about_once_and_alone(checked):
    batch = open_work(checked, raters_per_item=1)
    [item] = batch.items.all()  # of q2 there is no text, of q3 no claim
    assert (item.response.question.external_id, item.response.system.name) == ("q1", "Amber")
    assert keys(batch) == ["k1:reference_holds", "k2:reference_holds", "r:reference_covered"]
    checked.dimensions = ["utility", "reference_said", *checked.dimensions]
    checked.save()
    with pytest.raises(Refused, match="asked about the reference has a batch of its own"):
        create_batch(checked, name="Both", dimensions=checked.dimensions)
    assert create_batch(checked, name="Others").dimensions == ["utility", "reference_said"]


def test_the_reference_is_in_sight_and_no_answer(checked, client, alice, bob):
    batch = open_work(checked, raters_per_item=2)
    for name, holds in (("rita", "yes"), ("rolf", "no")):
        user = rater_in(checked, name)
        client.force_login(user)
        task = take(client, batch)
        page = client.get(at(task, "task") + "?step=end").content.decode()
        assert "in the Wetterstein" in page
        assert "[1]" not in page
        assert 'class="chip' not in page
        assert "The whole reference answer" in page
        assert page.count("<li dir=") == len(CLAIMS)
        for step, value in (("k1", holds), ("k2", "yes")):
            answer(client, task, f"{step}:reference_holds", value)
        answer(client, task, "r:reference_covered", "partial")
        assert finish(client, task).status_code == 200
    client.force_login(alice)
    unit = Unit.objects.get(key="k1")
    page = client.get(reverse("dispute", args=["check", unit.pk, "reference_holds"]))
    html = page.content.decode()
    assert "in the Wetterstein" in html
    assert 'class="chip' not in html
    whole = Unit.objects.get(key="r", response=unit.response)
    for one, dimension in ((unit, "reference_holds"), (whole, "reference_covered")):
        address = f"{reverse('example-new', args=['check'])}?unit={one.pk}&dimension={dimension}"
        said = {"value": "yes", "explanation": "So."}
        assert client.post(address, said).status_code == 302
    guidelines = client.get(reverse("guidelines", args=["check"])).content.decode()
    assert guidelines.count("in the Wetterstein") == 2
    assert guidelines.count("It is in Bavaria.") == 1
    assert "[1]" not in guidelines.partition("Examples")[2]


def test_the_editor_shows_the_form_also_where_no_reference_has_a_text(alice, client):
    study = create_study(name="Form", slug="form", preset="reference_check", owner=alice)
    load(study, [row("Amber")])
    client.force_login(alice)
    draft = {**DRAFT, "about": "reference_claim", "sight": "reference"}
    address = reverse("dimension-preview", args=["form"])
    page = client.post(address, draft, headers={"HX-Request": "true"}).content.decode()
    assert "reference has no text" in page


def test_what_a_question_about_the_reference_cannot_have():
    for wrong, said in (
        ({"unit_kind": UnitKind.STATEMENT}, "about: expected reference_claim, or response"),
        ({"asked_of": ("people", "automatic")}, "asked_of: expected people"),
        ({"unit_kind": UnitKind.RESPONSE, "cited_only": True}, "cited_only: expected nothing"),
    ):
        faults = faults_of_dimension(replace(SHIPPED["reference_holds"], **wrong))
        assert any(said in str(fault) for fault in faults), wrong

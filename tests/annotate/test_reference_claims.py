"""Claims of references as units: made by batches, retired when the reference changes."""

import json

import pytest

from annotate.export.streams import judgments_csv
from annotate.models import Judgment, Unit
from annotate.services import uploads
from annotate.services.batches import Selection, create_batch, open_batch, preview
from annotate.services.judgments import judge_of, record_judgment
from annotate.services.rating.questions import steps_of
from annotate.services.studies import create_study
from tests.annotate.loading import ZUGSPITZE, check, load, response

CLAIMS = ["It is 2,962 m high.", "It is in Bavaria."]


def row(system, claims=CLAIMS):
    made = response("It is 2,962 m high [1].", system=system)
    return made | {"question": {"id": "q1", "text": ZUGSPITZE, "references": {"claims": claims}}}


@pytest.fixture
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
    batch = create_batch(recalled, name="Said")
    assert keys(batch) == ["k1:reference_said", "k2:reference_said"]
    found = Unit.objects.filter(kind="reference_claim", response__system__name="Amber")
    assert list(found.values_list("text", flat=True)) == CLAIMS


def test_one_at_a_time(recalled):
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


def test_a_claim_that_the_reference_has_not(recalled):
    line = {"system": "Amber", "question_id": "q1", "unit": "k3", "dimension": "reference_said",
            "judge": "ann", "judge_kind": "human", "value": "yes"}  # fmt: skip
    upload = check(recalled, "judgments.jsonl", json.dumps(line))
    assert "one of the 2 claims of the question's reference" in str(upload.findings)

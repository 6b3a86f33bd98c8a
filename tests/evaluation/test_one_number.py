"""One number, one value: a batch's page, the raters' pages, labels and report say the same."""

import random

import pytest

from annotate.management.demo.loading import load_demo
from annotate.models import Assignment, Batch, Judge, Study, Unit
from annotate.rating.batches import adopt_ratings, create_batch
from annotate.studies.lifecycle import create_study
from evaluation.labels import batch_agreement, raters, study_labels
from evaluation.report_pages.gathering import gather
from evaluation.reports.filters import LABEL_METHODS, Filters
from evaluation.reports.numbers import rounded
from evaluation.reports.sections.people import people
from evaluation.reports.selection import select
from tests.annotate.loading import load, response
from tests.evaluation.desk import rater, says

pytestmark = pytest.mark.django_db

SYSTEMS, QUESTIONS = ("Amber", "Blue"), ("q1", "q2", "q10")
ASKED = ("interpretable", "attributable", "citation_recall", "utility")


def in_report(study, **filters):
    selected = select(gather(study), Filters(**filters))
    return {entry["item"]: entry for entry in people(selected)}


def of_report(entry, reason=""):
    """What the page of the batch shows, as the report has it."""
    alpha = entry["alpha"]
    return (
        entry["percent"]["value"],
        alpha["value"],
        alpha["n"],
        alpha["low"],
        alpha["high"],
        alpha["reason"] or alpha["interval_reason"],
    )


def of_batch(row):
    return (
        rounded(row.observed.value),
        rounded(row.alpha.value),
        row.units,
        rounded(row.interval.low),
        rounded(row.interval.high),
        row.interval.reason,
    )


def as_in_report(batch):
    """Whether every question that was answered in the batch has the same numbers in both."""
    shown = {row.dimension.key: of_batch(row) for row in batch_agreement.agreement(batch)}
    found = {key: of_report(entry) for key, entry in in_report(batch.study, batch=batch.pk).items()}
    assert {key: shown[key] for key in found if key in shown} == {
        key: found[key] for key in found if key in shown
    }
    assert all(numbers[2] == 0 for key, numbers in shown.items() if key not in found)
    return shown


def test_the_demos_short_answers_have_one_alpha():
    """Who does not find an answer interpretable says no to attributable, on the page as well."""
    load_demo()
    study = Study.objects.get(slug="demo-short-answers")
    batch = create_batch(study, name="Simulated", raters_per_item=5, seed=7)
    adopt_ratings(batch, list(study.judges.filter(kind=Judge.Kind.SIMULATED)))
    shown = as_in_report(batch)
    interpretable, attributable = shown["interpretable"], shown["attributable"]
    # Everybody has a vote on both, and so the same answers are compared.
    assert attributable[2] == interpretable[2] > 80
    assert attributable[3] < attributable[1] < attributable[4]
    listed = {row.judge.name: row.others for row in raters.rater_rows(study)}
    entries = in_report(study).values()
    for name, others in listed.items():
        each = [x for entry in entries for x in entry["each_rater"] if x["rater"] == name]
        assert others.comparisons == sum(x["comparisons"] for x in each)
        assert others.units == sum(x["units"] for x in each)


def drawn_study(alice, seed):
    """A small study with random answers of five raters, one excluded, each given some of it."""
    draw = random.Random(seed)
    study = create_study(name="Drawn", slug=f"drawn-{seed}", preset="ais", owner=alice)
    study.dimensions = [key for key in ASKED if draw.random() < 0.9] or ["utility"]
    study.save()
    load(
        study,
        [
            response("High [1]. A peak [2].", system=s, question=f"What is {q}?", question_id=q)
            for s in SYSTEMS
            for q in QUESTIONS
        ],
    )
    judges = [rater(study, f"rater {n}") for n in range(5)]
    units = [u for r in study.responses.all() for u in r.units.filter(kind="response")]
    for unit in units:
        for judge in judges:
            for key in ("interpretable", "attributable", "utility"):
                if draw.random() < (0.3 if key == "attributable" else 0.7):
                    choices = "12345" if key == "utility" else ("yes", "no")
                    says(judge, unit, key, draw.choice(choices))
    for unit in Unit.objects.filter(response__study=study, kind="statement"):
        for judge in judges:
            if draw.random() < 0.5:
                says(judge, unit, "citation_recall", draw.choice(["yes", "no"]))
    if draw.random() < 0.6:
        Judge.objects.filter(pk=judges[0].pk).update(standing="excluded")
    if draw.random() < 0.3:
        study.responses.filter(pk=units[0].response_id).update(live=None)
    made = Batch.objects.create(
        study=study,
        name="Drawn",
        dimensions=[key for key in ASKED if draw.random() < 0.8] or ["attributable"],
        raters_per_item=3,
        granularity=draw.choice(["response", "unit"]),
        lease_minutes=30,
    )
    for number, unit in enumerate(units):
        if draw.random() < 0.8:
            item = made.items.create(
                response=unit.response, unit=unit, shuffle=number, question_shuffle=number
            )
            for judge in judges:
                if draw.random() < 0.7:
                    Assignment.objects.create(
                        batch=made, item=item, judge=judge, lease_until=study.created_at
                    )
    for name in ("ann", "ben"):
        judge = rater(study, name, kind=Judge.Kind.ADJUDICATED)
        for unit in draw.sample(units, 2):
            says(judge, unit, "attributable", draw.choice(["yes", "no"]))
    return study, made


def from_database(study, method, batch):
    return {
        (label.response, label.key, label.dimension): label.value
        for label in study_labels.labels(study, study_labels.Method(method), batch)
    }


def from_report(study, method, batch):
    data = gather(study)
    selected = select(data, Filters(labels=method, batch=batch and batch.pk))
    known = {
        (r.system.name, r.question.external_id): r.pk
        for r in study.responses.filter(live=True).select_related("system", "question")
    }

    def place(unit):
        of = data.units.response[unit]
        system = data.systems[data.responses.system[of]].name
        return known[system, data.questions[data.responses.question[of]]], data.units.key[unit]

    return {
        (*place(unit), key): value for key in ASKED for unit, value in selected.labels(key).items()
    }


@pytest.mark.parametrize("seed", range(8))
def test_random_studies_have_one_value_of_each_number(alice, seed):
    study, batch = drawn_study(alice, seed)
    for method in LABEL_METHODS:
        for within in (None, batch):
            expected = from_report(study, method, within)
            assert from_database(study, method, within) == expected
    as_in_report(batch)
    entries = in_report(study).values()
    for row in raters.rater_rows(study):
        page = raters.rater(row.judge).total.others
        assert (row.others.units, row.others.comparisons) == (page.units, page.comparisons)
        assert row.others.shares == pytest.approx(page.shares)
        each = [x for entry in entries for x in entry["each_rater"] if x["rater"] == row.judge.name]
        assert row.others.comparisons == sum(x["comparisons"] for x in each)
        shares = sum(x["share"] * x["units"] for x in each if x["share"] is not None)
        assert row.others.shares == pytest.approx(shares, abs=1e-4)

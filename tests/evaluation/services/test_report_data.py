"""Reading a study for reports: what counts, in which order, in how few queries."""

import random

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.management.demo.loading import DEMO_STUDIES, load_demo
from annotate.models import Assignment, Batch, Judge, Judgment, Response, Study, Unit, Upload
from annotate.protocol.shipped import SHIPPED
from annotate.studies.lifecycle import create_study
from evaluation.labels import study_labels as aggregates
from evaluation.report_pages.gathering import gather
from evaluation.reports.filters import Filters
from evaluation.reports.selection import select
from tests.annotate.loading import judgment, load, load_judgments, response
from tests.evaluation.reports.studies import differences
from tests.shared_rows import shared_rows

SYSTEMS = ("Amber", "Blue", "Coral")
QUESTIONS = ("q1", "q2", "q10")
KEYS = {
    "utility": ("r",),
    "interpretable": ("r",),
    "attributable": ("r",),
    "citation_recall": ("s1", "s2"),
    "citation_support": ("s1.c1", "s2.c1", "s2.c2"),
}


def outputs() -> list[dict]:
    return [
        response(
            "It is high [1]. It is a peak [1][2].",
            system=system,
            question=f"What is {question}?",
            question_id=question,
        )
        for system in SYSTEMS
        for question in QUESTIONS
    ]


def votes(seed: int = 1) -> list[dict]:
    """Random votes of four raters, who leave some out; one does not find everything clear."""
    draw = random.Random(seed)
    return [
        judgment(
            unit,
            dimension,
            draw.choice(SHIPPED[dimension].low_to_high),
            system=system,
            question_id=question,
            judge=f"Rater {rater}",
        )
        for system in SYSTEMS
        for question in QUESTIONS
        for dimension, units in KEYS.items()
        for unit in units
        for rater in range(1, 5)
        if draw.random() < (0.4 if dimension == "attributable" else 0.8)
    ]


@shared_rows
def voted(alice) -> Study:
    """A study of all dimensions with random votes."""
    return made(alice, "voted", outputs(), votes())


def made(owner, slug: str, responses: list[dict], rows: list[dict]) -> Study:
    study = create_study(name="Voted", slug=slug, preset="alce", owner=owner)
    study.dimensions = list(KEYS)
    study.save()
    load(study, responses)
    load_judgments(study, rows)
    return study


@pytest.mark.postgresql
def test_everything_is_there_under_its_names(peaks):
    data = gather(peaks)
    current = Judgment.objects.current().filter(judge__study=peaks)
    assert len(data.judgments) == current.count() > 0
    assert [s.name for s in data.systems] == sorted(
        set(Response.objects.values_list("system__name", flat=True))
    )
    written = {
        (j.unit.response.system.name, j.unit.response.question.external_id, j.unit.key,
         j.dimension, j.judge.name, j.value, j.skipped_reason, j.score)
        for j in current
    }  # fmt: skip
    found, js = set(), data.judgments
    for row in range(len(js)):
        at = data.units.response[js.unit[row]]
        key = list(SHIPPED)[js.dimension[row]]
        value = "" if js.value[row] < 0 else SHIPPED[key].values[js.value[row]]
        reason = "" if js.reason[row] < 0 else data.reasons[js.reason[row]]
        score = None if np.isnan(js.score[row]) else js.score[row]
        found.add(
            (data.systems[data.responses.system[at]].name,
             data.questions[data.responses.question[at]], data.units.key[js.unit[row]],
             key, data.judges[js.judge[row]].name, value, reason, score)
        )  # fmt: skip
    assert found == written


@pytest.mark.postgresql
def test_practice_replaced_responses_and_hidden_uploads_are_not_there(voted):
    before = gather(voted)
    unit = Unit.objects.filter(response__study=voted, key="r").earliest("pk")
    trainee = Judge.objects.create(study=voted, name="trainee", kind="trainee")
    Judgment.objects.create(judge=trainee, unit=unit, dimension="utility", value="3")
    hidden = Upload.objects.create(study=voted, name="x", size=1, digest="x")
    judge = Judge.objects.create(study=voted, name="early", kind="automatic", upload=hidden)
    Judgment.objects.create(judge=judge, unit=unit, dimension="utility", value="3", upload=hidden)
    assert not differences(before, gather(voted))

    replaced = Response.objects.filter(study=voted, system__name="Amber").earliest("pk")
    lost = Judgment.objects.current().filter(unit__response=replaced)
    gone = lost.exclude(judge__kind="trainee").count()
    Response.objects.filter(pk=replaced.pk).update(live=None)
    after = gather(voted)
    assert len(after.judgments) == len(before.judgments) - gone
    assert len(after.responses) == len(before.responses) - 1


def batch_of(study: Study, *, granularity: str, dimensions: list[str], keys: list[str]) -> Batch:
    """A batch of two systems' units; Rater 1 and 2 were given every other one of them."""
    batch = Batch.objects.create(
        study=study,
        name=f"by {granularity}",
        dimensions=dimensions,
        raters_per_item=2,
        granularity=granularity,
        lease_minutes=30,
    )
    units = Unit.objects.filter(
        response__study=study, response__system__name__in=SYSTEMS[:2], key__in=keys
    ).order_by("pk")
    judges = list(study.judges.filter(name__in=["Rater 1", "Rater 2"]).order_by("name"))
    for number, unit in enumerate(units):
        item = batch.items.create(
            response=unit.response, unit=unit, shuffle=number, question_shuffle=number
        )
        if number % 2:
            for judge in judges:
                Assignment.objects.create(
                    batch=batch, item=item, judge=judge, lease_until=timezone.now()
                )
    return batch


@pytest.mark.postgresql
def test_answers_left_out_are_counted_as_on_the_page(voted):
    Judge.objects.filter(study=voted, name__in=["Rater 1", "Rater 3"]).update(standing="excluded")
    batch = batch_of(
        voted, granularity="response", dimensions=["utility", "citation_recall"], keys=["r"]
    )
    data = gather(voted)
    for filters, chosen in ((Filters(), None), (Filters(batch=batch.pk), batch)):
        left = select(data, filters).left_out
        assert left.excluded_answers == aggregates.left_out(voted, chosen) > 0
    assert select(data, Filters()).left_out.excluded_raters == 2
    assert select(data, Filters(excluded_in=True)).left_out.excluded_answers == 0


@pytest.mark.postgresql
def test_the_demo_is_read_in_few_queries(db):
    load_demo()
    for study in Study.objects.filter(slug__in=[demo.slug for demo in DEMO_STUDIES]):
        with CaptureQueriesContext(connection) as queries:
            data = gather(study)
        assert len(queries) <= 20
        assert len(data.judgments) == Judgment.objects.current().filter(judge__study=study).count()
        assert {j.kind for j in data.judges} == set(
            study.judges.filter(judgments__isnull=False).values_list("kind", flat=True)
        )

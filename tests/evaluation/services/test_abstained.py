"""Where a judge abstains, people answer: one batch of exactly its unsure, unrated answers."""

import pytest
from django.urls import reverse

from annotate.models import Batch, Judge, Judgment, Unit
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from tests.annotate.loading import load, response
from tests.evaluation.made_up import made_up_report

pytestmark = pytest.mark.django_db

JUDGE = "autoais|coverage:2|thr:0.5|variant:released|v:2"
FILTERS = Filters(resamples=20)


def test_one_click_makes_a_batch_of_the_unsure_unrated_answers(peaks, signed_in, bob):
    """80 answers, of which 60 are rated. The judge is right where it is sure, from .3 on, and
    wrong on half of the others: every third answer."""
    questions = [f"x{n:02}" for n in range(80)]
    load(peaks, [response(f"Answer {q} [1].", question=f"{q}?", question_id=q) for q in questions])
    judge = Judge.objects.create(study=peaks, kind="automatic", name=JUDGE)
    rita = Judge.objects.create(study=peaks, kind="simulated", name="rita")
    units = Unit.objects.filter(key="r", response__question__external_id__in=questions)
    found = {unit.response.question.external_id: unit for unit in units}
    scores = {}
    for n, question in enumerate(questions):
        yes, sure = n % 2 > 0, n % 3 > 0
        scores[question] = score = (
            (0.5 + 0.01 * (n % 7 + (30 if sure else 0))) if yes else (0.1 if sure else 0.45)
        )
        about = {"unit": found[question], "dimension": "attributable"}
        Judgment.objects.create(judge=judge, value="yes" if yes else "no", score=score, **about)
        if n < 60:
            truth = yes if sure or n % 2 else not yes
            Judgment.objects.create(judge=rita, value="yes" if truth else "no", **about)
    body = build(gather(peaks), FILTERS)
    report = made_up_report(peaks, FILTERS, body=dumps(body))
    [row] = body["selective"]
    guaranteed = next(one for one in row["guarantees"] if one["target"] == 0.85)
    assert guaranteed["kept"] is not None
    cut = guaranteed["kept"]["confidence"]
    expected = {q for q in questions[60:] if abs(scores[q] - 0.5) < cut}
    assert guaranteed["unrated"] == len(expected) > 0

    peaks.dimensions = [*peaks.dimensions, "interpretable", "attributable"]
    peaks.save()
    browser = signed_in(bob)
    address = reverse("report-abstained", args=["peaks", report.pk, f"{row['judge']}-attributable"])
    page = browser.get(f"{reverse('report', args=['peaks'])}?resamples=20").content.decode()
    assert f'action="{address}"' in page
    answer = browser.post(address, {"target": "0.85"})
    batch = Batch.objects.get(name__startswith="Abstained")
    assert answer.url == reverse("batch", args=["peaks", batch.pk])
    held = set(batch.items.values_list("response__question__external_id", flat=True))
    assert held == expected
    assert "attributable" in batch.dimensions
    again = browser.post(address, {"target": "0.85"}, follow=True).content.decode()
    assert "Nothing would be in this batch" in again
    assert browser.post(address, {"target": "0.5"}).status_code == 404

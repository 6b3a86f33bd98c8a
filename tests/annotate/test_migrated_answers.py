"""What an earlier version cannot keep of answers, and what is found again after it."""

import pytest
from django.core.management import call_command

from annotate.models import Evidence, Inquiry, Judgment
from annotate.services.judgments import judge_of
from annotate.services.rating import answering
from annotate.services.rating.questions import steps_of
from tests.annotate.claiming import claim, lapse
from tests.annotate.constrained import World
from tests.annotate.desk import do_next
from tests.annotate.rating import open_work, rater_in

pytestmark = pytest.mark.django_db(transaction=True)


def begun(study, granularity, users):
    """A finished task, one that waits to be finished, and one that lapsed without an answer."""
    batch = open_work(study, granularity=granularity, raters_per_item=2)
    judge, other = (judge_of(study, user) for user in users)
    do_next(batch, judge)
    late = claim(batch, judge)
    first = steps_of(batch, late.item)[0]
    answering.save_answer(late, first, value=first.dimension.choices[0].value)
    lapse(claim(batch, other))
    unfinished = list(judge.judgments.values_list("unfinished", flat=True))
    assert unfinished.count(True) == 1
    assert unfinished.count(False) >= 1


def several_stretches(study):
    """The first of them."""
    world = World(study)
    world.desk()
    first = world.evidence
    same = {"judge": first.judge, "unit": first.unit, "dimension": first.dimension}
    Evidence.objects.create(**same, source=first.source, start=3, end=5)
    Evidence.objects.create(**same, start=0, end=1)
    return first


def test_unfinished_answers_and_the_first_stretch_of_evidence_are_found_again(
    peaks, elsewhere, rita
):
    """In batches of responses and of units."""
    nina = rater_in(peaks, "nina")
    for study, granularity in ((peaks, "response"), (elsewhere, "unit")):
        begun(study, granularity, (rita, nina))
    before = dict(Judgment.objects.values_list("pk", "unfinished"))
    first = several_stretches(peaks)
    assert Inquiry.objects.exists()
    call_command("migrate", "annotate", "0008_division", verbosity=0)
    call_command("migrate", verbosity=0)
    assert dict(Judgment.objects.values_list("pk", "unfinished")) == before
    assert [(mark.pk, mark.end) for mark in Evidence.objects.all()] == [(first.pk, first.end)]
    assert not Inquiry.objects.exists()

"""Answers from before it was written whether they are in a finished rating."""

import pytest
from django.core.management import call_command

from annotate.models import Judgment
from annotate.services.judgments import judge_of
from annotate.services.rating import answering
from annotate.services.rating.questions import steps_of
from tests.annotate.claiming import claim, lapse
from tests.annotate.desk import do_next
from tests.annotate.rating import open_work, rater_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("granularity", ["response", "unit"])
def test_they_are_found_again(peaks, rita, granularity):
    batch = open_work(peaks, granularity=granularity, raters_per_item=2)
    judge = judge_of(peaks, rita)
    do_next(batch, judge)
    late = claim(batch, judge)
    first = steps_of(batch, late.item)[0]
    answering.save_answer(late, first, value=first.dimension.choices[0].value)
    other = judge_of(peaks, rater_in(peaks, "nina"))
    lapse(claim(batch, other))
    before = dict(Judgment.objects.values_list("pk", "unfinished"))
    assert list(before.values()).count(True) == 1
    assert Judgment.objects.filter(judge=judge, unfinished=False).exists()
    call_command("migrate", "annotate", "0008_division", verbosity=0)
    call_command("migrate", verbosity=0)
    assert dict(Judgment.objects.values_list("pk", "unfinished")) == before

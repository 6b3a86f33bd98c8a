"""Two batches about the same responses: in one people write the claims, in the other they judge
the parser's. The claims are other units, so neither batch is in the other's way."""

import pytest

from annotate.models import Assignment, Judgment
from annotate.services.batches import Selection, create_batch, preview
from annotate.services.errors import Refused
from annotate.services.judgments import judge_of
from annotate.services.rating.answering import finish
from annotate.services.rating.assignments import next_task
from annotate.services.rating.questions import steps_of
from evaluation.reading import monitor
from evaluation.reading.labels import judgments_of
from evaluation.reporting.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from tests.annotate.cups import GLASS, PARSED, PLASTIC, cups_of, parsers_claims, says
from tests.annotate.rating import open_work, rater_in
from tests.beginnings import beginning

pytestmark = pytest.mark.django_db
ABOUT_CLAIMS = ["claim_recall", "claim_support"]
WRITING = ["claim_words", *ABOUT_CLAIMS]


@beginning
def cups(alice):
    study = cups_of(alice)
    parsers_claims(study, *PARSED)
    return study


@beginning
def both(cups):
    """One rater in both batches: finished where claims are written, at work where they are not."""
    own = open_work(cups, name="Own", dimensions=WRITING)
    parsers = open_work(cups, name="Parser's", dimensions=ABOUT_CLAIMS)
    judge = judge_of(cups, rater_in(cups, "anna"))
    first, second = next_task(own, judge), next_task(parsers, judge)
    assert isinstance(first, Assignment)
    assert isinstance(second, Assignment)
    for key, words in (("s1.g1", GLASS), ("s1.g2", PLASTIC)):
        says(first, f"{key}:claim_words", words=words)
    says(first, "s2.g1:claim_words", "no")
    for step in steps_of(own, first.item):
        if not step.dimension.writes and step.unit.key.startswith("s1"):
            says(first, step.key, "yes" if step.dimension.key == "claim_recall" else "full")
    says(second, "s1.a1:claim_recall", "no")
    finish(first)
    return own, parsers, first, second


def standing(judge):
    rows = Judgment.objects.filter(judge=judge, dimension="claim_recall")
    return dict(rows.values_list("unit__key", "unfinished"))


def recall_of(batch):
    rows = judgments_of(batch.study, batch).filter(dimension="claim_recall")
    return set(rows.values_list("unit__key", flat=True))


def test_finishing_one_says_nothing_of_the_other(both):
    _, _, first, second = both
    assert standing(first.judge) == {"s1.g1": False, "s1.g2": False, "s1.a1": True}
    for key in ("s1.a1", "s1.a2"):
        says(second, f"{key}:claim_recall", "no")
    for step in steps_of(second.batch, second.item):
        if step.dimension.key == "claim_support":
            says(second, step.key, "none")
    says(first, "s1.g1:claim_words", words="0-4")  # begins this one again
    finish(second)
    found = standing(first.judge)
    assert (found["s1.g2"], found["s1.a1"], found["s1.a2"]) == (True, False, False)


def test_each_batch_counts_its_own_claims(both):
    own, parsers, _, _ = both
    assert recall_of(own) == {"s1.g1", "s1.g2"}
    assert recall_of(parsers) == {"s1.a1"}
    assert monitor.progress(own).unfinished == 0
    assert monitor.progress(parsers).unfinished == 1
    data = gather(own.study)
    one, other = (
        build(data, Filters(batch=batch.pk, resamples=20))["counts"] for batch in (own, parsers)
    )
    assert (one["ratings"], one["unfinished_answers"]) == (8, 0)
    assert (other["ratings"], other["unfinished_answers"]) == (0, 1)


def test_what_really_repeats_is_refused(both):
    study = both[0].study
    for dimensions in (WRITING, ABOUT_CLAIMS, ["claim_support"], ["claim_words"]):
        with pytest.raises(Refused, match="where the same is asked"):
            create_batch(study, name="Third", dimensions=dimensions)
    assert preview(study, Selection(), dimensions=["utility"]).responses == 1

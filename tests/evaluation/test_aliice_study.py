"""A whole study with ALiiCE's questions: people write claims and judge them, ALiiCE judges the
parser's claims, and the report compares the two at the same marks."""

import pytest

from annotate.models import Judgment, Unit
from annotate.rating.answering import finish
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from tests.annotate.cups import says, task_of
from tests.annotate.loading import load, response
from tests.annotate.rating import open_work
from tests.evaluation.runs.doing import finished
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

OUTPUT = (
    "Cups can be made of glass [1] or plastic [2][1]. "
    "The tower opened in 1889 [3] and it closed in 1999 [3]."
)
PASSAGES = (
    ("Glass", "Of what can cups be made? Cups can be made of glass or so."),
    ("Plastic", "Some plates are of plastic."),
    ("Tower", "The tower opened in 1889."),
)
WORDS = {"s1.g1": "0-25", "s1.g2": "0-19 29-37", "s2.g1": "0-24", "s2.g2": "29-47"}
PARSED = {"s1.g1": "s1.a1", "s1.g2": "s1.a2", "s2.g1": "s2.a1", "s2.g2": "s2.a2"}
SAID = {
    "anna": {"s1.g1": "yes", "s1.g2": "no", "s2.g1": "yes", "s2.g2": "no"},
    "ben": {"s1.g1": "yes", "s1.g2": "yes", "s2.g1": "yes", "s2.g2": "no"},
    "cleo": {"s1.g1": "no", "s1.g2": "no", "s2.g1": "yes", "s2.g2": "yes"},
}
FULL = {
    "anna": {"s1.g1.c1", "s2.g1.c1"},
    "ben": {"s1.g1.c1", "s1.g2.c1", "s2.g1.c1"},
    "cleo": {"s2.g1.c1", "s2.g2.c1"},
}
"""The citations that they find to support the claim; by the others it is not supported at all."""

ELSE = {"utility": "4", "pf_utility": "useful"}


def rated(batch, name):
    """One rater's whole task: claims first, then what is asked about them."""
    task = task_of(batch, name)
    for key, words in WORDS.items():
        says(task, f"{key}:claim_words", words=words)
    for step in steps_of(batch, task.item):
        unit, dimension = step.unit.key, step.dimension.key
        if dimension == "claim_recall":
            says(task, step.key, SAID[name][unit])
        elif dimension == "claim_support":
            says(task, step.key, "full" if unit in FULL[name] else "none")
        elif not step.dimension.writes:
            says(task, step.key, ELSE[dimension])
    finish(task)


@shared_rows
def study(alice):
    made = create_study(name="Cups", slug="cups", preset="aliice", owner=alice)
    load(made, [response(OUTPUT, passages=PASSAGES)])
    batch = open_work(made, raters_per_item=3)
    for name in SAID:
        rated(batch, name)
    assert finished(made, "aliice", parser="en_core_web_sm").state == "done"
    return made


def said_by_metric(dimension, positive):
    rows = Judgment.objects.filter(judge__kind="automatic", dimension=dimension)
    found = rows.order_by("unit__key").values_list("unit__key", "value")
    return {key: value == positive for key, value in found}


def kappa(one, other):
    """Cohen's of two lists of yes and no: observed against chance."""
    observed = sum(a == b for a, b in zip(one, other, strict=True)) / len(one)
    yes, also = one.count(True) / len(one), other.count(True) / len(other)
    chance = yes * also + (1 - yes) * (1 - also)
    return (observed - chance) / (1 - chance)


def mean_kappa(metric, people):
    return sum(kappa(said, metric) for said in people) / len(people)


def row_of(study):
    """The only system's row of ALiiCE's table."""
    section = build(gather(study), Filters(resamples=50))["aliice"]
    assert section
    [row] = section["rows"]
    return row


def test_the_mean_kappa_of_the_metric_with_each_annotator(study):
    # All words of the claim stand in what is cited: of each but the last, that nobody wrote of.
    recall = said_by_metric("claim_recall", "yes")
    assert recall == {"s1.a1": True, "s1.a2": True, "s2.a1": True, "s2.a2": False}
    row = row_of(study)
    assert (row["system"], row["responses"]) == ("Vermilion", 1)
    assert row["claim_recall"]["value"] == 0.5
    found = row["recall_agreement"]
    people = [[value == "yes" for value in said.values()] for said in SAID.values()]
    # Anna 1/2, Ben 1, Cleo -1/2.
    assert mean_kappa(list(recall.values()), people) == pytest.approx(1 / 3)
    assert found["kappa_with_raters"]["value"] == pytest.approx(1 / 3, abs=1e-6)
    assert (found["kappa_with_raters"]["n"], found["unmatched"]) == (3, 0)


def test_the_mean_kappa_on_citations(study):
    needed = said_by_metric("claim_support", "needed")
    assert list(needed.values()) == [True, True, True, True, False]
    row = row_of(study)
    # s1.g1.c1, s1.g2.c1, s1.g2.c2, s2.g1.c1, s2.g2.c1: the claim is supported, and by it.
    people = [
        [True, False, False, True, False],
        [True, True, False, True, False],
        [False, False, False, True, True],
    ]
    found = row["precision_agreement"]
    expected = mean_kappa(list(needed.values()), people)
    assert found["kappa_with_raters"]["value"] == pytest.approx(expected, abs=1e-6)
    assert (found["kappa_with_raters"]["n"], found["unmatched"]) == (3, 0)


def test_claims_without_a_parsed_claim_are_counted_as_unmatched(study):
    Unit.objects.filter(key__startswith="s1.a2").exclude(key="s1.a2").delete()
    Unit.objects.filter(key="s1.a2").delete()
    row = row_of(study)
    assert row["recall_agreement"]["unmatched"] == 2
    assert row["precision_agreement"]["unmatched"] == 3
    assert row["recall_agreement"]["kappa_with_raters"]["n"] == 3

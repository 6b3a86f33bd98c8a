"""Thresholds and juries learn where people wrote the claims: of the parser's claim there."""

import pytest

from annotate.models import Judge, Judgment, Unit
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.runs.jury_ballots import ballots_of, labelled, scores_of
from evaluation.runs.thresholds import labelled_scores
from tests.annotate.cups import PARSED, cups_of, parsers_claims
from tests.annotate.rating import open_work
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
SCORES = {"s1.a1": 0.9, "s1.a2": 0.2}
RECALL = "claim_recall"


@shared_rows
def said(alice):
    """People say yes and no of the claims that they wrote, two judges of the parser's; the first
    also of one at its place, as who writes claims does."""
    study = cups_of(alice)
    parsers_claims(study, *PARSED)
    open_work(study, dimensions=["claim_words", RECALL])
    rita = Judge.objects.create(study=study, kind="simulated", name="rita")
    for key, value in (("s1.g1", "yes"), ("s1.g2", "no")):
        give(rita, key, value)
    for name in ("aliice|one", "aliice|two"):
        judge = Judge.objects.create(study=study, kind="automatic", name=name)
        for key, score in SCORES.items():
            give(judge, key, "yes" if score >= 0.5 else "no", score=score)
    give(Judge.objects.get(name="aliice|one"), "s1.g2", "yes", score=0.7)
    return study


def give(judge, key, value, **more):
    Judgment.objects.create(judge=judge, unit=at(key), dimension=RECALL, value=value, **more)


def at(key):
    return Unit.objects.get(key=key)


def test_scores_are_those_of_the_parsers_claims_as_in_the_report(said):
    judge = Judge.objects.get(name="aliice|one")
    found = labelled_scores(said, judge, said.protocol[RECALL])
    own, other = at("s1.g1").pk, at("s1.g2").pk
    assert found.labels == {own: True, other: False}
    assert found.scores == {own: 0.9, other: 0.7}
    assert set(found.questions) == {own, other}
    rows = build(gather(said), Filters(resamples=20))["thresholds"]
    assert [row["units"] for row in rows if row["item"] == RECALL] == [2, 2]
    squares = [row["brier"]["value"] for row in rows if row["item"] == RECALL]
    assert squares == pytest.approx([(0.1**2 + 0.7**2) / 2, (0.1**2 + 0.2**2) / 2])


def test_ballots_are_those_of_the_parsers_claims(said):
    judges = list(Judge.objects.filter(kind="automatic").order_by("name"))
    dimension = said.protocol[RECALL]
    ballots = ballots_of(said, judges, dimension)
    known = labelled(said, judges, dimension, ballots)
    heard = ballots.at(known.places)
    rows = [heard.units.tolist().index(at(key).pk) for key in ("s1.g1", "s1.g2")]
    assert heard.said[rows].tolist() == [[1, 1], [1, 0]]
    assert scores_of(judges, heard, known)[rows].tolist() == [[0.9, 0.9], [0.7, 0.2]]
    # What the jury itself answers stays: the parser's claims, and what a judge answered beside.
    assert ballots.said[ballots.units.tolist().index(at("s1.g2").pk)].tolist() == [1, -1]

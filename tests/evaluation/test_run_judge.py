"""`run_judge` and `make_claims`, as somebody types them."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotate.models import Judgment
from evaluation.models import Measure

pytestmark = pytest.mark.django_db


def run(*words):
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def test_a_study_is_judged_and_the_counts_are_said(peaks):
    said = run("run_judge", "peaks", "alce", "--scorer", "containment")
    assert "Judge: alce|containment:1|thr:0.5|cap:3|variant:released|v:1" in said
    assert "4 responses: " in said
    assert "judgments are new" in said
    assert "Not judged, " in said
    assert "Pairs, joint: " in said
    assert Judgment.objects.filter(judge__name__startswith="alce|containment").exists()


def test_again_asks_the_scorer_nothing(peaks):
    run("run_judge", "peaks", "alce", "--scorer", "containment")
    said = run("run_judge", "peaks", "alce", "--scorer", "containment")
    assert "0 judgments are new, 0 changed" in said
    assert all("0 computed" in line for line in said.splitlines() if line.startswith("Pairs"))


def test_some_systems(peaks):
    said = run("run_judge", "peaks", "correctness", "--systems", "Quokka-9B")
    assert "2 responses" in said
    assert set(Measure.objects.values_list("response__system__name", flat=True)) == {"Quokka-9B"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("nowhere", "alce"), "There is no study “nowhere”"),
        (("peaks", "alce", "--systems", "Umber"), "There is no system “Umber” in this study"),
        (("peaks", "alce", "--scorer", "classifier"), "needs the option “model”"),
        (("peaks", "alce", "--level", "claims"), "has no option “level”"),
    ],
)
def test_what_cannot_be_is_said(peaks, words, expected):
    with pytest.raises(CommandError, match=expected):
        run("run_judge", *words)


def test_claims_need_a_parser_and_say_which(peaks):
    with pytest.raises(CommandError, match="nowhere-at-all"):
        run("make_claims", "peaks", "--parser", "nowhere-at-all")

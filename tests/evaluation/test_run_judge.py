"""`run_judge` and `make_claims`, as somebody types them."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.annotate.loading import load, response
from tests.evaluation.entailment import tiny_models

pytestmark = pytest.mark.django_db


def run(*words):
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def test_again_asks_the_scorer_nothing(peaks):
    run("run_judge", "peaks", "alce", "--scorer", "containment")
    said = run("run_judge", "peaks", "alce", "--scorer", "containment")
    assert "0 judgments are new, 0 changed" in said
    assert all("0 computed" in line for line in said.splitlines() if line.startswith("Pairs"))


def test_how_often_a_premise_was_too_long_is_said(peaks, tmp_path):
    words = ("run_judge", "peaks", "autoais", "--scorer", "classifier", "--option", "long=truncate")
    model = ("--model", str(tiny_models.bert(tmp_path / "bert")))
    (line,) = (one for one in run(*words, *model).splitlines() if one.startswith("Longer"))
    assert "0 of 2 computed pairs were read in windows (0 of them), 2 were cut." in line
    assert line.endswith("Pairs that were known already are not counted.")
    assert "Longer than the model takes: 0 of 0 computed pairs" in run(*words, *model)


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


def test_one_response_is_said_as_one(study):
    load(study, [response("The Zugspitze is high [1].")])
    said = run("run_judge", "peaks", "alce", "--scorer", "containment")
    assert "1 response: 2 judgments are new, " in said
    again = run("run_judge", "peaks", "alce", "--scorer", "containment", "--missing")
    assert "Judged before, left alone: 1 response\n" in again

"""How the numbers were made, in words."""

import pytest

from evaluation.agreement.majority import RULE
from evaluation.reports.data import GuidelinesRecord
from evaluation.reports.filters import Filters
from evaluation.reports.sections.method import method
from evaluation.reports.selection import select
from tests.evaluation.reports.studies import ALCE, AUTOAIS, made_study, study


def notes(data, **filters):
    return {one["key"]: one["text"] for one in method(select(data, Filters(**filters)))}


def test_every_note_has_a_title_and_a_text():
    found = method(select(made_study(), Filters()))
    assert len({one["key"] for one in found}) == len(found) > 10
    assert all(one["title"] and one["text"].endswith(".") for one in found)


def test_the_rule_for_ties_and_the_signature_of_the_labels():
    text = notes(made_study())["labels"]
    assert RULE in text
    assert text.endswith("majority|of:people|rule:tie:low,likert:lower-median|v:1.")
    assert "Dawid and Skene" in notes(made_study(), labels="dawid-skene")["labels"]
    adjudicated = notes(made_study(), labels="adjudicated")["labels"]
    assert "adjudicator's label counts" in adjudicated
    assert RULE in adjudicated


def test_filters_in_words():
    assert notes(made_study())["filters"] == "Everything in the study."
    text = notes(
        made_study(),
        systems=("System 1",),
        batch=1,
        dimensions=("attributable",),
        judges=(AUTOAIS,),
        fine_grained=True,
        excluded_in=True,
        outliers=True,
    )["filters"]
    for words in (
        "systems “System 1”",
        "the batch “Every other”",
        "the dimensions “Attributable”",
        "the judges “AutoAIS, ",
        "(9 responses without one left out)",
        "Answers of excluded raters count.",
        "systems that use the metric themselves are shown",
    ):
        assert words in text


def test_what_filters_cannot_change():
    data = study(
        votes={"attributable": {"A/q1:r": {"majority of 5 (published)": "yes"}}},
        kinds={"majority of 5 (published)": "majority"},
    )
    text = notes(data)["filters"]
    assert "“majority of 5 (published)” came with a file, without the votes behind them" in text


def test_exclusions_and_flags_are_counted():
    data = study(
        votes={"utility": {"A/q1:r": "4 5 1", "B/q1:r": "2 - 3"}},
        excluded=["rater-3"],
        flags={
            "A/q1:r": {"rater-1": "broken", "rater-2": "offensive"},
            "B/q1:r": {"rater-1": "broken"},
        },
    )
    found = notes(data)
    assert found["excluded"] == ("Excluded raters: 1. Their 2 answers do not count; they are kept.")
    assert found["flags"].startswith("Raters flagged units (broken: 2; offensive: 1).")
    assert notes(data, excluded_in=True)["excluded"] == "No rater's answers are left out."
    unfinished = [("utility", "A/q1:r", "rater-4"), ("utility", "B/q1:r", "rater-4")]
    data = study(votes={"utility": {"A/q1:r": "4 5"}}, unfinished=unfinished)
    assert notes(data)["excluded"] == (
        "Answers in ratings that are not finished: 2. They do not count; they are kept."
    )


def test_guidelines_by_version():
    """Those of answers that count; the excluded rater's are not among them."""
    data = study(
        votes={"utility": {"A/q1:r": "4 5 1"}},
        excluded=["rater-3"],
        guidelines=(GuidelinesRecord(1, "2024-05-01T12:00:00+00:00", "abcdef0123456789"),),
    )
    assert notes(data)["guidelines"] == (
        "Answers that count: 2 answers under version 1 (2024-05-01, abcdef012345)."
    )


def test_trained_on_and_autoais():
    found = notes(made_study())
    assert "(ALCE, word coverage: 1 unit)" in found["trained_on"]
    assert found["autoais"].startswith("An automatic metric of citations is a part of: “System 4”.")
    assert "are not shown" in found["autoais"]
    assert "shown as outliers" in notes(made_study(), outliers=True)["autoais"]
    plain = notes(study(votes={"utility": {"A/q1:r": "4 5"}}))
    assert "trained_on" not in plain
    assert "autoais" not in plain


def test_judges_by_signature_and_variant():
    text = notes(made_study())["judges"]
    assert f"j1 {ALCE}; j2 {AUTOAIS}" in text
    assert "“variant:released” are counted as the published code counts them" in text
    assert "variant:paper" not in text


def test_seed_and_resamples():
    text = notes(made_study(), resamples=300, seed=12)["resampling"]
    assert "300 resamples of the 12 questions (seed 12)" in text


@pytest.mark.parametrize("words", ["Landis and Koch (1977", "conventions"])
def test_words_for_agreement_have_their_source(words):
    assert words in notes(made_study())["agreement"]

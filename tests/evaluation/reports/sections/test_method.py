"""How the numbers were made, in words."""

from typing import Any

from evaluation.reports.filters import Filters
from evaluation.reports.sections.method import method
from evaluation.reports.selection import select
from tests.evaluation.reports.studies import ALCE, study


def notes(data, **filters):
    return {one["key"]: one["text"] for one in method(select(data, Filters(**filters)))}


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


def test_a_judge_that_learned_from_labels_that_nobody_here_knows():
    learned = ALCE.replace("alce|", "alce|chosen:0123456789abcdef|of:citation_recall|")
    given: dict[str, Any] = {
        "votes": {"citation_recall": {"A/q1:s1": "yes yes", "A/q2:s1": "no no"}},
        "automatic": {"citation_recall": {"A/q1:s1": {learned: "yes"}, "A/q2:s1": {ALCE: "no"}}},
    }
    said = "From which labels these judges learned is not known in this study: ALCE, word coverage."
    assert said in notes(study(**given))["trained_on"]
    known = notes(study(**given, trained_on={learned: ["A/q1:s1"]}))["trained_on"]
    assert "(ALCE, word coverage: 1 unit)" in known
    assert "is not known" not in known

"""How much a report is about."""

from evaluation.reports.filters import Filters
from evaluation.reports.sections.counts import counts
from evaluation.reports.selection import select
from tests.evaluation.reports.studies import ALCE, AUTOAIS, study


def data():
    return study(
        votes={
            "utility": {"A/q1:r": "4 5 -", "A/q1/2:r": "- - 3", "B/q2:r": "1 - -"},
            "citation_recall": {"A/q1:s1": "yes no -", "A/q1:s2": "yes - -"},
            "citation_support": {"A/q1:s1.c1": "full none -"},
        },
        automatic={
            "citation_recall": {"A/q1:s1": {ALCE: "yes"}},
            "attributable": {"B/q2:r": {AUTOAIS: "no"}},
        },
        flags={"A/q1:s1": {"rater-1": "broken", "rater-2": "broken"}, "B/q2:r": {"rater-1": "x"}},
        excluded=["rater-3"],
    )


def counted(**filters):
    return counts(select(data(), Filters(**filters)))


def test_everything():
    """Derived answers are no ratings of their own."""
    assert counted() == {
        "systems": 2,
        "questions": 2,
        "responses": 3,
        "runs": 2,
        "raters": 2,
        "ratings": 3 + 3 + 2,
        "units": {"response": 3, "statement": 2, "citation": 1},
        "judges": 2,
        "flags": 3,
    }


def test_excluded_raters_count_where_they_are_let_in():
    found = counted(excluded_in=True)
    assert (found["raters"], found["ratings"]) == (3, 9)


def test_only_what_is_selected():
    found = counted(systems=("B",))
    assert (found["responses"], found["ratings"], found["judges"], found["flags"]) == (1, 1, 1, 1)
    assert found["units"] == {"response": 1}

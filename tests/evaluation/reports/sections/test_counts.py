"""How much a report is about."""

from evaluation.reports.data import BatchRecord
from evaluation.reports.filters import Filters
from evaluation.reports.sections.study import counts
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
        "excluded_raters": 1,
        "excluded_answers": 1,
        "unfinished_answers": 0,
        "flags": 3,
    }


def test_excluded_raters_count_where_they_are_let_in():
    found = counted(excluded_in=True)
    assert (found["raters"], found["ratings"]) == (3, 9)


def test_what_is_left_out():
    made = study(
        votes={"utility": {"A/q1:r": {"ada": "4"}, "B/q1:r": {"ben": "2", "cleo": "3"}}},
        excluded=["cleo"],
        unfinished=[
            ("utility", "A/q1:r", "ben"),
            ("utility", "B/q1:r", "ada"),
            ("citation_recall", "B/q1:s1", "ada"),
            ("utility", "A/q2:r", "cleo"),
        ],
        batches=[(BatchRecord(1, "First", ("utility",), False), {"B/q1:r": ["ada", "ben"]})],
    )

    def left_out(**filters):
        found = counts(select(made, Filters(**filters)))
        names = ("excluded_raters", "excluded_answers", "unfinished_answers", "ratings")
        return tuple(dict(found)[name] for name in names)

    assert left_out() == (1, 1, 4, 2)
    assert left_out(excluded_in=True) == (0, 0, 4, 3)
    assert left_out(systems=("A",)) == (0, 0, 2, 1)
    assert left_out(batch=1) == (0, 0, 1, 1), "of what the batch asks, in its tasks"


def test_only_what_is_selected():
    found = counted(systems=("B",))
    assert (found["responses"], found["ratings"], found["judges"], found["flags"]) == (1, 1, 1, 1)
    assert found["units"] == {"response": 1}

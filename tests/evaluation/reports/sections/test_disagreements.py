"""What to read first: where people and a judge are farthest apart."""

from evaluation.reports.filters import Filters
from evaluation.reports.sections.disagreements import counts, disagreements
from evaluation.reports.selection import select
from tests.evaluation.reports.studies import AUTOAIS, study


def found_in(data):
    return disagreements(select(data, Filters()))


def test_worked_distances():
    data = study(
        votes={
            "attributable": {
                "A/q1:r": "yes yes yes no",  # share 0.75, score 0.1: 0.65
                "A/q2:r": "no no no",  # share 0, score 0.98: 0.98
                "B/q1/2:r": "yes yes",  # share 1, no score, no: 1
                "B/q2:r": "yes yes",  # the same answer: not here
            }
        },
        automatic={
            "attributable": {
                "A/q1:r": {AUTOAIS: ("no", 0.1)},
                "A/q2:r": {AUTOAIS: ("yes", 0.98)},
                "B/q1/2:r": {AUTOAIS: "no"},
                "B/q2:r": {AUTOAIS: ("yes", 0.51)},
            }
        },
    )
    found = found_in(data)
    assert [(one["system"], one["question"], one["distance"]) for one in found] == [
        ("B", "q1", 1.0),
        ("A", "q2", 0.98),
        ("A", "q1", 0.65),
    ]
    assert found[0] == {
        "system": "B",
        "question": "q1",
        "run": "2",
        "unit": "r",
        "item": "attributable",
        "judge": "j1",
        "people": "yes",
        "votes": {"yes": 2},
        "judge_value": "no",
        "score": None,
        "distance": 1.0,
    }
    assert found[2]["votes"] == {"no": 1, "yes": 3}
    assert found[2]["score"] == 0.1


def test_worked_counts_by_judge_direction_and_system():
    data = study(
        votes={
            "attributable": {
                "A/q1:r": "yes yes no",
                "A/q2:r": "no no",
                "A/q3:r": "yes",
                "B/q1:r": "yes no",  # a tie: no
                "B/q2:r": "yes",  # the judge says nothing
            }
        },
        automatic={
            "attributable": {
                "A/q1:r": {AUTOAIS: "no"},
                "A/q2:r": {AUTOAIS: "yes"},
                "A/q3:r": {AUTOAIS: "no"},
                "B/q1:r": {AUTOAIS: "yes"},
            }
        },
    )
    assert counts(select(data, Filters())) == [
        {
            "judge": "j1",
            "item": "attributable",
            "system": system,
            "compared": compared,
            "people_yes": people_yes,
            "people_no": people_no,
        }
        for system, compared, people_yes, people_no in (("A", 3, 2, 1), ("B", 1, 0, 1))
    ]

"""What to read first: where people and a judge are farthest apart."""

from evaluation.reports.filters import Filters
from evaluation.reports.sections.disagreements import counts, disagreements
from evaluation.reports.selection import select
from evaluation.reports.shape.people import MOST_DISAGREEMENTS
from tests.evaluation.reports.studies import AUTOAIS, made_study, study


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


def test_as_many_are_counted_as_are_listed():
    data = made_study(seed=3)
    counted = counts(select(data, Filters()))
    listed = found_in(data)
    assert 0 < len(listed) < MOST_DISAGREEMENTS  # none is left out
    assert sum(row["people_yes"] + row["people_no"] for row in counted) == len(listed)


def test_equal_distances_stand_in_the_order_of_the_data():
    units = [f"{system}/q{n}:r" for system in "CAB" for n in (2, 1)]
    data = study(
        votes={"attributable": dict.fromkeys(units, "yes yes")},
        automatic={"attributable": {unit: {AUTOAIS: "no"} for unit in units}},
    )
    assert [(one["system"], one["question"]) for one in found_in(data)] == [
        ("A", "q1"), ("A", "q2"), ("B", "q1"), ("B", "q2"), ("C", "q1"), ("C", "q2"),
    ]  # fmt: skip


def test_no_more_than_so_many_of_each_and_of_all():
    units = [f"A/q{n:02}:r" for n in range(40)]
    judges = [f"autoais|{n}|thr:0.5|v:1" for n in range(4)]
    data = study(
        votes={"attributable": dict.fromkeys(units, "yes yes")},
        automatic={
            "attributable": {
                unit: {judge: ("no", 0.1 * n) for n, judge in enumerate(judges)} for unit in units
            }
        },
    )
    found = found_in(data)
    assert len(found) == MOST_DISAGREEMENTS == 100
    each = [sum(one["judge"] == f"j{n}" for one in found) for n in (1, 2, 3, 4)]
    assert each == [30, 30, 30, 10]


def test_a_published_label_counts_as_if_all_had_said_it():
    data = study(
        votes={"attributable": {"A/q1:r": {"majority of 5": "no"}}},
        automatic={"attributable": {"A/q1:r": {AUTOAIS: ("yes", 0.75)}}},
        kinds={"majority of 5": "majority"},
    )
    [one] = found_in(data)
    assert (one["distance"], one["votes"], one["people"]) == (0.75, {}, "no")


def test_the_made_study_has_all_kinds():
    found = found_in(made_study())
    assert {one["item"] for one in found} == {
        "attributable",
        "citation_recall",
        "citation_precision",
    }
    distances = [one["distance"] for one in found]
    assert distances == sorted(distances, reverse=True)

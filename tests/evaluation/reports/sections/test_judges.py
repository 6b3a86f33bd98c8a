"""Who judged, and what about."""

from evaluation.reports.filters import Filters
from evaluation.reports.sections.study import items, judges, raters
from evaluation.reports.selection import select
from tests.evaluation.reports.studies import ALCE, AUTOAIS, CORRECTNESS, made_study, study


def test_judges_have_ids_by_name():
    found = judges(select(made_study(), Filters()))
    assert [(one["id"], one["name"]) for one in found] == [
        ("j1", ALCE),
        ("j2", AUTOAIS),
        ("j3", CORRECTNESS),
    ]
    assert [one["threshold"] for one in found] == [0.5, 0.5, None]
    assert found[0]["items"] == ["citation_recall", "citation_precision"]
    assert found[1]["items"] == ["attributable"]
    assert (found[2]["items"], found[2]["measures"]) == ([], ["length", "str_em"])
    assert all(one["title"] for one in found)


def test_raters_with_what_they_gave():
    data = study(
        votes={"utility": {"A/q1:r": "4 5 1", "B/q1:r": "2 - 3"}},
        kinds={"rater-2": "simulated"},
        excluded=["rater-3"],
    )
    assert raters(select(data, Filters())) == [
        {"name": "rater-1", "kind": "human", "excluded": False, "ratings": 2},
        {"name": "rater-2", "kind": "simulated", "excluded": False, "ratings": 1},
        {"name": "rater-3", "kind": "human", "excluded": True, "ratings": 2},
    ]
    found = raters(select(data, Filters(systems=("B",))))
    assert [(one["name"], one["ratings"]) for one in found] == [("rater-1", 1), ("rater-3", 1)]


def test_items_with_the_words_of_their_choices():
    data = study(votes={"utility": {"A/q1:r": "4 5"}, "pf_utility": {"A/q1:r": "useful -"}})
    utility, pf_utility = items(select(data, Filters()))
    assert (utility["key"], utility["scale"], utility["derived"]) == ("utility", "ordinal", False)
    assert utility["values"][0] == {"value": "1", "label": "Strongly disagree"}
    assert [choice["value"] for choice in pf_utility["values"]] == ["not_useful", "useful"]


def test_derived_items_say_so():
    found = {one["key"]: one for one in items(select(made_study(), Filters()))}
    assert found["citation_precision"]["derived"]
    assert found["citation_precision"]["values"][1] == {"value": "yes", "label": "Yes"}
    assert not found["citation_recall"]["derived"]

"""Why people did not judge, counted."""

from typing import Any

from evaluation.reports.filters import Filters
from evaluation.reports.sections.study import SKIPPED, skipped
from evaluation.reports.selection import select
from evaluation.reports.tables.people import OWN_WORDS
from tests.evaluation.reports.studies import AUTOAIS, Skip, study

GONE = "The source is not available"


def of(votes, **more):
    filters = more.pop("filters", {})
    return skipped(select(study(votes=votes, **more), Filters(**filters)))


SAID = {
    "citation_support": {
        "A/q1:s1.c1": {"rita": Skip(GONE), "rob": "full"},
        "A/q2:s1.c1": {"rita": Skip(GONE), "rob": Skip("I do not read Greek")},
    },
    "attributable": {"A/q1:r": {"rita": Skip(GONE)}},
    "utility": {"A/q1:r": {"rita": "3"}},
}


def test_a_source_that_is_not_available_is_counted():
    found = of(SAID)
    assert [(row["item"], row["answers"], row["raters"]) for row in found] == [
        ("attributable", 1, 1),
        ("citation_support", 3, 2),
    ]
    assert found[1]["reasons"] == [{"reason": GONE, "count": 2}]
    report: Any = {"skipped": found, "judges": []}
    (table,) = SKIPPED.tables_of(report)
    assert table.rows == (
        ("Attributable", GONE, 1),
        ("Citation support", GONE, 2),
        ("Citation support", OWN_WORDS, 1),
    )


def test_it_is_about_people_who_count_and_of_what_is_asked():
    both = {"attributable": {"A/q1:r": {"rita": Skip(GONE), "rob": Skip(GONE)}}}
    automatic = {"attributable": {"A/q1:r": {AUTOAIS: Skip("no passage")}}}
    assert of(both, automatic=automatic, excluded=["rob"])[0]["answers"] == 1
    assert of(both, excluded=["rob"], filters={"excluded_in": True})[0]["answers"] == 2
    assert of(both, filters={"dimensions": ("utility",)}) == []
    assert of({"utility": {"A/q1:r": {"rita": "3"}}}, automatic=automatic) == []


def test_what_waits_for_an_answer_again_is_no_reason():
    assert of({"utility": {"A/q1:r": {"rita": Skip("not asked"), "rob": Skip("withdrawn")}}}) == []


def test_what_raters_wrote_themselves_is_counted_and_not_told():
    said = {f"A/q{n}:r": {"rita": Skip(f"Mr Smith, {n}")} for n in range(3)}
    said["A/q4:r"] = {"rita": Skip("the source is not available.")}
    (row,) = of({"utility": said})
    assert (row["answers"], row["own_words"]) == (4, 3)
    assert row["reasons"] == [{"reason": GONE, "count": 1}]
    assert "Smith" not in str(row)

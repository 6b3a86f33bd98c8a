"""Why people did not judge, counted."""

from typing import Any

from evaluation.reports.filters import Filters
from evaluation.reports.sections.study import SKIPPED, skipped
from evaluation.reports.selection import select
from evaluation.reports.tables.people import OWN_WORDS
from tests.evaluation.reports.studies import Skip, study

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

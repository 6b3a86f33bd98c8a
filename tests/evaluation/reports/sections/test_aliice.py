"""ALiiCE's own table of what people say."""

import pytest

from evaluation.reports.filters import Filters
from evaluation.reports.sections.aliice import aliice
from evaluation.reports.selection import select
from tests.evaluation.reports.studies import study

ALIICE = "aliice|coverage:coverage|thr:0.5|cap:none|variant:released|v:1"


def found_in(data, **filters):
    return aliice(select(data, Filters(resamples=50, **filters)))


def claims(said):
    return {f"A/q1:s1.a{n}": values for n, values in enumerate(said, 1)}


@pytest.fixture
def data():
    """Four claims of one fine-grained response, and another response that cites at its end."""
    return study(
        votes={
            "utility": {"A/q1:r": "4 5 3", "A/q2:r": "1 1 1", "B/q1:r": "2 2 2"},
            "pf_utility": {"A/q1:r": "useful useful not_useful", "A/q2:r": "not_useful - -"},
            "claim_recall": claims(["yes yes yes", "yes yes yes", "no no no", "no no yes"]),
            "claim_support": {
                f"A/q1:s1.a{n}.c1": value
                for n, value in enumerate(("full full full", "none none partial"), 1)
            },
        },
        automatic={
            "claim_recall": {
                unit: {ALIICE: value} for unit, value in claims(["yes", "yes", "no", "yes"]).items()
            }
        },
        positional=["A/q1"],
    )


def test_worked_arithmetic(data):
    found = found_in(data)
    assert found["judge"] == "j1"
    [one] = found["rows"]  # B cites nothing within a sentence
    assert (one["system"], one["responses"]) == ("A", 1)
    assert one["utility"]["value"] == 4.0
    assert one["pf_utility"]["value"] == 1.0
    assert one["claim_recall"]["value"] == 0.5
    # Supported, and full; supported, and not even partial for most.
    assert one["claim_precision"]["value"] == 0.5
    # Twelve ratings, seven of them yes: P = (1 + 1 + 1 + 1/3) / 4, Pe = (7/12)^2 + (5/12)^2.
    chance = (7 / 12) ** 2 + (5 / 12) ** 2
    agreed = (3 + 1 / 3) / 4
    assert one["fleiss"]["value"] == pytest.approx((agreed - chance) / (1 - chance), abs=1e-6)
    # Two raters: 3 of 4 alike, yes is 2/4 and 3/4, so kappa is 1/2. The third: as the metric.
    assert one["kappa_with_raters"]["value"] == pytest.approx((0.5 + 0.5 + 1) / 3, abs=1e-6)
    assert one["kappa_with_raters"]["n"] == 3


def test_without_the_metric_there_is_no_kappa_with_it():
    found = found_in(study(votes={"pf_utility": {"A/q1:r": "useful"}}, positional=["A/q1"]))
    assert found["judge"] is None
    [row] = found["rows"]
    assert row["pf_utility"]["value"] == 1.0
    assert row["kappa_with_raters"]["value"] is None
    assert row["fleiss"]["reason"] == "nothing was rated"


def test_no_table_where_nothing_fine_grained_was_judged():
    assert found_in(study(votes={"pf_utility": {"A/q1:r": "useful"}})) is None
    assert found_in(study(votes={"utility": {"A/q1:r": "3"}}, positional=["A/q1"])) is None

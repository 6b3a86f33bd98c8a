"""ALiiCE's own table of what people say."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.reports.data import TrainedUnits
from evaluation.reports.filters import Filters
from evaluation.reports.sections.agreement import agreement
from evaluation.reports.sections.disagreements import disagreements
from evaluation.reports.sections.papers import aliice
from evaluation.reports.selection import select
from tests.evaluation.reports.studies import judge_place, place, study

ALIICE = "aliice|coverage:coverage|thr:0.5|cap:none|variant:released|v:1"


def found_in(data, **filters):
    return aliice(select(data, Filters(resamples=50, **filters)))


def claims(writer, said):
    """What is said of the claims that people (g) or the parser (a) made at each group of marks."""
    return {f"A/q1:s1.{writer}{n}": values for n, values in enumerate(said, 1)}


def cited(writer, said):
    return {f"{unit}.c1": values for unit, values in claims(writer, said).items()}


def fine_grained(*, parsed=4):
    """Four claims that people wrote in one fine-grained response, of which the parser has some, and
    another response that cites at its end."""
    recall, needed = ["yes", "yes", "no", "yes"], ["needed", "not_needed", "not_needed", "needed"]
    return study(
        votes={
            "utility": {"A/q1:r": "4 5 3", "A/q2:r": "1 1 1", "B/q1:r": "2 2 2"},
            "pf_utility": {"A/q1:r": "useful useful not_useful", "A/q2:r": "not_useful - -"},
            "claim_recall": claims("g", ["yes yes yes", "yes yes yes", "no no no", "no no yes"]),
            "claim_support": cited(
                "g", ["full full full", "none none partial", "none none none", "none none full"]
            ),
        },
        automatic={
            dimension: {unit: {ALIICE: value} for unit, value in said.items()}
            for dimension, said in {
                "claim_recall": claims("a", recall[:parsed]),
                "claim_support": cited("a", needed[:parsed]),
            }.items()
        },
        positional=["A/q1"],
    )


def test_worked_arithmetic():
    found = found_in(fine_grained())
    assert found["judge"] == "j1"
    [one] = found["rows"]  # B cites nothing within a sentence
    assert (one["system"], one["responses"]) == ("A", 1)
    assert one["utility"]["value"] == 4.0
    assert one["pf_utility"]["value"] == 1.0
    assert one["claim_recall"]["value"] == 0.5
    # Supported, and full; supported, and not even partial for most; two not supported.
    assert one["claim_precision"]["value"] == 0.25
    assert one["claim_f1"]["value"] == pytest.approx(2 * 0.5 * 0.25 / 0.75, abs=1e-6)
    assert (one["claim_f1"]["n"], one["claim_f1"]["of"]) == (1, "responses")
    # Twelve ratings, seven of them yes: P = (1 + 1 + 1 + 1/3) / 4, Pe = (7/12)^2 + (5/12)^2.
    chance = (7 / 12) ** 2 + (5 / 12) ** 2
    agreed = (3 + 1 / 3) / 4
    recall, precision = one["recall_agreement"], one["precision_agreement"]
    assert recall["fleiss"]["value"] == pytest.approx((agreed - chance) / (1 - chance), abs=1e-6)
    # Two raters: 3 of 4 alike, yes is 2/4 and 3/4, so kappa is 1/2. The third: as the metric.
    assert recall["kappa_with_raters"]["value"] == pytest.approx((0.5 + 0.5 + 1) / 3, abs=1e-6)
    assert recall["kappa_with_raters"]["n"] == 3
    assert recall["unmatched"] == 0
    # The metric: yes no no yes. Two raters: yes no no no, 3 of 4 alike, yes is 2/4 and 1/4, kappa
    # 1/2. The third: yes yes no yes, 3 of 4 alike, yes is 2/4 and 3/4, kappa 1/2.
    assert precision["kappa_with_raters"]["value"] == pytest.approx(0.5)
    assert (precision["kappa_with_raters"]["n"], precision["unmatched"]) == (3, 0)


def test_every_section_compares_at_the_marks():
    data = fine_grained()
    selected = select(data, Filters(resamples=50))
    rows = {row["item"]: row for row in agreement(selected)}
    assert rows["claim_recall"]["units"] == 4
    assert rows["claim_recall"]["accuracy"]["value"] == 0.75
    assert rows["claim_recall"]["not_judged"] == []
    [apart] = [row for row in disagreements(selected) if row["item"] == "claim_recall"]
    assert (apart["unit"], apart["people"], apart["judge_value"]) == ("s1.g4", "no", "yes")


def test_what_a_judge_was_trained_with_is_not_compared_at_its_place():
    data = fine_grained()
    trained = TrainedUnits(
        judge=np.array([judge_place(data, ALIICE)], dtype=np.int32),
        unit=np.array([place(data, "A/q1:s1.g1")], dtype=np.int32),
    )
    selected = select(replace(data, trained_on=trained), Filters(resamples=50))
    [judge] = selected.judges
    assert place(data, "A/q1:s1.g1") not in selected.compared(judge, "claim_recall")
    assert place(data, "A/q1:s1.g1.c1") not in selected.compared(judge, "claim_precision")
    assert place(data, "A/q1:s1.g2") in selected.compared(judge, "claim_recall")


def test_people_who_judge_the_parsers_claims_are_compared_with_it_there():
    found = found_in(
        study(
            votes={"claim_recall": claims("a", ["yes no", "no no"])},
            automatic={
                "claim_recall": {
                    unit: {ALIICE: value} for unit, value in claims("a", ["yes", "no"]).items()
                }
            },
            positional=["A/q1"],
        )
    )
    [row] = found["rows"]
    # The first as the metric; of the second, who says no twice, it is as much as by chance.
    assert row["recall_agreement"]["kappa_with_raters"]["value"] == 0.5
    assert row["recall_agreement"]["unmatched"] == 0

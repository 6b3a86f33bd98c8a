"""ALCE and ALiiCE on the same responses."""

import pytest

from evaluation.reports.filters import Filters
from evaluation.reports.sections.papers import side_by_side
from evaluation.reports.selection import select
from tests.evaluation.reports.studies import ALCE, study

ALIICE = "aliice|coverage:coverage|thr:0.5|cap:none|variant:released|v:1"


def judged(automatic, response, *, statement=None, claims=(), alce=ALCE):
    """Add a response's verdicts: ALCE's of one statement, ALiiCE's of claims."""
    if statement:
        automatic["citation_recall"].setdefault(f"{response}:s1", {})[alce] = statement
        needed = "needed" if statement == "yes" else "not_needed"
        automatic["citation_support"].setdefault(f"{response}:s1.c1", {})[alce] = needed
    for number, claim in enumerate(claims, 1):
        automatic["claim_recall"][f"{response}:s1.a{number}"] = {ALIICE: claim}
        needed = "needed" if claim == "yes" else "not_needed"
        automatic["claim_support"][f"{response}:s1.a{number}.c1"] = {ALIICE: needed}


def nothing_yet():
    return {
        "citation_recall": {},
        "citation_support": {},
        "claim_recall": {},
        "claim_support": {},
    }


def found_in(data):
    return side_by_side(select(data, Filters(resamples=50)))


def test_worked_arithmetic():
    automatic = nothing_yet()
    judged(automatic, "A/q1", statement="yes", claims=["yes", "no"])
    judged(automatic, "A/q2", statement="no", claims=["yes"])
    judged(automatic, "A/q3", statement="no")  # no claim: not in the table
    judged(automatic, "B/q1", claims=["no"])  # not judged by ALCE
    data = study(
        automatic=automatic,
        measures={ALIICE: {"cvcp": {"A/q1": 0.5, "A/q2": 0.1, "A/q3": 9.0}}},
        positional=["A/q1"],
    )
    found = found_in(data)
    assert found["judges"] == {"alce": "j1", "aliice": "j2"}
    [row] = found["rows"]
    assert (row["system"], row["responses"]) == ("A", 2)
    assert row["alce"]["citation_recall"]["value"] == 0.5
    assert row["alce"]["citation_precision"]["value"] == 0.5
    assert row["aliice"]["claim_recall"]["value"] == 0.75
    assert row["aliice"]["claim_precision"]["value"] == 0.75
    assert row["aliice"]["f1"]["value"] == 0.75
    assert row["aliice"]["cvcp"]["value"] == 0.3
    assert row["fine_grained"]["value"] == 0.5
    assert row["fine_grained"]["n"] == 2


def test_f1_is_of_the_means():
    """Not the mean of each response's F1."""
    automatic = nothing_yet()
    judged(automatic, "A/q1", statement="yes", claims=["yes"])
    judged(automatic, "A/q2", statement="yes", claims=["no", "yes"])
    automatic["claim_support"]["A/q2:s1.a2.c2"] = {ALIICE: "not_needed"}
    [row] = found_in(study(automatic=automatic))["rows"]
    recall, precision = (1 + 0.5) / 2, (1 + 1 / 3) / 2
    assert row["aliice"]["claim_recall"]["value"] == recall
    assert row["aliice"]["claim_precision"]["value"] == pytest.approx(precision, abs=1e-6)
    expected = 2 * recall * precision / (recall + precision)
    assert row["aliice"]["f1"]["value"] == pytest.approx(expected, abs=1e-6)

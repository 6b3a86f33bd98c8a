"""Studies of pairs that once led a report to a sentence without a test."""

from typing import Any

import numpy as np
import pytest

from bench.made_up_pairs import PairDesign, pair_answers, study_of_pairs
from bench.misleading import report_of
from bench.misleading_pairs import CASES
from evaluation.reports.sections.every import tables_of
from evaluation.statistics.bradley_terry import bradley_terry


@pytest.mark.parametrize("key", ["duel", "shown first"])
def test_what_is_printed_is_right(key):
    [case] = [one for one in CASES if one.key == key]
    assert case.now()[1]


def test_a_report_has_the_numbers_of_the_model():
    given = pair_answers(np.random.default_rng(3), PairDesign((0.4, -1.2, 0.4), 60, 6, 2, 2))
    fitted = bradley_terry(given, 3)
    report = report_of(study_of_pairs(given, ("A", "B", "C")))
    [found] = report["pairs"]
    strengths = [row["strength"]["value"] for row in found["systems"]]
    assert strengths == pytest.approx(fitted.theta[:3], abs=2e-6)
    assert [(row["system"], row["letters"]) for row in found["systems"]] == [
        ("A", "a"),
        ("B", "b"),
        ("C", "a"),
    ]
    assert found["model"]["first_shown"]["value"] == pytest.approx(
        fitted.first_shown().figure.value, abs=2e-6
    )
    tests: Any = [(test["one"], test["other"], test["p_holm"]) for test in found["model"]["tests"]]
    assert tests == [
        ("ABC"[one], "ABC"[other], pytest.approx(p.value, abs=2e-6))
        for one, other, _, p in fitted.tests()
    ]
    tables = {table.key: table for table in tables_of(report)}
    rows = [str(row[0]) for row in tables["strengths-better_answer"].rows]
    assert rows == sorted(rows, key=lambda name: -fitted.theta["ABC".index(name)])
    assert len(tables["strength-tests-better_answer"].rows) == 3

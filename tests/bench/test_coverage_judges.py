"""The made-up studies of two judges: what is true of them, and what is said of one."""

import numpy as np
import pytest

from bench.coverage_judges import (
    EQUAL,
    UNLIKE,
    Design,
    found,
    over_answers,
    over_systems,
)

SMALL = Design("unlike", 6, 20, (0.5, 1.0), (0.1, 0.4))


def test_equal_judges_differ_in_nothing():
    for design in EQUAL:
        against = design.against(np.random.default_rng(1))
        true = over_systems(design, against) | over_answers(design)
        assert list(true.values()) == [0.0] * 5


def test_the_truth_over_systems_is_that_of_many_questions():
    design = UNLIKE[0]
    against = design.against(np.random.default_rng(1))
    people, scores = design.made(np.random.default_rng(2), against, 40_000)
    of_people, (one, other) = people.mean(axis=0), (scores > 0).mean(axis=1)
    seen = np.corrcoef(of_people, one)[0, 1] - np.corrcoef(of_people, other)[0, 1]
    assert over_systems(design, against)["pearson_systems"] == pytest.approx(seen, abs=0.02)


def test_a_study_says_what_each_row_asks_for():
    said, _ = found.__wrapped__(SMALL, 3)
    assert {"kappa", "auc", "soft_accuracy", "perm_both", "williams_p"} <= set(said)
    assert said["kappa"]["difference"]["low"] < said["kappa"]["difference"]["high"]
    assert 0 < said["perm_systems"]["p"] <= 1

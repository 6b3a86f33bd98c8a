"""Kappa by threshold: by hand and against scikit-learn."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from evaluation.agreement.ranking import scored
from evaluation.agreement.ratings import undefined
from evaluation.agreement.threshold import kappa_by_threshold


def made(some):
    people = {unit: label for unit, (label, _) in enumerate(some)}
    return scored(people, {unit: score for unit, (_, score) in enumerate(some)})


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 20).map(lambda n: n / 20)), min_size=1),
    st.floats(0, 1),
)
def test_against_scikit_learn(some, fixed):
    labels, scores = zip(*some, strict=True)
    found = kappa_by_threshold(made(some), fixed, thresholds=[0.25, 0.5, 0.75])
    assert [cut.threshold for cut in found.curve] == sorted({0.25, 0.5, 0.75, fixed})
    assert found.fixed.threshold == fixed
    for cut in found.curve:
        judge = [score >= cut.threshold for score in scores]
        if len({*labels, *judge}) < 2:
            assert cut.kappa == undefined("all answers of both are the same")
        else:
            assert cut.kappa.value == pytest.approx(cohen_kappa_score(labels, judge))


def test_the_best_is_marked_and_the_lowest_of_equals():
    data = made([(True, 0.8), (False, 0.3), (True, 0.6), (False, 0.1)])
    found = kappa_by_threshold(data, 0.7)
    assert len(found.curve) == 101
    assert found.best is not None
    assert found.best.threshold == 0.31  # a score of 0.3 is cut off above 0.3
    assert found.best.kappa.value == pytest.approx(1)
    assert found.fixed.threshold == 0.7
    assert found.fixed.kappa.value == pytest.approx(0.5)  # 3 of 4 right; by chance 1/2


def test_undefined():
    found = kappa_by_threshold(made([]), 0.5)
    assert found.best is None
    assert found.fixed.kappa == undefined("nothing has both an answer of people and a score")

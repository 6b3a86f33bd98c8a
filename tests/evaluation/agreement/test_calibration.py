"""Calibration: by hand and against scikit-learn."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from evaluation.statistics.calibration import calibration
from evaluation.statistics.ranking import scored
from evaluation.statistics.ratings import undefined


def made(some):
    people = {unit: label for unit, (label, _) in enumerate(some)}
    return scored(people, {unit: score for unit, (_, score) in enumerate(some)})


def test_by_hand():
    found = calibration(
        made([(False, 0.1), (True, 0.3), (True, 0.9), (True, 1.0), (False, 0.5)]), bins=2
    )
    low, high = found.bins
    assert (low.low, low.high, low.units) == (0, 0.5, 2)
    assert low.score.value == pytest.approx(0.2)
    assert low.share.value == pytest.approx(0.5)
    assert high.units == 3
    assert high.share.value == pytest.approx(2 / 3)
    assert high.score.value == pytest.approx(0.8)
    # 2/5 · 0.3 + 3/5 · (0.8 - 2/3)
    assert found.error.value == pytest.approx(0.12 + 0.08)
    assert found.brier.value == pytest.approx((0.01 + 0.49 + 0.01 + 0 + 0.25) / 5)


# In steps of 1/64, none of which is an edge of ten bins but 0, 1/2 and 1; scikit-learn puts edges
# into the lower bin, so that these are left to the test by hand.
scores = st.integers(1, 63).filter(lambda n: n != 32).map(lambda n: n / 64)


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), scores), min_size=1, max_size=60))
def test_against_scikit_learn(some):
    labels, values = zip(*some, strict=True)
    found = calibration(made(some))
    share, score = calibration_curve([float(label) for label in labels], values, n_bins=10)
    filled = [one for one in found.bins if one.units]
    assert [one.share.value for one in filled] == pytest.approx(list(share))
    assert [one.score.value for one in filled] == pytest.approx(list(score))
    expected = sum(
        one.units / len(some) * abs(x - y) for one, x, y in zip(filled, share, score, strict=True)
    )
    assert found.error.value == pytest.approx(expected)
    brier = brier_score_loss([int(label) for label in labels], values, labels=[0, 1])
    assert found.brier.value == pytest.approx(brier)


def test_undefined():
    nothing = calibration(made([]))
    assert nothing.error == undefined("nothing has both an answer of people and a score")
    assert {one.share.reason for one in nothing.bins} == {"no score in this stretch"}
    outside = calibration(made([(True, 1.2)]))
    assert outside.bins == ()
    assert outside.brier == undefined("the scores are not between 0 and 1")

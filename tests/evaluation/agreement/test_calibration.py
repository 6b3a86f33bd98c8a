"""Calibration: by hand, against scikit-learn, and without what chance adds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from evaluation.statistics.calibration import (
    NO_PROBABILITIES,
    bin_of_each,
    calibration,
    corrected_error,
)
from evaluation.statistics.ranking import Scored, scored
from evaluation.statistics.ratings import undefined


def made(some):
    people = {unit: label for unit, (label, _) in enumerate(some)}
    return scored(people, {unit: score for unit, (_, score) in enumerate(some)})


def test_by_hand():
    found = calibration(
        made([(False, 0.1), (True, 0.3), (True, 0.9), (True, 1.0), (False, 0.5)]), bins=2
    )
    low, high = found.bins
    assert (low.low, low.high, low.units) == (0.1, 0.3, 2)
    assert low.score == pytest.approx(0.2)
    assert low.share == pytest.approx(0.5)
    assert (high.low, high.high, high.units) == (0.5, 1.0, 3)
    assert high.share == pytest.approx(2 / 3)
    assert high.score == pytest.approx(0.8)
    # 2/5 · 0.3 + 3/5 · (0.8 - 2/3)
    assert found.error.value == pytest.approx(0.12 + 0.08)
    assert found.brier.value == pytest.approx((0.01 + 0.49 + 0.01 + 0 + 0.25) / 5)


def test_equal_scores_share_a_bin():
    for scores, bins in (
        ([0.1, 0.1, 0.1, 0.9], [0, 0, 0, 1]),
        ([0.5, 0.5, 0.5, 0.5], [0, 0, 0, 0]),
        ([0.1, 0.9, 0.9, 0.9], [0, 1, 1, 1]),
        ([0.9, 0.2, 0.1, 0.3], [1, 0, 0, 1]),
    ):
        assert bin_of_each(np.array(scores), 2).tolist() == bins
    assert bin_of_each(np.linspace(0, 1, 35)).max() == 2  # at least ten units in each


@settings(deadline=None, max_examples=25)
@given(st.lists(st.booleans(), min_size=40, max_size=40), st.permutations(range(1, 41)))
def test_against_scikit_learn(labels, scores):
    some = [(label, score / 41) for label, score in zip(labels, scores, strict=True)]
    found = calibration(made(some), bins=4)
    labels, values = zip(*some, strict=True)
    share, score = calibration_curve(labels, values, n_bins=4, strategy="quantile")
    assert [one.share for one in found.bins] == pytest.approx(list(share))
    assert [one.score for one in found.bins] == pytest.approx(list(score))
    assert found.error.value == pytest.approx(np.abs(share - score).mean())
    brier = brier_score_loss([int(label) for label in labels], values, labels=[0, 1])
    assert found.brier.value == pytest.approx(brier)


def test_one_bin_is_corrected_as_a_folded_normal():
    """With one bin the error is |mean of label - score|: of a right judge it is half-normal."""
    draw = np.random.default_rng(3)
    n, spread = 400, 0.4
    away = draw.normal(0, 1, n)
    away = spread * (away - away.mean()) / away.std() + 0.05
    data = Scored((), 0.5 + away, np.full(n, 0.5))
    found = corrected_error(
        calibration(data, bins=1),
        np.column_stack([away, np.ones(n)]),
        n,
        resamples=20_000,
        seed=1,
    )
    error = spread / np.sqrt(n)
    assert found.by_chance.value == pytest.approx(error * np.sqrt(2 / np.pi), rel=0.03)
    # P(|θ + error Z| <= .05) is .975, .5 and .025 at these θ.
    for theta, share in (
        (found.interval.low, 0.975),
        (found.figure.value, 0.5),
        (found.interval.high, 0.025),
    ):
        assert theta is not None
        reached = norm.cdf((0.05 - theta) / error) - norm.cdf((-0.05 - theta) / error)
        assert reached == pytest.approx(min(share, 2 * norm.cdf(0.05 / error) - 1), abs=0.01)


def test_undefined():
    nothing = calibration(made([]))
    assert nothing.error == undefined("nothing has both an answer of people and a score")
    assert nothing.bins == ()
    outside = calibration(made([(True, 1.2)]))
    assert outside.bins == ()
    assert outside.brier == undefined(NO_PROBABILITIES)

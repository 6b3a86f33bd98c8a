"""Variance components: published and hand-worked values, and an analysis of variance."""

from typing import Any

import numpy as np
import pytest

from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.variance_components import (
    BELOW_ZERO,
    GROUPS,
    NOT_TWICE,
    OTHER_RATERS,
    PARTS,
    TOO_FEW_GROUPS,
    raters_needed,
    spearman_brown,
    variances,
)

SHROUT_AND_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)
"""Table 2 of Shrout and Fleiss (1979): six targets, four raters."""


def of_targets(table, keep=None):
    """One unit of each question, of one system."""
    kept = np.ones(table.shape, dtype=bool) if keep is None else keep
    unit, rater = np.nonzero(kept)
    places = np.arange(len(table))
    return variances(table[kept], unit, rater, places, np.zeros_like(places))


def test_the_intraclass_correlation_of_shrout_and_fleiss():
    found = of_targets(SHROUT_AND_FLEISS)
    # BMS 11.24, JMS 32.49, EMS 1.02: ICC(2,1) = .29, and of four raters ICC(2,4) = .62.
    assert found.one_rater.figure.value == pytest.approx(0.29, abs=0.001)
    assert spearman_brown(0.2897638, 4) == pytest.approx(0.62, abs=0.001)
    raters = (32.486111 - 1.019444) / 6
    assert found.of_noise.figure.value == pytest.approx(raters / (raters + 1.019444), rel=1e-5)
    assert found.shares["systems"].figure.reason == "there is one system"
    assert found.shares["questions"].figure.reason == "there is one unit of each question"


def test_a_crossed_study_against_the_analysis_of_variance():
    """Questions × systems × raters: mean squares of the table, and their expectations."""
    draw = np.random.default_rng(2)
    q, s, r = 12, 4, 5
    y = draw.normal(size=(q, s, r)) + draw.normal(size=(q, 1, 1)) + draw.normal(size=(s, 1))
    y += draw.normal(size=(q, s, 1)) + draw.normal(size=r)
    means = [y.mean(axis=axes) - y.mean() for axes in ((1, 2), (0, 2), (0, 1))]
    ms_q, ms_s, ms_r = (y.size / len(mean) * (mean**2).sum() / (len(mean) - 1) for mean in means)
    unit = y.mean(axis=2) - y.mean() - means[0][:, None] - means[1]
    ms_u = r * (unit**2).sum() / ((q - 1) * (s - 1))
    rest = y - y.mean(axis=2, keepdims=True) - means[2]
    ms_e = (rest**2).sum() / ((q * s - 1) * (r - 1))
    expected = np.array(
        [(ms_s - ms_u) / (q * r), (ms_q - ms_u) / (s * r), (ms_u - ms_e) / r,
         (ms_r - ms_e) / (q * s), ms_e]
    )  # fmt: skip
    question, system, rater = (place.ravel() for place in np.indices(y.shape))
    places = np.indices((q, s)).reshape(2, -1)
    found = variances(y.ravel(), question * s + system, rater, *places)
    values = [found.shares[part].figure.value for part in PARTS]
    assert values == pytest.approx(list(expected / expected.sum()))
    # Without each question from scratch: the jackknife.
    without: Any = [
        variances(y[kept].ravel(), *_places(kept.sum(), s, r)).one_rater.figure.value
        for kept in ~np.eye(q, dtype=bool)
    ]
    error = found.one_rater.error
    assert error is not None
    assert error.value == pytest.approx(np.sqrt((q - 1) * np.var(without)))


def _places(q, s, r):
    question, system, rater = (place.ravel() for place in np.indices((q, s, r)))
    return question * s + system, rater, *np.indices((q, s)).reshape(2, -1)


def test_unbalanced_ratings_are_estimated_without_bias():
    """Twelve raters, of whom two or three rate each of 60 units: the mean of 300 studies."""
    draw = np.random.default_rng(0)
    values = []
    for _ in range(300):
        y = draw.normal(0, 0.7, (60, 1)) + draw.normal(0, 0.5, 12) + draw.normal(0, 0.6, (60, 12))
        order = draw.permuted(np.broadcast_to(np.arange(12), y.shape), axis=1)
        found = of_targets(y, order < 2 + (np.arange(60) % 2)[:, None])
        values.append([found.one_rater.figure.value, found.of_noise.figure.value])
    assert np.mean(values, axis=0) == pytest.approx([0.49 / 1.1, 0.25 / 0.61], abs=0.03)


@pytest.mark.parametrize(
    ("unit", "rater", "value", "reason"),
    [
        ([0, 1, 2], [0, 1, 0], [1, 0, 1], NOT_TWICE),
        ([0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 1, 1], TOO_FEW_GROUPS),
        ([0, 0, 1, 1, 2, 2], [0, 1] * 3, [1] * 6, "all answers are the same"),
    ],
)
def test_undefined_with_reasons(unit, rater, value, reason):
    places = np.arange(max(unit) + 1)
    found = variances(
        np.array(value, float), np.array(unit), np.array(rater), places, np.zeros_like(places)
    )
    parts = [*found.shares.values(), found.of_noise, found.one_rater]
    assert {part.figure.reason for part in parts} == {reason}


def test_systems_with_other_raters_cannot_be_told_from_their_raters():
    y = np.random.default_rng(1).normal(size=(20, 2, 4))
    question, system, rater = (place.ravel() for place in np.indices(y.shape))
    kept = (rater >= 2) == system  # two raters to each system
    unit, places = question * 2 + system, np.indices((20, 2)).reshape(2, -1)
    found = variances(y.ravel()[kept], unit[kept], rater[kept], *places)
    assert found.one_rater.figure.reason == OTHER_RATERS
    kept[:3] = True
    found = variances(y.ravel()[kept], unit[kept], rater[kept], *places)
    assert found.one_rater.figure.value is not None


def test_an_estimate_far_below_0_has_no_interval():
    """Nearly all say yes, and no rater agrees more than by chance."""
    y = (np.random.default_rng(0).random((100, 4, 3)) < 0.98).astype(float)
    found = variances(y.ravel(), *_places(100, 4, 3)).one_rater
    assert found.figure.value == 0
    assert found.interval == Interval(None, None, BELOW_ZERO)


def test_raters_who_share_no_second_unit_tell_nothing_of_their_leniency():
    units = np.arange(GROUPS).repeat(2)
    places = np.arange(GROUPS)
    value = np.random.default_rng(0).normal(size=len(units))
    found = variances(value, units, np.arange(len(units)), places, 0 * places)
    assert found.of_noise.figure.reason.startswith("raters share too few units")
    assert found.one_rater.figure.value is not None
    assert found.shares["raters"].figure.value is None
    share = found.shares["units"]
    low, shown, high = share.interval.low, share.figure.value, share.interval.high
    assert shown == pytest.approx(max(found.one_rater.figure.value, 0.0))
    assert low is not None
    assert shown is not None
    assert high is not None
    assert low <= shown <= high


def test_raters_needed():
    # .8 · (1 - .4) / (.2 · .4) = 6
    assert [raters_needed(one) for one in (0.4, 0.39, 0.9, 1.0, 0.0)] == [6, 7, 1, 1, None]
    assert spearman_brown(0.4, 6) == pytest.approx(0.8)


def test_rounding_errors_of_equal_answers_are_no_estimate():
    """Without question 1 all answers are alike; without question 2 no unit has two ratings."""
    value = np.array([1, 1, 1, 1, 0, 1, 1, 1, 1, 1], float)
    unit, rater = np.array([[0, 1, 2, 2, 3, 4, 5, 6, 7, 8], [1, 1, 0, 2, 1, 1, 1, 1, 1, 2]])
    question, system = np.array([[0, 0, 2, 1, 1, 1, 1, 1, 2], [0, 0, 0, 1, 1, 1, 1, 1, 2]])
    found = variances(value, unit, rater, question, system)
    assert found.shares["units"].figure.value == 1
    assert found.shares["units"].interval == Interval(None, None, TOO_FEW_GROUPS)

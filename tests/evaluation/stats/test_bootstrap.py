"""Clusters and how they are drawn: weights by hand, the interval against what theory says."""

import random

import numpy as np
import pytest

from evaluation.statistics.alpha import alphas, coincidences
from evaluation.statistics.bootstrap import numbered, per_cluster
from evaluation.statistics.error_bars import error_bar, of_sums
from tests.evaluation.agreement.by_ratings import counts


def mean(sums):
    """Sums of value and count, as a mean."""
    with np.errstate(invalid="ignore"):
        return sums[:, 0] / sums[:, 1]


def interval(sums, statistic, *, seed, draws=1_000):
    return error_bar(of_sums(sums, statistic), len(sums), resamples=draws, seed=seed).percentile


def bounds(found):
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def test_what_the_units_of_a_cluster_contribute_is_added():
    rows, clusters = np.array([[1.0, 1.0], [2.0, 1.0], [4.0, 1.0]]), numbered(["r1", "r2", "r1"])
    assert clusters.tolist() == [0, 1, 0]
    assert per_cluster(rows, clusters).tolist() == [[5.0, 2.0], [2.0, 1.0]]
    # A question about which nothing was said may be drawn all the same.
    assert per_cluster(rows, clusters, 3).tolist() == [[5.0, 2.0], [2.0, 1.0], [0.0, 0.0]]
    assert per_cluster(rows[:0], clusters[:0]).shape == (0, 2)


def test_a_mean_has_the_error_that_theory_gives_it():
    # 400 clusters of 0 or 1, half of each: the standard error is sqrt(0.25 / 400) = 0.025,
    # so 95 % lie within 1.96 · 0.025 = 0.049 of 0.5.
    values = np.tile([0.0, 1.0], 200)
    found = interval(np.column_stack([values, np.ones(400)]), mean, draws=4_000, seed=5)
    assert bounds(found) == pytest.approx((0.5 - 0.049, 0.5 + 0.049), abs=0.006)


def test_units_of_one_response_do_not_count_as_independent():
    # Ten equal units in each of 40 responses: the interval is that of 40, not of 400.
    values = np.repeat(np.tile([0.0, 1.0], 20), 10)
    rows = np.column_stack([values, np.ones(400)])
    whole = interval(per_cluster(rows, np.repeat(np.arange(40), 10)), mean, seed=5)
    apart = interval(rows, mean, seed=5)
    (low, high), (narrow_low, narrow_high) = bounds(whole), bounds(apart)
    assert high - low > 2.5 * (narrow_high - narrow_low)


def test_alpha_is_resampled_without_counting_again():
    draw = random.Random(4)
    ratings = {}
    for unit in range(60):
        truth = draw.choice("12")
        ratings[unit] = {judge: draw.choice((truth, truth, "1", "2")) for judge in "abc"}
    per_unit = coincidences(counts(ratings, ("1", "2")))
    sums = per_cluster(per_unit, np.array([unit // 3 for unit in ratings]))
    found = interval(sums, lambda some: alphas(some, "nominal"), seed=2)
    whole = float(alphas(per_unit.sum(axis=0)[None], "nominal")[0])
    low, high = bounds(found)
    assert -1 < low < whole < high < 1

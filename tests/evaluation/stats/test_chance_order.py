"""Pearson of all orders: by hand, against scipy, and how often chance passes."""

import numpy as np
import pytest
import scipy.stats

from evaluation.statistics.permutation_tests import chance_of_fit, chance_of_order


def test_by_hand():
    """Of the six orders of three systems one fits as well as 1 2 3; two as well as 1 3 2 fits."""
    assert chance_of_order(np.array([1, 2, 3]), np.array([1, 2, 3])) == pytest.approx(1 / 6)
    assert chance_of_order(np.array([1, 2, 3]), np.array([1, 3, 2])) == pytest.approx(3 / 6)
    assert chance_of_order(np.array([1, 2, 3]), np.array([3, 2, 1])) == pytest.approx(1 / 6)
    assert chance_of_order(np.array([1, 2, 3]), np.array([3, 1, 2])) == pytest.approx(3 / 6)
    assert chance_of_order(np.array([1, 1, 1]), np.array([1, 2, 3])) == 1


@pytest.mark.parametrize(("y", "expected"), [([0, 1, 2, 3], 1 / 4), ([0, 1, *[2] * 10], 1 / 2)])
def test_chance_within_tiers_exchanges_only_systems_of_a_tier(y, expected):
    means = np.array(y, dtype=float)
    found = chance_of_fit(means, means, np.arange(len(y)) > 1)
    assert found == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("systems", [6, 12])
def test_against_scipy(systems):
    draw = np.random.default_rng(4)
    x = draw.random(systems)
    y = x + draw.normal(0, 0.4, systems)
    expected = scipy.stats.permutation_test(
        (y,), lambda some: scipy.stats.pearsonr(x, some).statistic, permutation_type="pairings",
        alternative="greater", n_resamples=20_000, rng=draw,
    )  # fmt: skip
    assert chance_of_order(x, y) == pytest.approx(expected.pvalue, abs=0.005)


def test_chance_passes_as_rarely_as_is_said(subtests):
    for systems in [5, 9]:
        with subtests.test(systems=systems):
            draw = np.random.default_rng(5)
            found: dict[int, list[float]] = {1: [], -1: []}
            for x, y in draw.exponential(size=(600, 2, systems)):
                found[1 if np.corrcoef(x, y)[0, 1] > 0 else -1].append(chance_of_order(x, y))
            for side in (1, -1):
                for level in (0.025, 0.05):
                    # Three standard errors above the level.
                    most = level + 3 * np.sqrt(level * (1 - level) / 600)
                    assert np.count_nonzero(np.array(found[side]) <= level) / 600 <= most

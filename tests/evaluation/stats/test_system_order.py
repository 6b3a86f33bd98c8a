"""How a judge orders systems: outlying ones, soft accuracy by single signs, too few systems."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from evaluation.statistics.pairwise_accuracy import TOO_FEW
from evaluation.statistics.permutation_tests import TOO_MANY
from evaluation.statistics.system_order import (
    drawn_means,
    outlying,
    soft_accuracy,
    soft_statistic,
    system_order,
)

DRAWS = {"resamples": 300, "seed": 1}


@pytest.mark.parametrize(
    ("means", "far"),
    [
        ([0.5, 0.55, 0.6, 0.65, 0.7], []),
        ([0.05, 0.1, 0.55, 0.6, 0.62, 0.65, 0.7], [0, 1]),
        ([0.5, 0.55, 0.6, 0.65, 0.99], [4]),
        ([0.6, 0.6, 0.6, 0.61, 0.6], [3]),  # most are the same: any other one is far
        ([0.6, 0.6, 0.6], []),
    ],
)
def test_systems_far_from_the_others(means, far):
    found = outlying(np.array(means))
    assert np.flatnonzero(found).tolist() == far
    away = scipy.stats.median_abs_deviation(means, scale=1 / 1.483)
    if away:
        z = np.abs(np.array(means) - np.median(means)) / away
        assert (z > 2.5).tolist() == found.tolist()


def ordered(x, y):
    """Of 0 and 1 by question and system."""
    given = np.stack([x, y], axis=2).astype(float)
    sums = np.stack([given, np.ones_like(given)], axis=3)
    return system_order(sums, drawn_means(sums, **DRAWS), **DRAWS)


def made(systems, questions=60, seed=3):
    draw = np.random.default_rng(seed)
    y = draw.random((questions, systems)) < np.linspace(0.3, 0.8, systems)
    return y ^ (draw.random(y.shape) < 0.2), y


def test_accuracies_pair_by_pair():
    x, y = made(6)
    found, draw = ordered(x, y), np.random.default_rng(8)
    signs = draw.choice([-1, 1], (20_000, 60))
    soft, same = [], []
    for one, other in combinations(range(6), 2):
        p, means = [], []
        for said in (x, y):
            d = said[:, one].astype(float) - said[:, other]
            drawn = signs @ d
            p.append(np.mean(drawn > d.sum()) + np.mean(drawn == d.sum()) / 2)
            means.append(d.mean())
        soft.append(1 - abs(p[0] - p[1]))
        same.append(np.sign(means[0]) == np.sign(means[1]))
    assert found.soft.value == pytest.approx(np.mean(soft), abs=0.01)
    assert found.accuracy.value == pytest.approx(np.mean(same))
    assert found.soft_interval.low < found.soft.value < found.soft_interval.high
    assert found.of_means.value == pytest.approx(np.corrcoef(x.mean(0), y.mean(0))[0, 1])


def test_chance_among_the_better_systems_leaves_out_the_lowest_third():
    """Two weak systems set the order of eight; the judge turns the others round."""
    good = np.array([0.0, 0.1, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85])
    y = np.arange(100)[:, None] < 100 * good
    x = np.arange(100)[:, None] < 100 * np.array([*good[:2], *good[:1:-1]])
    found = ordered(x, y)
    assert found.chance.value < 0.05
    assert found.chance_of_better.value == pytest.approx(1 / 120)
    found = ordered(y ^ (np.arange(100)[:, None] % 7 == 0), y)
    assert found.chance_of_better.value == pytest.approx(1 / 120)


def test_chance_within_groups_sees_that_a_judge_knows_only_the_groups():
    good = np.array([0.3, 0.35, 0.4, 0.45, 0.8, 0.85, 0.9, 0.95])
    y = np.arange(100)[:, None] < 100 * good
    turned = np.arange(100)[:, None] < 100 * good[[3, 2, 1, 0, 7, 6, 5, 4]]
    assert ordered(turned, y).chance_within.value == 1
    assert ordered(y, y).chance_within.value == pytest.approx(1 / 24**2)


def test_of_too_few_systems_nothing_is_said_of_their_order():
    found = ordered(*made(4))
    assert found.pearson.these.figure.value is not None
    reasons = {found.soft.reason, found.accuracy.reason, found.chance.reason}
    assert reasons == {found.soft_interval.reason} == {TOO_FEW}
    x, y = made(5)
    constant = ordered(x, np.ones_like(y))
    assert constant.pearson.these.figure.reason == constant.of_means.reason == "constant ratings"


@pytest.mark.parametrize("missing", [0.0, 0.2], ids=["all answered all", "some answers missing"])
def test_drawn_soft_accuracy_is_that_of_the_drawn_questions(missing):
    draw = np.random.default_rng(9)
    count = np.where(draw.random((50, 6)) < missing, 0, draw.integers(1, 3, (50, 6)))
    sums = np.stack([np.stack([some * count, count], axis=2) for some in made(6, 50)], axis=2)
    weights = draw.multinomial(50, np.full(50, 1 / 50), 3).astype(float)
    expected = [
        soft_accuracy(sums.repeat(row.astype(int), axis=0), **DRAWS)[0].value for row in weights
    ]
    assert soft_statistic(sums)(weights) == pytest.approx(expected, abs=1e-12)


def test_soft_accuracy_of_many_systems_needs_little_memory():
    """300 systems are 44,850 pairs: the differences of all questions would take 0.6 GB."""
    x, y = made(300, questions=400)
    given = np.stack([x, y], axis=2).astype(float)
    sums = np.stack([given, np.ones_like(given)], axis=3)
    tracemalloc.start()
    value, interval = soft_accuracy(sums, **DRAWS)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 150e6
    assert interval.reason == TOO_MANY
    few = sums[:, :40]
    drawn = soft_statistic(few)(np.ones((1, 400)))[0]
    assert soft_accuracy(few, **DRAWS)[0].value == pytest.approx(drawn, abs=1e-12)
    assert value.value == pytest.approx(0.9, abs=0.05)

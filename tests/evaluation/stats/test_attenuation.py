"""Pearson of systems' means: against covariances, against Fisher's interval, and at the ends."""

import numpy as np
import pytest
import scipy.stats

from evaluation.statistics.attenuation import NO_WORLD, attenuated
from evaluation.statistics.error_bars import of_sums, replicates

SYSTEMS, QUESTIONS, DRAWS = 10, 80, 20_000


def made(spread=0.3, seed=1):
    """Two numbers of each system on each question; what chance adds to the two goes together."""
    draw = np.random.default_rng(seed)
    worth, own = draw.normal(0, spread, (2, SYSTEMS))
    chance = draw.normal(0, 1, (2, QUESTIONS, SYSTEMS))
    return worth + chance[0], 0.5 * (worth + own) + 0.6 * chance[0] + chance[1]


def drawn_means(values, draws=DRAWS):
    statistic = of_sums(values, lambda some: some / QUESTIONS)
    return replicates(statistic, QUESTIONS, resamples=draws)


def found(one, other, draws=DRAWS):
    drawn = drawn_means(one, draws), drawn_means(other, draws)
    return attenuated(one.mean(0), other.mean(0), *drawn, QUESTIONS)


def test_what_chance_adds_is_the_covariance_of_the_questions():
    """The same from `numpy.cov`, without a draw."""
    one, other = made(seed=2)
    every = np.cov(np.hstack([one, other]).T) / QUESTIONS
    away = np.eye(SYSTEMS) - 1 / SYSTEMS

    def left(a, b):
        rows, columns = (slice(n * SYSTEMS, (n + 1) * SYSTEMS) for n in (a, b))
        means = [one.mean(0), other.mean(0)]
        return float(means[a] @ away @ means[b] - np.trace(away @ every[rows, columns]))

    worth = found(one, other)
    # Fuller's estimate: the sums less what chance adds to them, without a world in between.
    fuller = left(0, 1) / np.sqrt(left(0, 0) * left(1, 1))
    assert worth.these.figure.value == pytest.approx(fuller, abs=0.03)
    reliable = left(0, 0) / float(one.mean(0) @ away @ one.mean(0))
    assert worth.reliability[0].value == pytest.approx(reliable, abs=0.01)


def test_the_value_is_median_unbiased_and_in_its_interval():
    """Above the truth in half of the studies; the plain correlation hardly ever is."""
    above, plain = 0, 0
    for seed in range(200):
        draw = np.random.default_rng([5, seed])
        worth = draw.normal(0, 0.4, (2, SYSTEMS))
        worth[1] = 0.8 * worth[0] + 0.6 * worth[1]
        one, other = worth[:, None] + draw.normal(0, 1, (2, QUESTIONS, SYSTEMS))
        these = found(one, other, draws=300).these
        true = np.corrcoef(*worth)[0, 1]
        assert these.interval.low <= these.figure.value <= these.interval.high
        assert these.interval.low < these.interval.high
        above += these.figure.value > true
        plain += np.corrcoef(one.mean(0), other.mean(0))[0, 1] > true
    assert 86 <= above <= 114  # two standard errors
    assert plain < 70


def test_a_correlation_that_no_world_explains_is_undefined():
    """The means fit each other exactly, although chance moves each of them by a lot."""
    draw = np.random.default_rng(1)
    means = draw.normal(0, 0.1, SYSTEMS)
    noise = draw.normal(0, 0.08, (2, 2_000, SYSTEMS))
    these = attenuated(means, 2 * means, means + noise[0], 2 * means + noise[1], QUESTIONS).these
    assert these.figure.reason == these.interval.reason == NO_WORLD
    assert these.interval.low is these.interval.high is None


def test_without_chance_of_questions_other_systems_have_fishers_interval():
    draw = np.random.default_rng(2)
    x = draw.normal(0, 1, 16)
    y = 0.8 * x + draw.normal(0, 0.6, 16)
    nothing = np.tile(x, (DRAWS, 1)), np.tile(y, (DRAWS, 1))
    worth = attenuated(x, y, *nothing, QUESTIONS)
    expected = scipy.stats.pearsonr(x, y)
    these = worth.these
    for value in (these.figure.value, these.interval.low, these.interval.high):
        assert value == pytest.approx(expected.statistic, abs=0.05)
    low, high = expected.confidence_interval(0.95)
    assert worth.others.interval.low == pytest.approx(low, abs=0.03)
    assert worth.others.interval.high == pytest.approx(high, abs=0.03)
    assert worth.warning == ""


def test_systems_that_differ_by_chance_alone():
    worth = found(*made(spread=0.0, seed=3))
    assert worth.these.interval.high - worth.these.interval.low > 1
    assert "rate more questions" in worth.warning


def test_too_few_of_anything():
    one, other = made()
    few = attenuated(
        one.mean(0)[:2], other.mean(0)[:2], drawn_means(one)[:, :2], drawn_means(other)[:, :2], 80
    )
    assert few.these.figure.reason == few.others.interval.reason == "fewer than 3 systems"
    lost = drawn_means(one)
    lost[: DRAWS // 2, 0] = np.nan
    worth = attenuated(one.mean(0), other.mean(0), lost, drawn_means(other), QUESTIONS)
    assert worth.these.figure.reason == "too few different answers to tell"


def test_questions_are_needed():
    x, y = np.arange(4.0), np.array([1.0, 0.0, 2.0, 3.0])
    assert attenuated(x, y, x[None], y[None], 1).these.figure.reason == "fewer than two questions"

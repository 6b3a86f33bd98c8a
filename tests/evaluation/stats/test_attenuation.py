"""Pearson of systems' means: against covariances, against Fisher's interval, and at the ends."""

import numpy as np
import pytest
import scipy.stats

from evaluation.statistics.attenuation import NO_SPREAD, attenuated
from evaluation.statistics.error_bars import of_sums, replicates

SYSTEMS, QUESTIONS, DRAWS = 10, 80, 20_000


def made(spread=0.3, seed=1):
    """Two numbers of each system on each question; what chance adds to the two goes together."""
    draw = np.random.default_rng(seed)
    worth = draw.normal(0, spread, SYSTEMS)
    chance = draw.normal(0, 1, (2, QUESTIONS, SYSTEMS))
    return worth + chance[0], 0.5 * worth + 0.6 * chance[0] + chance[1]


def drawn_means(values, draws=DRAWS):
    statistic = of_sums(values, lambda some: some / QUESTIONS)
    return replicates(statistic, QUESTIONS, resamples=draws)


def test_what_chance_adds_is_the_covariance_of_the_questions():
    """The same from `numpy.cov`, without a draw."""
    one, other = made()
    found = attenuated(one.mean(0), other.mean(0), drawn_means(one), drawn_means(other), QUESTIONS)
    every = np.cov(np.hstack([one, other]).T) / QUESTIONS
    away = np.eye(SYSTEMS) - 1 / SYSTEMS

    def left(a, b):
        rows, columns = (slice(n * SYSTEMS, (n + 1) * SYSTEMS) for n in (a, b))
        means = [one.mean(0), other.mean(0)]
        return float(means[a] @ away @ means[b] - np.trace(away @ every[rows, columns]))

    expected = left(0, 1) / np.sqrt(left(0, 0) * left(1, 1))
    assert found.corrected.value == pytest.approx(min(expected, 1), abs=0.02)
    reliable = left(0, 0) / float(one.mean(0) @ away @ one.mean(0))
    assert found.reliability[0].value == pytest.approx(reliable, abs=0.01)


def test_without_chance_of_questions_other_systems_have_fishers_interval():
    draw = np.random.default_rng(2)
    x = draw.normal(0, 1, 16)
    y = 0.8 * x + draw.normal(0, 0.6, 16)
    nothing = np.tile(x, (DRAWS, 1)), np.tile(y, (DRAWS, 1))
    found = attenuated(x, y, *nothing, QUESTIONS)
    expected = scipy.stats.pearsonr(x, y)
    assert found.corrected.value == pytest.approx(expected.statistic)
    assert found.interval.low == pytest.approx(expected.statistic, abs=0.05)
    assert found.interval.high == pytest.approx(expected.statistic, abs=0.05)
    low, high = expected.confidence_interval(0.95)
    assert found.of_other_systems.low == pytest.approx(low, abs=0.03)
    assert found.of_other_systems.high == pytest.approx(high, abs=0.03)
    assert found.warning == ""


def test_systems_that_differ_by_chance_alone():
    one, other = made(spread=0.0, seed=3)
    found = attenuated(one.mean(0), other.mean(0), drawn_means(one), drawn_means(other), QUESTIONS)
    assert found.corrected.reason == NO_SPREAD
    assert np.ptp([found.interval.low, found.interval.high]) > 1
    assert "more questions" in found.warning


def test_too_few_of_anything():
    one, other = made()
    few = attenuated(
        one.mean(0)[:2], other.mean(0)[:2], drawn_means(one)[:, :2], drawn_means(other)[:, :2], 80
    )
    assert few.corrected.reason == few.interval.reason == "fewer than 3 systems"
    lost = drawn_means(one)
    lost[: DRAWS // 2, 0] = np.nan
    found = attenuated(one.mean(0), other.mean(0), lost, drawn_means(other), QUESTIONS)
    assert found.interval.reason == "too few different answers to tell"


def test_questions_are_needed():
    x, y = np.arange(4.0), np.array([1.0, 0.0, 2.0, 3.0])
    assert attenuated(x, y, x[None], y[None], 1).interval.reason == "fewer than two questions"

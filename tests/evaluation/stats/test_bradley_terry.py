"""Strengths of systems against a second maximisation, statsmodels, and worked by hand."""

import numpy as np
import pytest
import scipy.optimize
import statsmodels.api as sm
from scipy.special import stdtr, stdtrit

from evaluation.statistics.bradley_terry import (
    ALL_ALIKE,
    FIRST_IS_THE_SAME,
    FIRST_NOT_KNOWN,
    NOT_LINKED,
    ONLY_TIES,
    TOO_FEW,
    PairAnswers,
    bradley_terry,
)


def answers(one, other, outcome, side=0, weight=1.0, question=None, rater=0):
    size = len(one)
    question = np.arange(size) if question is None else question
    one, other, outcome, side, question, rater = (
        np.broadcast_to(np.asarray(each, dtype=np.int64), size)
        for each in (one, other, outcome, side, question, rater)
    )
    weights = np.broadcast_to(np.asarray(weight, float), size)
    return PairAnswers(one, other, outcome, side, weights, question, rater)


def counted(cells, **more):
    """From how often each outcome was seen: {(one, other): (wins, ties, losses)}."""
    rows = [
        (*pair, outcome)
        for pair, times in cells.items()
        for outcome, many in zip((1, 0, -1), times, strict=True)
        for _ in range(many)
    ]
    return answers(*np.array(rows).T, **more)


def drawn(seed, ties, size=300):
    """Random answers about four systems by 7 raters on 40 questions."""
    draw = np.random.default_rng(seed)
    one = draw.integers(0, 4, size)
    other = (one + draw.integers(1, 4, size)) % 4
    lean = (other - one) / 2 + draw.logistic(size=size)
    outcome = np.where(np.abs(lean) < ties, 0, np.sign(lean))
    side = draw.choice([-1, 0, 1], size)
    question, rater = draw.integers(0, 40, size), draw.integers(0, 7, size)
    return answers(one, other, outcome, side, draw.choice([0.5, 1.0], size), question, rater)


def test_of_three_systems_worked_by_hand():
    """Worth 4, 1 and 1/4; ties weigh as the root of the product of the two, ν = 1."""
    seen = {(0, 1): (4, 2, 1), (0, 2): (16, 4, 1), (1, 2): (4, 2, 1)}
    found = bradley_terry(counted(seen), 3)
    assert found.theta == pytest.approx([np.log(4), 0, -np.log(4), 0, 0], abs=1e-9)
    assert found.rate(0).figure.value == pytest.approx((5 / 7 + 18 / 21) / 2)
    assert found.first_shown().figure.reason == FIRST_NOT_KNOWN


@pytest.mark.parametrize("ties", [0.0, 0.6])
def test_strengths_are_those_of_another_maximisation(ties):
    """In worths π and γ, as Davidson and Beaver write the model."""
    given = drawn(1, ties)

    def cost(values):
        worth, gamma, nu = np.exp(np.append(values[:3], 0)), np.exp(values[3]), np.exp(values[4])
        i, j = worth[given.one], worth[given.other]
        i, j = np.where(given.side > 0, gamma * i, i), np.where(given.side < 0, gamma * j, j)
        tie = nu * np.sqrt(i * j) * bool(ties)
        chance = np.choose(given.outcome + 1, [j, tie, i]) / (i + j + tie)
        return -(given.weight * np.log(chance)).sum()

    best = scipy.optimize.minimize(cost, np.zeros(5), method="BFGS", options={"gtol": 1e-8}).x
    found = bradley_terry(given, 4)
    assert found.theta[:3] - found.theta[3] == pytest.approx(best[:3], abs=1e-5)
    assert found.theta[4] == pytest.approx(best[3], abs=1e-5)
    if ties:
        assert found.theta[5] == pytest.approx(best[4], abs=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_errors_are_those_of_a_clustered_logistic_regression(seed):
    given = drawn(seed, 0.0)
    rows = np.zeros((len(given.one), 5))
    rows[np.arange(len(rows)), given.one] += 1
    rows[np.arange(len(rows)), given.other] -= 1
    rows[:, 3] = given.side
    rows = rows[:, :4]  # the last system is what others are compared with
    plain = answers(
        given.one, given.other, given.outcome, given.side, 1.0, given.question, given.rater
    )
    model = sm.Logit((given.outcome > 0).astype(float), rows)
    parts, both = [], given.question * 7 + given.rater
    for cluster in (given.question, given.rater, both):
        options = {"groups": cluster, "use_correction": False}
        logistic = model.fit(disp=0, cov_type="cluster", cov_kwds=options, tol=1e-12)
        count = len(np.unique(cluster))
        parts.append((logistic.bse[0] ** 2 * count / (count - 1), count - 1))
    (questions, few), (raters, fewer), (less, _) = parts
    variance, free = questions, few
    if raters > less:
        variance = questions + raters - less
        free = min(few, variance**2 / (questions**2 / few + raters**2 / fewer))
    [found] = [
        it for one, other, it, _ in bradley_terry(plain, 4).tests() if (one, other) == (0, 3)
    ]
    assert found.figure.value == pytest.approx(logistic.params[0])
    assert found.error.value == pytest.approx(variance**0.5)
    away = stdtrit(free, 0.975) * variance**0.5
    assert found.interval.high == pytest.approx(logistic.params[0] + away)
    assert found.p.value == pytest.approx(2 * stdtr(free, -abs(logistic.params[0]) / variance**0.5))


def test_a_system_that_wins_all_is_held_by_half_a_win_and_half_a_loss():
    """Against one other: 2 λ solves 40 σ(-2 λ) = tanh(λ / 2)."""
    found = bradley_terry(counted({(0, 1): (40, 0, 0)}), 2)
    assert not found.has_maximum
    strength = found.theta[0]
    assert 40 / (1 + np.exp(2 * strength)) == pytest.approx(np.tanh(strength / 2) / 2)
    [(_, _, difference, _)] = found.tests()
    low, high = difference.interval.low, difference.interval.high
    assert low is not None
    assert high is not None
    assert 0 < low < 7 < high
    [(_, _, _, p)] = bradley_terry(counted({(0, 1): (3, 0, 0)}), 2).tests()
    assert p.value is not None
    assert p.value > 0.05


def test_what_is_not_known_is_said():
    assert bradley_terry(counted({(0, 1): (0, 9, 0)}), 2).strength(0).figure.reason == ONLY_TIES
    apart = counted({(0, 1): (5, 0, 2), (2, 3): (1, 1, 5)})
    assert bradley_terry(apart, 4).strength(0).figure.reason == NOT_LINKED
    same = bradley_terry(counted({(0, 1): (5, 0, 4)}, side=1), 2)
    assert same.first_shown().figure.reason == FIRST_IS_THE_SAME
    assert same.theta[0] - same.theta[1] == pytest.approx(np.log(5 / 4))
    one = bradley_terry(counted({(0, 1): (5, 0, 4)}, question=0), 2)
    assert one.strength(0).interval.reason == TOO_FEW
    even = answers([0, 0] * 3, [1, 1] * 3, [1, -1] * 3, question=[0, 0, 1, 1, 2, 2])
    assert bradley_terry(even, 2).strength(0).interval.reason == ALL_ALIKE

"""Rated responses and the others: by all orders of the questions, and by false alarms."""

from itertools import permutations

import numpy as np
import pytest

from bench.coverage import row
from bench.coverage_powered import SIMULATIONS
from evaluation.statistics.rated_sample import compared, compared_sets

RATED = np.array([[1, 1], [1, 0], [0, 1], [0, 0], [0, 0], [1, 1]], dtype=bool)


def test_the_variance_is_that_of_all_orders_of_the_questions():
    """24 questions, two systems; no response is missing."""
    draw = np.random.default_rng(1)
    rated, values = np.tile(RATED, (4, 1)), draw.normal(size=(24, 2))
    own = rated - rated.mean(axis=0)
    sums = [(own * draw.permutation(values)).sum() for _ in range(40_000)]
    z = (own * values).sum() / np.std(sums)
    # p of the normal distribution, from its own tail.
    tail = np.mean(np.abs(np.random.default_rng(2).standard_normal(400_000)) >= abs(z))
    found = compared(rated, ~rated, values)
    assert found is not None
    assert found.p == pytest.approx(tail, abs=0.005)
    assert found.rated == pytest.approx(values[rated].mean())
    assert found.others == pytest.approx(values[~rated].mean())


def test_few_rated_responses_are_tested_by_orders_of_the_questions():
    values = np.random.default_rng(1).normal(size=(6, 2))
    own = RATED - RATED.mean(axis=0)
    sums = np.abs([(own * values[list(order)]).sum() for order in permutations(range(6))])
    found = compared(RATED, ~RATED, values)
    assert found is not None
    assert found.p == pytest.approx(np.mean(sums >= sums[0] - 1e-9), abs=0.05)


def test_a_system_is_compared_with_itself():
    """People rated all of the better system and half of the other: nothing differs within them."""
    judge = np.column_stack([np.ones(40), np.zeros(40)])
    rated = np.column_stack([np.arange(40) < 38, np.arange(40) < 20])
    found = compared(rated, ~rated, judge)
    assert found is not None
    assert found.p == 1


def test_nothing_to_compare():
    everything = np.ones((5, 2), dtype=bool)
    assert compared(everything, ~everything, np.ones((5, 2))) is None
    assert compared(everything, everything, np.full((5, 2), np.nan)) is None
    assert compared_sets(everything, ~everything, ["one"] * 5) is None


@pytest.mark.parametrize("kind", ["half yes", "nearly all yes"])
def test_a_drawn_part_is_said_to_differ_in_one_of_twenty_studies(kind):
    [one] = (
        s
        for s in SIMULATIONS
        if (s.number, s.design) == (f"Rated like the rest, {kind}", "40 of 400 questions")
    )
    # 5 % of 400 are 20, with a standard deviation of 4.4.
    assert 371 <= row(one, 400).covered <= 392


def test_few_rated_questions_and_a_rare_verdict_are_not_called_different():
    """The judge says yes to 2 % of 400 answers, and 5 were rated."""
    alarms = 0
    for seed in range(200):
        judge = np.random.default_rng(seed).random((400, 1)) < 0.02
        rated = np.arange(400)[:, None] < 5
        found = compared(rated, ~rated, judge.astype(float))
        alarms += found is not None and found.p < 0.05
    assert alarms <= 12


def test_easy_questions_first_are_seen():
    """The first 40 of 400 questions, the easiest, of three systems."""
    seen = 0
    for seed in range(60):
        draw = np.random.default_rng(seed)
        easy = -np.sort(-draw.beta(4, 8 / 3, 400))
        judge = (draw.random((400, 3)) < 0.15 + 0.7 * easy[:, None]).astype(float)
        rated = np.broadcast_to(np.arange(400)[:, None] < 40, judge.shape)
        found = compared(rated, ~rated, judge)
        seen += found is not None and found.p < 0.05
    assert seen >= 54

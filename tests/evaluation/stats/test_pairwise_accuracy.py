"""Pairwise accuracies: by hand, and pair by pair."""

from itertools import combinations, product

import numpy as np
import pytest

from evaluation.statistics.pairwise_accuracy import (
    accuracies,
    better_by_chance,
    calibrated,
    soft_accuracies,
)


def plainly(judge, people, epsilon=0.0):
    """Pair by pair: how many are right."""
    right = []
    for a, b in combinations(range(len(judge)), 2):
        away, apart = judge[a] - judge[b], people[a] - people[b]
        tied = abs(away) <= epsilon
        right.append(apart == 0 if tied else away * apart > 0)
    return np.mean(right)


def test_by_hand():
    people, judge = np.array([[0.9, 0.5, 0.5, 0.1]]), np.array([[0.8, 0.6, 0.5, 0.55]])
    # Wrong: second and third (people tie), third and fourth. Right: the other four of six.
    assert accuracies(judge, people)[0] == pytest.approx(4 / 6)
    # .05 makes ties of second–fourth, third–fourth and of second–third at .1: none is better.
    share, epsilon = calibrated(judge, people)
    assert (share[0], epsilon[0]) == (pytest.approx(4 / 6), 0)
    assert accuracies(people, people)[0] == 1


def test_calibrated_against_every_threshold(subtests):
    for seed in range(20):
        with subtests.test(seed=seed):
            draw = np.random.default_rng(seed)
            people = draw.integers(0, 4, (3, 7)) / 4
            judge = draw.integers(0, 12, (3, 7)) / 12
            share, epsilon = calibrated(judge, people)
            for row in range(3):
                apart = {abs(a - b) for a, b in combinations(judge[row], 2)}
                best = max(plainly(judge[row], people[row], e + 1e-9) for e in apart | {0.0})
                assert accuracies(judge, people)[row] == pytest.approx(
                    plainly(judge[row], people[row])
                )
                assert share[row] == pytest.approx(best)
                assert plainly(judge[row], people[row], epsilon[row] + 1e-9) == pytest.approx(best)
                smaller = [e for e in apart | {0.0} if e < epsilon[row] - 1e-9]
                assert all(
                    plainly(judge[row], people[row], e + 1e-9) < best - 1e-9 for e in smaller
                )


def test_p_is_that_of_all_changes_of_sign():
    draw = np.random.default_rng(4)
    d = draw.normal(0.2, 1, (12, 3))
    every = np.array(list(product([-1, 1], repeat=12))) @ d
    exact = (every >= d.sum(axis=0) - 1e-12).mean(axis=0)
    assert better_by_chance(d.sum(axis=0), (d**2).sum(axis=0)) == pytest.approx(exact, abs=0.015)
    assert better_by_chance(np.zeros(1), np.zeros(1))[0] == 0.5


def test_soft_by_hand():
    people, judge = np.array([0.1, 0.5, 0.9]), np.array([[0.1, 0.5, 0.9], [0.9, 0.5, 0.1]])
    assert soft_accuracies(judge, people) == pytest.approx([1, 1 - 1.6 / 3])

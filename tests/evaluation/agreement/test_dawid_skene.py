"""Dawid and Skene's model: against a plain implementation of its formulas, and what it is for."""

import random

import numpy as np
import pytest

from evaluation.statistics.dawid_skene import EstimatedLabel, dawid_skene
from tests.evaluation.agreement.plainly import most_frequent

NO_YES = ("no", "yes")


CAREFUL_AND_NOT = [0.95] * 3 + [0.5] * 4
ALL_CAREFUL = [0.9, 0.85, 0.8, 0.75, 0.9]


def crowd(seed, shares, *, units=200):
    """True values, and what raters say who are right this often."""
    draw = random.Random(seed)
    truth = {unit: draw.choice(NO_YES) for unit in range(units)}
    right = dict(enumerate(shares))
    other = {"no": "yes", "yes": "no"}
    ratings = {
        unit: {
            judge: value if draw.random() < share else other[value]
            for judge, share in right.items()
        }
        for unit, value in truth.items()
    }
    return truth, ratings


def plain(ratings, values):
    """The formulas of the docstring, one after the other, until nothing moves any more."""
    units = list(ratings)
    judges = sorted({judge for votes in ratings.values() for judge in votes})
    said = np.zeros((len(units), len(judges), len(values)))
    for row, unit in enumerate(units):
        for judge, value in ratings[unit].items():
            said[row, judges.index(judge), values.index(value)] = 1
    truth = said.sum(axis=1) / said.sum(axis=(1, 2))[:, None]
    for _ in range(300):
        shares = truth.sum(axis=0) / truth.sum()
        tables = np.einsum("uj,uwl->wjl", truth, said)
        tables = (tables + 1e-12) / (tables + 1e-12).sum(axis=2, keepdims=True)
        logs = np.log(shares) + np.einsum("uwl,wjl->uj", said, np.log(tables))
        truth = np.exp(logs - logs.max(axis=1, keepdims=True))
        truth /= truth.sum(axis=1, keepdims=True)
    return {unit: truth[row] for row, unit in enumerate(units)}


def test_it_follows_the_formulas(subtests):
    for seed in range(5):
        with subtests.test(seed=seed):
            _, ratings = crowd(seed, ALL_CAREFUL)
            expected = plain(ratings, NO_YES)
            found = dawid_skene(ratings, NO_YES)
            assert list(found) == list(ratings)
            for unit, estimate in found.items():
                best = int(expected[unit].argmax())
                assert estimate.value == NO_YES[best]
                assert estimate.probability == pytest.approx(float(expected[unit][best]), abs=0.05)


def test_bad_raters_count_for_less_than_in_a_majority():
    truth, ratings = crowd(1, CAREFUL_AND_NOT)
    model = dawid_skene(ratings, NO_YES)
    by_model = sum(model[unit].value == value for unit, value in truth.items())
    by_votes = sum(
        most_frequent(ratings[unit].values(), NO_YES) == value for unit, value in truth.items()
    )
    assert by_model > by_votes + 10


def test_a_level_that_nobody_used_is_no_obstacle():
    ratings = {1: {"a": "full", "b": "full"}, 2: {"a": "none", "b": "none"}}
    found = dawid_skene(ratings, ("none", "partial", "full"))
    assert {unit: estimate.value for unit, estimate in found.items()} == {1: "full", 2: "none"}
    assert all(0 <= estimate.probability <= 1 for estimate in found.values())


def test_where_all_agree_there_is_nothing_to_estimate():
    assert dawid_skene({1: {"a": "yes"}, 2: {"b": "yes"}}, NO_YES) == {
        1: EstimatedLabel("yes", 1.0),
        2: EstimatedLabel("yes", 1.0),
    }
    assert dawid_skene({}, NO_YES) == {}

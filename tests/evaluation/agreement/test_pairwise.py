"""Observed agreement of pairs, by hand."""

import numpy as np
import pytest

from evaluation.agreement.pairwise import shares
from evaluation.agreement.ratings import undefined
from tests.evaluation.agreement.by_ratings import fleiss_kappa, observed_agreement, pairs, pairs_of


def votes(letters):
    return dict(enumerate(letters))


def test_pairs_of_one_unit():
    # a a a b b: 3 pairs of a, 1 of b, out of 5·4/2.
    assert pairs_of(votes("aaabb")) == (4, 10)
    assert pairs_of(votes("a")) == (0, 0)


def test_pairs_are_pooled_over_units():
    # 4 of 10, 1 of 1, 0 of 1, and a unit with one rating that has no pair: 5 of 12.
    made = {1: votes("aaabb"), 2: votes("aa"), 3: votes("ab"), 4: votes("a")}
    assert observed_agreement(made).value == pytest.approx(5 / 12)
    assert pairs(made).tolist() == [[4, 10], [1, 1], [0, 1], [0, 0]]


def test_with_equal_numbers_it_is_fleiss_observed_agreement():
    # The example of test_fleiss: P = 7/9, and κ (1 - P_e) + P_e = P.
    made = {1: votes("yyy"), 2: votes("yyn"), 3: votes("nnn")}
    kappa = fleiss_kappa(made, ("n", "y")).value
    assert kappa is not None
    by_chance = 41 / 81
    assert observed_agreement(made).value == pytest.approx(kappa * (1 - by_chance) + by_chance)


def test_undefined(subtests):
    for made in [{}, {1: votes("a"), 2: {}}]:
        with subtests.test(made=made):
            assert observed_agreement(made) == undefined("nothing has two ratings yet")


def test_weights_stand_for_repeated_units():
    per_unit = pairs({1: votes("aaabb"), 2: votes("aa"), 3: votes("a")})
    found = shares(np.array([[2.0, 1, 0], [0, 0, 3]]) @ per_unit)
    assert found[0] == pytest.approx(9 / 21)
    assert np.isnan(found[1])

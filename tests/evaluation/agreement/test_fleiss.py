"""Fleiss' kappa, by hand and against statsmodels."""

import random

import numpy as np
import pytest
from statsmodels.stats.inter_rater import fleiss_kappa as reference

from evaluation.statistics.fleiss import BELOW, kappa, kappas
from evaluation.statistics.gwet import contributions
from evaluation.statistics.ratings import undefined
from tests.evaluation.agreement.by_ratings import counts, fleiss_kappa, rated_as_often

NO_YES = ("no", "yes")


def ratings(*units):
    """Each unit as a word of letters: the answers of judges 0, 1, 2 and so on."""
    words = {"y": "yes", "n": "no"}
    return {
        number: {judge: words[letter] for judge, letter in enumerate(unit)}
        for number, unit in enumerate(units)
    }


def test_by_hand():
    # P_i: 3·2/6 = 1, (2·1)/6 = 1/3, 1; P = 7/9 = 63/81.
    # Shares: 5 of 9 yes, 4 of 9 no; P_e = 25/81 + 16/81 = 41/81.
    # κ = (63 - 41) / (81 - 41) = 22/40.
    assert fleiss_kappa(ratings("yyy", "yyn", "nnn"), NO_YES).value == pytest.approx(0.55)


def test_against_statsmodels(subtests):
    for seed in range(20):
        with subtests.test(seed=seed):
            draw = random.Random(seed)
            levels = ("none", "partial", "full")
            raters = draw.randint(2, 7)
            made = {
                unit: {judge: draw.choice(levels) for judge in range(raters)}
                for unit in range(draw.randint(3, 40))
            }
            expected = reference(counts(made, levels), method="fleiss")
            assert fleiss_kappa(made, levels).value == pytest.approx(expected)


def test_undefined(subtests):
    for made, reason in [
        ({}, "nothing has two ratings yet"),
        (ratings("y", "n"), "nothing has two ratings yet"),
        (ratings("yy", "yy"), "all answers are the same"),
    ]:
        with subtests.test(made=made, reason=reason):
            assert fleiss_kappa(made, NO_YES) == undefined(reason)


def test_the_most_frequent_number_of_ratings_and_what_it_leaves_out():
    made = ratings("yyn", "yy", "nnn", "n", "yny", "ny")
    found = rated_as_often(made)
    assert list(found.ratings) == [0, 2, 4]
    assert found.raters == 3
    assert found.left_out == (1, 3, 5)
    assert found.words == ("3 of 6 units, those with 3 ratings; 3 with fewer or more are left out.")


def test_weights_stand_for_repeated_units():
    per_unit = contributions(counts(ratings("yyn", "nnn", "yyy"), NO_YES), "nominal")
    twice = fleiss_kappa(ratings("yyn", "yyn", "nnn", "yyy"), NO_YES).value
    draws = np.array([[2.0, 1, 1], [0, 3, 0]])
    found = kappas(draws @ per_unit)
    assert found[0] == pytest.approx(twice)
    assert np.isnan(found[1])


# Generalised -------------------------------------------------------------------------------------

GWET = np.array(
    [
        [1, 1, 0, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
        [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [0, 5, 5, 5], [0, 0, 1, 1], [0, 0, 3, 0],
    ]
)  # fmt: skip
"""Twelve units by four raters, 0 for no rating: Gwet (2014), table 2.10 (`cac.raw4raters`)."""


def given_of(rated):
    return np.stack([(rated == value).sum(axis=1) for value in range(1, 6)], axis=1).astype(float)


def test_generalised_as_in_the_handbook():
    """0.76117 by its author's package, irrCAC."""
    found = kappa(contributions(given_of(GWET), "nominal").sum(axis=0))
    assert found.value == pytest.approx(0.76117, abs=1e-5)


def test_generalised_is_not_below_its_scale():
    """One unit of two ratings that differ, and many of one: chance is that of all units."""
    table = np.array([[1, 1], *[[1, 0]] * 30], dtype=float)
    summed = contributions(table, "nominal").sum(axis=0)
    assert kappa(summed) == undefined(BELOW)
    assert np.isnan(kappas(summed[None])).all()

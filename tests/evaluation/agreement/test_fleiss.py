"""Fleiss' kappa, by hand and against statsmodels."""

import random

import pytest
from statsmodels.stats.inter_rater import fleiss_kappa as reference

from evaluation.agreement.fleiss import counts, fleiss_kappa, rated_by_all
from evaluation.agreement.ratings import undefined

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


def test_worse_than_chance():
    # P_i = 0, 0; P_e = 1/2; κ = -1.
    assert fleiss_kappa(ratings("yn", "ny"), NO_YES).value == pytest.approx(-1)


def test_the_table_of_counts():
    assert counts(ratings("yyn", "nnn"), NO_YES).tolist() == [[1, 2], [3, 0]]


@pytest.mark.parametrize("seed", range(20))
def test_against_statsmodels(seed):
    draw = random.Random(seed)
    levels = ("none", "partial", "full")
    raters = draw.randint(2, 7)
    made = {
        unit: {judge: draw.choice(levels) for judge in range(raters)}
        for unit in range(draw.randint(3, 40))
    }
    expected = reference(counts(made, levels), method="fleiss")
    assert fleiss_kappa(made, levels).value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ({}, "nothing was rated"),
        (ratings("y", "n"), "fewer than two raters"),
        (ratings("yy", "nny"), "the units do not all have the same number of ratings"),
        (ratings("yy", "yy"), "all answers are the same"),
    ],
)
def test_undefined(made, reason):
    assert fleiss_kappa(made, NO_YES) == undefined(reason)


def test_units_that_everybody_rated():
    made = ratings("yyn", "yy", "nnn")
    assert list(rated_by_all(made)) == [0, 2]
    assert rated_by_all({}) == {}

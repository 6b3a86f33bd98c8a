"""Krippendorff's alpha, by hand, from the literature and against the library of that name."""

import random

import krippendorff
import numpy as np
import pytest

from evaluation.statistics.alpha import alphas, coincidences
from evaluation.statistics.ratings import undefined
from tests.evaluation.agreement.by_ratings import counts, krippendorff_alpha

LEVELS = ("1", "2", "3", "4", "5")


def ratings(*units):
    """Each unit as a word of digits, the answers of judges 0, 1, 2 ...; a dot is no answer."""
    return {
        number: {judge: digit for judge, digit in enumerate(unit) if digit != "."}
        for number, unit in enumerate(units)
    }


def test_nominal_by_hand():
    # Unit 1 1 2: o_11 = 2·1/2 = 1, o_12 = o_21 = 2·1/2 = 1. Unit 2 2: o_22 = 2. n = 2 + 3 = 5.
    # D_o = 2/5; D_e = 2·2·3 / (5·4) = 3/5; α = 1 - 2/3.
    assert krippendorff_alpha(ratings("112", "22"), LEVELS, "nominal").value == pytest.approx(1 / 3)


def test_ordinal_by_hand():
    # Pairs: o_12 = o_21 = 1, o_33 = 2, o_11 = 2; n_1, n_2, n_3 = 3, 1, 2; n = 6.
    # δ²(1,2) = (4 - 2)² = 4; δ²(2,3) = (3 - 1.5)² = 2.25; δ²(1,3) = (6 - 2.5)² = 12.25.
    # D_o = 2·4 / 6 = 4/3; D_e = 2 (3·4 + 6·12.25 + 2·2.25) / 30 = 6; α = 1 - 2/9.
    made = ratings("12", "33", "2.", "11")
    assert krippendorff_alpha(made, LEVELS, "ordinal").value == pytest.approx(7 / 9)


# Four observers, twelve units, from Krippendorff (2011), section E.
PUBLISHED = ratings(
    "11.1", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", ".555", "..11", "..3."
)  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_the_published_example(metric, expected):
    found = krippendorff_alpha(PUBLISHED, LEVELS, metric).value
    assert found == pytest.approx(expected, abs=0.0005)


def matrix(made, raters):
    """Judges by units, with NaN for no answer, as the library wants it."""
    return np.array(
        [[float(votes.get(judge, "nan")) for votes in made.values()] for judge in range(raters)]
    )


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(20))
def test_against_the_library(seed, metric):
    draw = random.Random(seed)
    raters = draw.randint(2, 6)
    made = ratings(
        *("".join(draw.choice("12345.") for _ in range(raters)) for _ in range(draw.randint(5, 60)))
    )
    expected = krippendorff.alpha(matrix(made, raters), level_of_measurement=metric)
    assert krippendorff_alpha(made, LEVELS, metric).value == pytest.approx(expected)


def test_weights_stand_for_repeated_units():
    """The coincidences of units add up: counting a unit twice is the same as having it twice."""
    once = coincidences(counts(ratings("112", "22"), LEVELS))
    weighted = np.tensordot([2.0, 1.0], once, axes=1)
    twice = krippendorff_alpha(ratings("112", "112", "22"), LEVELS, "nominal").value
    assert alphas(weighted[None], "nominal")[0] == pytest.approx(twice)


@pytest.mark.parametrize("metric", ["nominal", "ordinal"])
@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ({}, "nothing has two ratings yet"),
        (ratings("1.", ".2"), "nothing has two ratings yet"),
        (ratings("22", "222"), "all answers are the same"),
        (ratings("22", "1."), "all answers are the same"),
    ],
)
def test_undefined(made, reason, metric):
    assert krippendorff_alpha(made, LEVELS, metric) == undefined(reason)

"""Alpha of numbers and of sets, beside one that is computed pair by pair from the definition."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statistics import distances

SETS = ("-", "a", "a|b", "a|b|c", "b", "b|c", "c", "a|c")


def masi(one, other):
    one, other = ({*value.split("|")} - {"-"} for value in (one, other))
    if one == other:
        return Fraction(0)
    if not one & other:
        return Fraction(1)
    part = Fraction(2, 3) if one < other or other < one else Fraction(1, 3)
    return 1 - Fraction(len(one & other), len(one | other)) * part


def jaccard(one, other):
    one, other = ({*value.split("|")} - {"-"} for value in (one, other))
    return 1 - Fraction(len(one & other), len(one | other)) if one | other else Fraction(0)


def squared(one, other):
    return Fraction(one - other) ** 2


def plainly(units, distance):
    """Alpha of the answers to each unit, every pair taken by itself."""
    units = [answers for answers in units if len(answers) > 1]
    seen = sum(
        sum(distance(a, b) for a, b in permutations(answers, 2)) / (len(answers) - 1)
        for answers in units
    )
    every = [answer for answers in units for answer in answers]
    chance = sum(distance(a, b) for a, b in permutations(every, 2))
    n = len(every)
    return 1 - Fraction((n - 1) * seen, chance) if chance else None


def columns(units):
    rows = [(unit, answer) for unit, answers in enumerate(units) for answer in answers]
    return np.array([unit for unit, _ in rows], dtype=np.int64), [answer for _, answer in rows]


def of_sets(units, metric, number):
    unit, answers = columns(units)
    value = np.array([SETS.index(answer) for answer in answers], dtype=np.int64)
    apart = distances.set_distances(SETS, metric)
    return distances.of_sets(unit, value, apart, unit % number, number)


def near(found, expected):
    if expected is None:
        return bool(np.isnan(found))
    return abs(float(found) - float(expected)) <= 1e-12 * max(1, abs(float(expected)))


@given(
    st.lists(st.lists(st.sampled_from(SETS), max_size=4), max_size=9),
    st.sampled_from([("masi", masi), ("jaccard", jaccard)]),
    st.sampled_from([1, 3, 20]),
)
def test_alpha_of_sets_is_that_of_every_pair(units, metric, number):
    """Of few clusters and of more than there are values."""
    spread = of_sets(units, metric[0], number)
    [found] = distances.alphas(spread.sums.sum(axis=0)[None], spread.form)
    assert near(found, plainly(units, metric[1]))


@given(st.lists(st.lists(st.integers(-1000, 10_000), max_size=4), max_size=9), st.integers(1, 4))
def test_alpha_of_numbers_is_that_of_every_pair(units, number):
    unit, answers = columns(units)
    spread = distances.of_numbers(unit, np.array(answers, dtype=float), unit % number, number)
    [found] = distances.alphas(spread.sums.sum(axis=0)[None], spread.form)
    assert near(found, plainly(units, squared))


def test_clusters_drawn_twice_count_twice(subtests):
    for number in [3, 30]:
        with subtests.test(number=number):
            units = [
                ["a", "a|b"],
                ["b", "-"],
                ["a|b|c", "c", "c"],
                ["a", "a"],
                ["b|c", "c"],
                ["-", "-"],
            ]
            drawn = [2, 0, 1]
            spread = (
                of_sets(units, "masi", 3)
                if number == 3
                else of_sets([*units, *[[]] * 24], "masi", 30)
            )
            weights = np.zeros(number)
            many = []
            for cluster, times in enumerate(drawn):
                weights[cluster] = times
                here = [one for place, one in enumerate(units) if place % number == cluster]
                many += here * times
            [found] = distances.alphas((weights @ spread.sums)[None], spread.form)
            assert near(found, plainly(many, masi))


def test_distances_of_sets_worked_out():
    """Passonneau's cases: the same, one within the other, some of both, nothing."""
    values = ("a|b", "a|b|c", "b|c", "c", "-")
    found = distances.set_distances(values, "masi")[0]
    assert found.tolist() == pytest.approx([0, 1 - 4 / 9, 1 - 1 / 9, 1, 1], abs=1e-15)
    found = distances.set_distances(values, "jaccard")[0]
    assert found.tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1, 1], abs=1e-15)
    assert distances.set_distances(("-",), "masi").tolist() == [[0]]


def test_sets_of_one_are_nominal():
    """Krippendorff (2011), example C: four observers, nominal alpha .743."""
    rows = [
        "1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 .",
    ]  # fmt: skip
    units = [[x for x in some if x != "."] for some in zip(*map(str.split, rows), strict=True)]
    unit, answers = columns(units)
    values = ("1", "2", "3", "4", "5")
    value = np.array([values.index(answer) for answer in answers])
    apart = distances.set_distances(values, "jaccard")
    spread = distances.of_sets(unit, value, apart, unit, len(units))
    [found] = distances.alphas(spread.sums.sum(axis=0)[None], spread.form)
    assert round(float(found), 3) == 0.743
    numbers = np.array([float(answer) for answer in answers])
    spread = distances.of_numbers(unit, numbers, unit, len(units))
    [found] = distances.alphas(spread.sums.sum(axis=0)[None], spread.form)
    assert round(float(found), 3) == 0.849


def test_nobody_shares_and_all_the_same():
    for units in ([], [["a"], ["b"]], [["a", "a"], ["a", "a", "a"]]):
        spread = of_sets(units, "masi", 2)
        assert np.isnan(distances.alphas(spread.sums.sum(axis=0)[None], spread.form)[0])

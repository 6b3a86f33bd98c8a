"""Comparisons of systems and of judges: against scipy, statsmodels and R's psych."""

from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.comparison import (
    LEVEL,
    ORDERED_ALIKE,
    compare_columns,
    holm,
    letters,
    p_of_t,
    ranked,
    williams,
    with_differences,
)
from evaluation.statistics.error_bars import by_t, error_bars, of_sums
from evaluation.statistics.means import means
from evaluation.statistics.ratings import Figure, undefined


def compare(values):
    """Of each system one value for each question that it answered."""
    questions = dict.fromkeys(question for own in values.values() for question in own)
    rows = [[own.get(question, np.nan) for own in values.values()] for question in questions]
    return compare_columns([*values], np.array(rows))


def systems(seed, *, questions=60):
    draw = np.random.default_rng(seed)
    hard = draw.random(questions)
    return {
        name: {q: float(hard[q] + skill + draw.normal(0, 0.3)) for q in range(questions)}
        for name, skill in (("good", 0.2), ("bad", 0.0), ("same", 0.0))
    }


def test_t_against_scipy(subtests):
    for seed in range(5):
        with subtests.test(seed=seed):
            made = systems(seed)
            for found in compare(made):
                one, other = (list(made[name].values()) for name in (found.one, found.other))
                expected = scipy.stats.ttest_rel(one, other)
                assert found.t.value == pytest.approx(expected.statistic)
                assert found.t_p.value == pytest.approx(expected.pvalue)
                ends = expected.confidence_interval()
                assert (found.interval.low, found.interval.high) == pytest.approx(
                    (ends.low, ends.high)
                )
                assert found.difference.value == pytest.approx(np.mean(one) - np.mean(other))
                size = np.std(np.subtract(one, other), ddof=1) / 60**0.5
                assert found.standard_error.value == pytest.approx(size)
                assert found.questions == 60


@settings(max_examples=25, deadline=None)  # statsmodels takes a tenth of a second
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_against_statsmodels(p_values):
    found = [p.value for p in holm([Figure(p) for p in p_values])]
    assert found == pytest.approx(list(multipletests(p_values, method="holm")[1]))


def test_holm_by_hand_and_without_the_undefined():
    # 3 · 0.01; then 2 · 0.02, and 1 · 0.03 is not let below it.
    none = undefined("fewer than two shared questions")
    found = holm([Figure(0.02), none, Figure(0.01), Figure(0.03)])
    assert [p.value for p in found] == [pytest.approx(0.04), None, 0.03, pytest.approx(0.04)]
    assert found[1] == none
    assert holm([]) == []


def test_undefined():
    alone = compare({"a": {1: 0.5}, "b": {1: 0.2}})[0]
    assert alone.difference.value == pytest.approx(0.3)
    assert alone.t == alone.t_p == undefined("fewer than two shared questions")
    assert alone.interval == Interval(None, None, "fewer than two shared questions")
    apart = compare({"a": {1: 0.5, 2: 0.1}, "b": {3: 0.2}})[0]
    assert apart.difference == undefined("no shared question")
    steady = compare({"a": {1: 0.5, 2: 0.9}, "b": {1: 0.2, 2: 0.6}})[0]
    assert steady.t == undefined("the difference is the same on every question")
    assert compare({"a": {1: 0.5}}) == []
    assert compare({}) == []


def test_a_difference_that_is_always_the_same_has_no_interval():
    """An interval of no width would call it certain."""
    [found] = compare({"A": {"q1": 1.0, "q2": 0.5}, "B": {"q1": 0.75, "q2": 0.25}})
    assert found.difference.value == 0.25
    assert found.interval.low is found.interval.high is None
    assert found.interval.reason == found.standard_error.reason == found.t.reason
    assert found.t.reason == "the difference is the same on every question"
    for questions, p in ((2, 0.5), (6, 1 / 32)):  # of a sign test
        [found] = compare_columns("AB", np.tile([0.75, 0.25], (questions, 1)))
        assert found.t_p.value == pytest.approx(p)
    [same] = compare_columns("AB", np.ones((6, 2)))
    assert same.t_p.value is None


# Rank intervals ----------------------------------------------------------------------------------


def test_ranks_by_hand():
    """The first of four systems is better than the last two, the second than the last."""
    table = np.random.default_rng(3).normal(0, 0.4, (60, 4)) + np.array([0.1, 0, -0.1, -0.2])
    pairs = compare_columns("abcd", table)
    apart = {f"{one.one}{one.other}" for one in pairs if (one.t_p_holm.value or 0) < LEVEL}
    assert apart == {"ac", "ad", "bd"}
    found = ranked("abcd", pairs)
    assert [(one.system, one.first, one.last, one.letters) for one in found] == [
        ("a", 1, 2, "a"),
        ("b", 1, 3, "ab"),
        ("c", 2, 4, "bc"),
        ("d", 3, 4, "c"),
    ]


def test_one_system_has_no_rank_and_equal_systems_have_all():
    assert ranked(["a"], []) == []
    [one, other] = ranked("ab", compare_columns("ab", np.ones((3, 2))))
    assert (one.first, one.last) == (other.first, other.last) == (1, 2)


# The detectable difference -----------------------------------------------------------------------


@pytest.mark.parametrize(("questions", "wide"), [(12, 2), (40, 4), (200, 10)])
def test_the_detectable_difference_against_statsmodels(questions, wide):
    table = np.random.default_rng(questions).normal(size=(questions, wide))
    tests = wide * (wide - 1) // 2
    for found in compare_columns(range(wide), table):
        spread = (table[:, found.one] - table[:, found.other]).std(ddof=1)
        expected = TTestPower().solve_power(nobs=questions, alpha=0.05 / tests, power=0.8)
        assert found.detectable.value == pytest.approx(expected * spread, rel=1e-4)


TRUE = 0.205
"""Detectable with 100 questions and six pairs, where differences have the variance 1/3."""


def test_a_difference_that_large_is_found_in_four_of_five_studies():
    """One system of four differs from the first; the others are like the first."""
    sizes, found = [], []
    for seed in range(300):
        draw = np.random.default_rng(seed)
        hard = draw.random((100, 1))
        table = (draw.random((100, 4)) < hard).astype(float) + np.array([0, TRUE, 0, 0])
        pair: Any = compare_columns(range(4), table)[0]
        sizes.append(pair.detectable.value)
        found.append(pair.t_p_holm.value < 0.05)
    assert np.mean(sizes) == pytest.approx(TRUE, rel=0.02)
    assert np.mean(found) == pytest.approx(0.8, abs=0.05)


def test_no_detectable_difference_where_there_is_no_interval():
    [pair] = compare_columns("ab", np.array([[1.0, 0.0], [1.0, 0.0]]))
    assert pair.detectable == undefined("the difference is the same on every question")


# Letters -----------------------------------------------------------------------------------------


def test_letters_of_all_alike_all_apart_and_between():
    pairs = {frozenset(pair) for pair in combinations(range(3), 2)}
    assert letters([2, 0, 1], set()) == {2: "a", 0: "a", 1: "a"}
    assert letters([2, 0, 1], pairs) == {2: "a", 0: "b", 1: "c"}
    assert letters([2, 0, 1], {frozenset((2, 1))}) == {2: "a", 0: "ab", 1: "b"}
    assert letters([], set()) == {}


def test_many_that_are_alike_share_one_letter_at_once():
    """All subsets of forty would take for ever."""
    assert set(letters(range(40), set()).values()) == {"a"}


def test_a_common_letter_means_no_difference(subtests):
    for seed in range(30):
        with subtests.test(seed=seed):
            draw = Random(seed)
            pairs = [frozenset(pair) for pair in combinations(range(7), 2)]
            apart = {pair for pair in pairs if draw.random() < 0.4}
            found = letters(range(7), apart)
            for pair in pairs:
                one, other = (set(found[each]) for each in pair)
                assert bool(one & other) == (pair not in apart)
            assert found[0].startswith("a")


# Judges ------------------------------------------------------------------------------------------


def test_differences_of_judges_are_nearly_the_paired_t_test_of_scipy():
    """Of means, where questions are drawn: the same but for 1 / (n - 1), and for the draws."""
    draw = np.random.default_rng(1)
    values = draw.normal(0.15, 1, (40, 2))
    counted = np.stack([values, np.ones_like(values)], axis=2)
    bars = error_bars(of_sums(counted, with_differences(means)), 40, resamples=8_000)
    difference = float(values[:, 0].mean() - values[:, 1].mean())
    interval, p = by_t(difference, bars[2], 40), p_of_t(difference, bars[2], 40)
    expected = scipy.stats.ttest_rel(values[:, 0], values[:, 1])
    assert p.value == pytest.approx(expected.pvalue, abs=0.02)
    ends = expected.confidence_interval()
    width = ends.high - ends.low
    assert (interval.low, interval.high) == pytest.approx((ends.low, ends.high), abs=0.02 * width)


def test_williams_as_published():
    # Steiger (1980), case A, as in the help of psych's r.test(103, .4, .5, .1): t -0.89, p 0.37.
    t, p = williams(0.4, 0.5, 0.1, 103)
    assert t.value == pytest.approx(-0.89, abs=0.005)
    assert p.value == pytest.approx(0.37, abs=0.005)


def test_williams_by_hand():
    # K = 1 - .81 - .64 - .49 + 2 · .9 · .8 · .7 = .068; n = 12:
    # below the root 11 · 1.7 / (2 · .068 · 11 / 9 + 1.7² · .3³ / 4) = 18.7 / .18573 = 100.684
    t, p = williams(0.9, 0.8, 0.7, 12)
    assert t.value == pytest.approx(0.1 * 100.684**0.5, rel=1e-5)
    assert p.value == pytest.approx(2 * scipy.stats.t.sf(t.value, 9))


def test_williams_against_psych():
    """The random numbers for which the tests of nlpstats give what R's psych says: Spearman of the
    means of nine."""
    draw = np.random.RandomState(12)
    for _ in range(2):
        x, y, z = (draw.random_sample((9, 5)).mean(axis=1) for _ in range(3))

    def r(a, b):
        return scipy.stats.spearmanr(a, b).statistic

    _, p = williams(r(x, z), r(y, z), r(x, y), 9)
    assert p.value == pytest.approx(0.9317423, abs=1e-6)
    assert williams(r(y, z), r(x, z), r(x, y), 9)[1] == p


def test_williams_undefined():
    assert williams(0.9, 0.8, 0.7, 3)[1].reason == "fewer than 4 systems"
    assert williams(0.9, 0.9, 1.0, 10)[0].reason == ORDERED_ALIKE

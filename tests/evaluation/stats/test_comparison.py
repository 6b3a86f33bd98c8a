"""Systems on shared questions: against scipy and statsmodels."""

from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.comparison import LEVEL, compare_columns, holm, ranked
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

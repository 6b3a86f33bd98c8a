"""Differences and correlations of every two raters, one by one."""

from itertools import combinations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statistics.numbers_of_pairs import differences, pooled_correlations
from tests.evaluation.agreement.plainly import pooled_correlation

STUDIES = st.lists(st.dictionaries(st.integers(0, 4), st.integers(0, 100), max_size=5), max_size=9)


def columns(units):
    rows = [(u, judge, by[judge]) for u, by in enumerate(units) for judge in sorted(by)]
    unit, judge, number = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return unit, judge, number.astype(float)


@given(STUDIES)
def test_differences_are_those_of_every_pair(units):
    unit, _, number = columns(units)
    found = differences(unit, number, len(units)).sum(axis=0).tolist()
    apart = [abs(a - b) for by in units for a, b in combinations(by.values(), 2)]
    assert found == [sum(apart), len(apart)]


@given(STUDIES, st.lists(st.integers(0, 2), min_size=3, max_size=3))
def test_the_pooled_correlation_is_that_of_the_pairs(units, weights):
    """Also where a question is drawn twice or not at all."""
    unit, judge, number = columns(units)
    clusters = np.arange(len(units), dtype=np.int64) % 3
    statistic = pooled_correlations(unit, judge, number, clusters, 3)
    [found] = statistic(np.array([weights], dtype=float))
    drawn = [by for place, by in enumerate(units) for _ in range(weights[place % 3])]
    expected = pooled_correlation(drawn)
    assert np.isnan(found) if expected is None else abs(found - expected) < 1e-9


def test_of_two_raters_it_is_pearsons():
    draw = np.random.default_rng(1)
    one = draw.normal(size=20)
    other = 3 * one + draw.normal(size=20) + 10
    unit, judge = np.divmod(np.arange(40), 2)
    number = np.stack([one, other], axis=1).ravel()
    [found] = pooled_correlations(unit, judge, number, np.zeros(20, dtype=np.int64), 1)(
        np.ones((1, 1))
    )
    assert found == pytest.approx(scipy.stats.pearsonr(one, other).statistic)

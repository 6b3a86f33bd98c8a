"""Differences and correlations of every two raters, one by one."""

from itertools import combinations
from statistics import StatisticsError, correlation, fmean

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statistics.numbers_of_pairs import differences, mean_correlations

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


def plainly(units):
    found = []
    for one, other in combinations(range(5), 2):
        shared = [(by[one], by[other]) for by in units if one in by and other in by]
        if len(shared) < 3:
            continue
        try:
            found.append(correlation(*zip(*shared, strict=True)))
        except StatisticsError:
            continue
    return fmean(found) if found else None


@given(STUDIES, st.lists(st.integers(0, 2), min_size=3, max_size=3))
def test_the_mean_correlation_is_that_of_the_pairs(units, weights):
    """Also where a question is drawn twice or not at all."""
    unit, judge, number = columns(units)
    clusters = np.arange(len(units), dtype=np.int64) % 3
    [found] = mean_correlations(unit, judge, number, clusters, 3)(np.array([weights], dtype=float))
    drawn = [by for place, by in enumerate(units) for _ in range(weights[place % 3])]
    expected = plainly(drawn)
    assert np.isnan(found) if expected is None else abs(found - expected) < 1e-12

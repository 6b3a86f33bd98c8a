"""Correlations: the published table, by hand, and against scipy."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.statistics.correlation import (
    METHODS,
    correlation,
    kendalls_of_tables,
    line_of_fit,
    moments,
    pearsons_of_moments,
    spearmans_of_tables,
)
from evaluation.statistics.ratings import undefined
from tests.evaluation.stats.resampled import spearmans_of_weights, value_tables

SCIPY = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}

# System, EM, AutoAIS, AIS: Bohnet et al. (2022), tables 2 and 3, percent.
PUBLISHED = [
    ("RTR-2", 20.2, 23.7, 28.1), ("RTR-4", 45.6, 43.0, 52.8), ("RTR-6", 38.9, 53.1, 56.8),
    ("RTR-8", 52.9, 59.3, 63.9), ("RTR-9", 46.0, 58.8, 65.0), ("RTR-10", 41.1, 66.3, 70.2),
    ("RTR-11", 53.3, 50.1, 58.8), ("RTR-12", 53.3, 64.2, 69.2), ("Post-1", 39.5, 39.9, 50.4),
    ("Post-2", 39.5, 41.9, 53.9), ("Post-3", 49.5, 42.8, 50.7), ("Post-4", 49.5, 45.3, 53.9),
    ("Post-5", 39.5, 44.2, 50.4), ("Post-6", 39.5, 50.1, 55.6), ("Post-7", 49.5, 48.5, 54.2),
    ("Post-8", 49.5, 53.9, 57.5),
]  # fmt: skip


def test_the_published_correlations():
    _, em, autoais, ais = zip(*PUBLISHED, strict=True)
    assert round(correlation(ais, autoais).value or 0, 2) == 0.97
    assert round(correlation(ais, em).value or 0, 2) == 0.71


def test_by_hand():
    x, y = [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]
    # Σ (x - x̄)(y - ȳ) = 2.25 - 0.25 - 0.25 + 2.25 = 4, both squares 5; 5 pairs agree, 1 does not.
    assert correlation(x, y).value == pytest.approx(4 / 5)
    assert correlation(x, y, "spearman").value == pytest.approx(4 / 5)
    assert correlation(x, y, "kendall").value == pytest.approx(4 / 6)
    line = line_of_fit(x, y)
    assert line.intercept == pytest.approx(0.5)
    assert line.slope == pytest.approx(0.8)


few = st.integers(0, 6).map(float)
columns = st.lists(st.tuples(few, few), min_size=3, max_size=30).filter(
    lambda rows: all(len(set(column)) > 1 for column in zip(*rows, strict=True))
)


@pytest.mark.parametrize("method", METHODS)
@settings(deadline=None)
@given(rows=columns)
def test_against_scipy(method, rows):
    x, y = zip(*rows, strict=True)
    expected = SCIPY[method](x, y).statistic
    assert correlation(x, y, method).value == pytest.approx(expected, abs=1e-9)


def test_undefined(subtests):
    for method in METHODS:
        with subtests.test(method=method):
            assert correlation([1, 2], [2, 1], method) == undefined("fewer than 3 systems")
            assert correlation([], [], method, things="responses") == undefined(
                "fewer than 3 responses"
            )
            # 0.1 + 0.2 is not 0.3, though the ratings are the same.
            same = [0.3, 0.1 + 0.2, 0.3]
            assert correlation([1, 2, 3], same, method) == undefined("constant ratings")
            assert correlation([1, 2, 3], [0.3] * 3, method) == undefined("constant ratings")
            assert correlation([0.3] * 3, [1, 2, 3], method) == undefined("constant ratings")


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="not a number"):
        correlation([1, 2, float("nan")], [1, 2, 3])
    with pytest.raises(ValueError, match="there are 3 and 2"):
        correlation([1, 2, 3], [1, 2])


counts = st.lists(st.integers(0, 3), min_size=30, max_size=30)


@settings(deadline=None)
@given(columns, counts)
def test_weights_stand_for_repeated_responses(rows, repeats):
    x, y = (np.array(column) for column in zip(*rows, strict=True))
    weights = np.array([repeats[: len(rows)]], dtype=float)
    drawn = [np.repeat(column, weights[0].astype(int)) for column in (x, y)]
    pearson = pearsons_of_moments(weights @ moments(x, y))[0]
    spearman = spearmans_of_weights(x, y, weights)[0]
    tables = value_tables(x, y)
    summed = np.tensordot(weights, tables, axes=1)
    kendall = kendalls_of_tables(summed)[0]
    of_tables = spearmans_of_tables(summed)[0]
    if any(len(set(column)) < 2 for column in drawn):
        assert np.isnan([pearson, spearman, kendall, of_tables]).all()
    else:
        assert pearson == pytest.approx(np.corrcoef(drawn[0], drawn[1])[0, 1], abs=1e-9)
        assert kendall == pytest.approx(scipy.stats.kendalltau(*drawn).statistic, abs=1e-9)
        expected = scipy.stats.spearmanr(*drawn).statistic
        assert spearman == pytest.approx(expected, abs=1e-9)
        assert of_tables == pytest.approx(expected, abs=1e-9)

"""Differences of judges: columns, and the interval and p of Student's t."""

import numpy as np
import pytest
import scipy.stats

from evaluation.statistics.comparison import p_of_t, with_differences
from evaluation.statistics.error_bars import by_t, error_bars, of_sums
from evaluation.statistics.means import means


def counted(values):
    return np.stack([values, np.ones_like(values)], axis=2)


def test_nearly_the_paired_t_test_of_scipy():
    """Of means, where questions are drawn: the same but for 1 / (n - 1), and for the draws."""
    draw = np.random.default_rng(1)
    values = draw.normal(0.15, 1, (40, 2))
    bars = error_bars(of_sums(counted(values), with_differences(means)), 40, resamples=8_000)
    difference = float(values[:, 0].mean() - values[:, 1].mean())
    interval, p = by_t(difference, bars[2], 40), p_of_t(difference, bars[2], 40)
    expected = scipy.stats.ttest_rel(values[:, 0], values[:, 1])
    assert p.value == pytest.approx(expected.pvalue, abs=0.02)
    ends = expected.confidence_interval()
    width = ends.high - ends.low
    assert (interval.low, interval.high) == pytest.approx((ends.low, ends.high), abs=0.02 * width)

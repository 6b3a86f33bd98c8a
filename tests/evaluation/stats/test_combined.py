"""The interval of a sum from those of its parts: published, by hand, and where parts move alike."""

from math import sqrt

import pytest

from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.error_bars import NO_INTERVAL_OF_PART, Summand, combined, difference


def wilson(hits, of, z=1.959964):
    share = hits / of
    middle, far = share + z * z / (2 * of), z * sqrt(share * (1 - share) / of + (z / (2 * of)) ** 2)
    return Summand(share, Interval(*((middle + side * far) / (1 + z * z / of) for side in (-1, 1))))


def test_differences_of_two_shares_as_published(subtests):
    """Method 10 of Newcombe (1998), Statistics in Medicine 17, table II: it is made so of Wilson's
    intervals."""
    for one, other, expected in [
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((10, 10), (0, 20), (0.6791, 1.0)),
    ]:
        with subtests.test(one=one, other=other):
            found = difference(wilson(*one), wilson(*other))
            assert (found.low, found.high) == pytest.approx(expected, abs=5e-5)


def test_a_mean_of_slices_by_hand():
    parts = [Summand(0.2, Interval(0.1, 0.5), 0.5), Summand(0.8, Interval(0.4, 0.9), 0.5)]
    found = combined(parts)
    assert found.low == pytest.approx(0.5 - sqrt(0.05**2 + 0.2**2))
    assert found.high == pytest.approx(0.5 + sqrt(0.15**2 + 0.05**2))


def test_numbers_that_move_alike_are_told_apart_better():
    one, other = Summand(3.0, Interval(2.0, 4.0)), Summand(2.0, Interval(1.0, 3.0))
    apart = difference(one, other, (0.5, 0.5, sqrt(0.5)))
    assert (apart.low, apart.high) == pytest.approx((1 - sqrt(2), 1 + sqrt(2)))
    alike = difference(one, other, (0.5, 0.5, 0.1))
    assert (alike.low, alike.high) == pytest.approx((1 - 0.2, 1 + 0.2))
    same = difference(one, other, (0.5, 0.5, 0.0))
    assert (same.low, same.high) == pytest.approx((1, 1))


def test_where_a_part_has_no_interval_nothing_has_one():
    parts = [Summand(1.0, Interval(None, None, "too few")), Summand(0.5, Interval(0.0, 1.0))]
    assert combined(parts) == Interval(None, None, NO_INTERVAL_OF_PART)

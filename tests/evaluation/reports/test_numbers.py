"""Numbers as JSON."""

import math

import numpy as np
import pytest

from evaluation.reports.numbers import dumps, rounded
from evaluation.statistics.error_bars import error_bar, of_sums
from evaluation.statistics.means import means


def bar():
    sums = np.array([[1.0, 1], [0, 1], [1, 1], [1, 1]])
    return error_bar(of_sums(sums, means), len(sums), seed=3)


def test_last_bits_do_not_decide_where_the_middle_goes(subtests):
    for middle in [3.7828125, 0.6734375, 0.0000005]:
        with subtests.test(middle=middle):
            near = (math.nextafter(middle, 0), middle, math.nextafter(middle, 9))
            assert len({round(each, 6) for each in near}) == 2
            assert len({rounded(each) for each in near}) == 1


def test_what_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="cannot be in a report"):
        rounded(float("nan"))
    with pytest.raises(ValueError, match="JSON compliant"):
        dumps({"a": float("inf")})

"""CVCP by hand, and against the worked responses."""

import pytest

from annotate.text import segment
from evaluation.claims.cvcp import coefficient, cvcp, mark_positions


def test_coefficient():
    # mean 2, deviations -1, 0, 1: sqrt(2/3) / 2
    assert coefficient([1, 2, 3]) == pytest.approx((2 / 3) ** 0.5 / 2, abs=1e-12)
    assert coefficient([0.4]) == 0
    assert coefficient([]) is None
    assert coefficient([0.0, 0.0]) is None


def test_a_sentence_whose_only_mark_opens_it_counts_where_it_can():
    strict = segment("[1] Aa bb.", passages=1, reading="strict")
    assert cvcp(mark_positions(strict, "paper"), "paper") == 0
    assert cvcp(mark_positions(strict, "released"), "released") is None

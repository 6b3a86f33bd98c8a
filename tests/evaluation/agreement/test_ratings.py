"""The record of ratings, and numbers that know why they are none."""

import pytest

from evaluation.agreement.ratings import Figure, undefined


def test_a_figure_is_a_number_or_a_reason():
    assert Figure(0.5).value == 0.5
    assert undefined("nobody answered") == Figure(None, "nobody answered")


def test_nothing_else_is_one(subtests):
    for value, reason in [(None, ""), (0.5, "why"), (float("nan"), ""), (float("inf"), "")]:
        with subtests.test(value=value, reason=reason), pytest.raises(ValueError):
            Figure(value, reason)

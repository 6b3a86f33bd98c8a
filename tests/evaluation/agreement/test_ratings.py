"""The record of ratings, and numbers that know why they are none."""

import pytest

from evaluation.agreement.ratings import Figure, undefined


def test_a_figure_is_a_number_or_a_reason():
    assert Figure(0.5).value == 0.5
    assert undefined("nobody answered") == Figure(None, "nobody answered")


@pytest.mark.parametrize(
    ("value", "reason"),
    [(None, ""), (0.5, "why"), (float("nan"), ""), (float("inf"), "")],
)
def test_nothing_else_is_one(value, reason):
    with pytest.raises(ValueError):
        Figure(value, reason)

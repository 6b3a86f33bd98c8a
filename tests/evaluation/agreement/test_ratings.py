"""The record of ratings, and numbers that know why they are none."""

import pytest

from evaluation.agreement.ratings import Figure, by_unit, undefined, with_several


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


def test_rows_become_ratings():
    rows = [(1, "a", "yes"), (2, "a", "no"), (1, "b", "no")]
    assert by_unit(rows) == {1: {"a": "yes", "b": "no"}, 2: {"a": "no"}}


def test_units_with_several_ratings():
    assert with_several({1: {"a": "yes", "b": "no"}, 2: {"a": "no"}, 3: {}}) == {
        1: {"a": "yes", "b": "no"}
    }

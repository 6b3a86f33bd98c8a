"""The table of coverage counts as it says; what it counts is made up here."""

import numpy as np
import pytest

from bench.coverage import Said, Simulation, row

TRUE = 3.0


def mean_of(half, *, warned=False, low=True):
    """Studies whose number is normal around the truth, with an interval of ± half."""

    def study(draw: np.random.Generator) -> Said:
        value = float(draw.normal(TRUE, 1.0))
        if not low:
            return Said(TRUE, value, None, None)
        return Said(TRUE, value, value - half, value + half, warned)

    return study


def test_an_interval_of_the_right_width_holds():
    found = row(Simulation("mean", "normal", mean_of(1.96)), 1_000)
    assert 0.93 <= found.coverage <= 0.97
    assert found.true == TRUE
    assert found.mean == pytest.approx(TRUE, abs=0.1)
    assert found.width == pytest.approx(3.92)
    assert not found.fails


def test_one_too_narrow_or_too_wide_does_not(subtests):
    for half in [1.2, 3.5]:
        with subtests.test(half=half):
            assert row(Simulation("mean", "normal", mean_of(half)), 1_000).fails
            assert not row(Simulation("mean", "normal", mean_of(half), held=False), 1_000).fails


def test_what_is_warned_of_or_has_no_interval_is_counted_apart():
    warned = row(Simulation("mean", "normal", mean_of(0.1, warned=True)), 20)
    assert (warned.printed, warned.warned, warned.without) == (0, 20, 0)
    without = row(Simulation("mean", "normal", mean_of(0.1, low=False)), 20)
    assert (without.printed, without.warned, without.without) == (0, 0, 20)
    assert not warned.fails
    assert not without.fails

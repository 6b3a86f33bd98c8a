"""Williams' test: the published example, and values of R's psych."""

import numpy as np
import pytest
import scipy.stats

from evaluation.statistics.comparison import ORDERED_ALIKE, williams


def test_the_example_of_steiger():
    # Steiger (1980), case A, as in the help of psych's r.test(103, .4, .5, .1): t -0.89, p 0.37.
    t, p = williams(0.4, 0.5, 0.1, 103)
    assert t.value == pytest.approx(-0.89, abs=0.005)
    assert p.value == pytest.approx(0.37, abs=0.005)


def test_by_hand():
    # K = 1 - .81 - .64 - .49 + 2 · .9 · .8 · .7 = .068; n = 12:
    # below the root 11 · 1.7 / (2 · .068 · 11 / 9 + 1.7² · .3³ / 4) = 18.7 / .18573 = 100.684
    t, p = williams(0.9, 0.8, 0.7, 12)
    assert t.value == pytest.approx(0.1 * 100.684**0.5, rel=1e-5)
    assert p.value == pytest.approx(2 * scipy.stats.t.sf(t.value, 9))


def test_against_psych():
    """The random numbers for which the tests of nlpstats give what R's psych says: Spearman of the
    means of nine."""
    draw = np.random.RandomState(12)
    for _ in range(2):
        x, y, z = (draw.random_sample((9, 5)).mean(axis=1) for _ in range(3))

    def r(a, b):
        return scipy.stats.spearmanr(a, b).statistic

    _, p = williams(r(x, z), r(y, z), r(x, y), 9)
    assert p.value == pytest.approx(0.9317423, abs=1e-6)
    assert williams(r(y, z), r(x, z), r(x, y), 9)[1] == p


def test_undefined():
    assert williams(0.9, 0.8, 0.7, 3)[1].reason == "fewer than 4 systems"
    assert williams(0.9, 0.9, 1.0, 10)[0].reason == ORDERED_ALIKE

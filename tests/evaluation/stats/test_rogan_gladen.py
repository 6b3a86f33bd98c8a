"""A judge's rate corrected for sensitivity and specificity: by hand, by draws and by coverage."""

import numpy as np
import pytest

from bench.coverage import row
from bench.coverage_powered import SIMULATIONS
from evaluation.statistics.ratings import undefined
from evaluation.statistics.rogan_gladen import BY_CHANCE, FEW, ONE_ANSWER, corrected_rate


def rated(*, hits, misses, alarms, rejections):
    """What people and the judge say of the rated responses."""
    y = [1.0] * (hits + misses) + [0.0] * (alarms + rejections)
    f = [1.0] * hits + [0.0] * misses + [1.0] * alarms + [0.0] * rejections
    return np.array(y), np.array(f)


def test_by_hand():
    """Sensitivity 36/40, specificity 48/60; the judge says yes to 48 + 252 of 1,000."""
    y, f = rated(hits=36, misses=4, alarms=12, rejections=48)
    g = np.array([1.0] * 252 + [0.0] * 648)
    found = corrected_rate(y, f, g)
    assert found.sensitivity.value == pytest.approx(0.9)
    assert found.specificity.value == pytest.approx(0.8)
    assert found.mean.value == pytest.approx((0.3 + 0.8 - 1) / (0.9 + 0.8 - 1))


def test_the_interval_against_draws_of_both_samples():
    """Both kinds of rated responses and the others drawn again, without the half answers more."""
    y, f = rated(hits=450, misses=50, alarms=75, rejections=425)
    draw = np.random.default_rng(1)
    g = (draw.random(4_000) < 0.4).astype(float)
    found = corrected_rate(y, f, g)
    n, part = len(y), len(y) / (len(y) + len(g))
    chosen = draw.integers(0, n, (4_000, n))
    drawn = []
    for places in chosen:
        yes, said = y[places] == 1, f[places]
        sensitivity, alarms = said[yes].mean(), said[~yes].mean()
        q = part * said.mean() + (1 - part) * draw.binomial(len(g), g.mean()) / len(g)
        drawn.append((q - alarms) / (sensitivity - alarms))
    low, high = np.percentile(drawn, [2.5, 97.5])
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=0.004)


def test_shares_of_statements_give_the_line_of_single_statements():
    draw = np.random.default_rng(2)
    people = draw.random((3, 4_000)) < draw.beta(2, 2, 4_000)
    judge = np.where(people, draw.random((3, 4_000)) < 0.9, draw.random((3, 4_000)) < 0.3)
    y, f = people.mean(axis=0), judge.mean(axis=0)
    found = corrected_rate(y[:2_000], f[:2_000], f[2_000:])
    assert found.sensitivity.value == pytest.approx(0.9, abs=0.03)
    assert found.specificity.value == pytest.approx(0.7, abs=0.03)
    assert found.mean.value == pytest.approx(people.mean(), abs=0.02)


@pytest.mark.parametrize(
    ("y", "f", "g", "reason"),
    [
        (*rated(hits=0, misses=0, alarms=0, rejections=0), np.ones(9), FEW),
        (*rated(hits=9, misses=1, alarms=0, rejections=0), np.ones(9), ONE_ANSWER),
        (*rated(hits=9, misses=9, alarms=9, rejections=9), np.ones(9), BY_CHANCE),
        (*rated(hits=2, misses=9, alarms=9, rejections=2), np.ones(9), BY_CHANCE),
        (*rated(hits=9, misses=1, alarms=1, rejections=9), np.ones(1), FEW),
    ],
)  # fmt: skip
def test_undefined(y, f, g, reason):
    found = corrected_rate(y, f, g)
    assert found.mean == undefined(reason)
    assert found.interval.reason == reason


@pytest.mark.parametrize("kind", ["answers", "statements"])
def test_it_holds_the_truth_where_people_rated_other_questions_than_the_rest(kind):
    """Prediction-powered inference holds it in none of these studies."""
    design = "100 rated: 0.9, others: 0.6, right 0.85 and 0.85"
    [one] = (
        s for s in SIMULATIONS if (s.number, s.design) == (f"Judge, corrected, {kind}", design)
    )
    found = row(one, 100)
    assert found.covered >= 0.9 * found.printed > 80

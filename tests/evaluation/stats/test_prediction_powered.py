"""Prediction-powered inference: against ppi-python, by hand and by simulation."""

import numpy as np
import pytest
from ppi_py import classical_mean_ci, ppi_mean_pointestimate

from evaluation.statistics.prediction_powered import (
    prediction_powered,
    ratings_wanted,
    tuned_weight,
)
from evaluation.statistics.ratings import undefined


def made(seed, *, rated=100, others=900, right=0.85, share=0.6):
    """What people would say, and a judge that says the same so often."""
    draw = np.random.default_rng(seed)
    truth = (draw.random(rated + others) < share).astype(float)
    judge = np.where(draw.random(rated + others) < right, truth, 1 - truth)
    return truth[:rated], judge[:rated], judge[rated:]


def known(figure):
    assert figure.value is not None
    return figure.value


Z = 1.959963984540054


def half(interval):
    assert interval.low is not None
    return (interval.high - interval.low) / 2


@pytest.mark.parametrize("seed", range(10))
def test_the_weight_of_each_fold_is_that_of_ppi_python_on_the_other_nine(seed):
    y, f, g = made(seed, rated=43, right=0.85)
    middle = np.concatenate([f, g]).mean()
    each = np.empty(43)
    for fold in range(10):
        rest = np.arange(43) % 10 != fold
        others = y[rest], f[rest], g
        point = float(np.squeeze(ppi_mean_pointestimate(*others)))
        each[~rest] = (y[rest].mean() - point) / (f[rest].mean() - g.mean())
    corrected = y - each * (f - middle)
    mean = corrected.mean() + each.mean() * (g.mean() - middle)
    variance = each.mean() ** 2 * g.var(ddof=1) / len(g) + corrected.var(ddof=1) / 43
    found = prediction_powered(y, f, g)
    assert found.weight == pytest.approx(each.mean())
    assert found.powered.mean.value == pytest.approx(mean)
    assert found.powered.standard_error.value == pytest.approx(variance**0.5)


def test_people_alone_against_ppi_python():
    y, f, g = made(1)
    found = prediction_powered(y, f, g).people
    low, high = classical_mean_ci(y, alpha=0.05)
    wider = np.sqrt(100 / 99)
    assert found.mean.value == pytest.approx(y.mean())
    assert Z * known(found.standard_error) == pytest.approx(wider * (high - low) / 2)


def test_the_interval_is_of_t_and_between_the_ends():
    """Of 12 ratings t is 2.201; of a share near 1 it lies within 0 to 1, and more below."""
    y, f, g = made(4, rated=12)
    found = prediction_powered(y, f, g, ends=(-9e6, 9e6)).powered
    assert half(found.interval) == pytest.approx(2.200985 * known(found.standard_error))
    y[:] = [1] * 11 + [0]
    near = prediction_powered(y, f, g, ends=(0.0, 1.0)).people
    mean, low, high = known(near.mean), near.interval.low, near.interval.high
    assert low is not None
    assert high is not None
    assert 0 < low < mean < high < 1
    assert mean - low > 2 * (high - mean)


def test_intervals_hold_the_truth_as_often_as_they_say():
    held = gained = 0
    for seed in range(400):
        found = prediction_powered(*made(seed, right=0.9))
        interval, alone = found.powered.interval, found.people.interval
        held += abs(known(found.powered.mean) - 0.6) <= half(interval)
        gained += half(interval) < half(alone)
    # 95 % of 400 are 380, with a standard deviation of 4.4.
    assert 365 <= held <= 395
    assert gained == 400


def test_a_judge_that_is_off_is_corrected():
    """It says yes everywhere people do, and to half of the rest: 0.8 instead of 0.6."""
    draw = np.random.default_rng(5)
    truth = (draw.random(20_000) < 0.6).astype(float)
    judge = np.maximum(truth, draw.random(20_000) < 0.5)
    found = prediction_powered(truth[:2_000], judge[:2_000], judge[2_000:])
    assert found.judge.value == pytest.approx(0.8, abs=0.01)
    assert found.powered.mean.value == pytest.approx(0.6, abs=0.03)


def test_a_good_judge_is_worth_ratings_and_a_bad_one_is_not():
    good = prediction_powered(*made(3, right=0.95))
    assert known(good.effective) > 200
    assert good.warnings == ()
    bad = prediction_powered(*made(3, right=0.5))
    assert known(bad.effective) < 105
    assert bad.warnings[0].startswith("The automatic judge gains nothing: 100 ratings with it are")
    assert bad.weight < 0.2
    against = prediction_powered(*made(3, right=0.1))
    assert against.weight == 0
    assert against.powered.mean == against.people.mean


def test_a_judge_that_always_says_the_same_gets_no_weight():
    y, _, _ = made(2)
    found = prediction_powered(y, np.ones(100), np.ones(50))
    assert found.weight == tuned_weight(y, np.ones(100), np.ones(50)) == 0
    assert found.effective.value == pytest.approx(100)
    assert "gains nothing" in found.warnings[0]


@pytest.mark.parametrize("ends", [(0.0, 1.0), None])
def test_never_off_the_scale_nor_worth_less_than_the_ratings_there_are(ends):
    """Of these studies the estimate would be up to 1.05, worth 18 ratings of 20."""
    weights = []
    for seed in range(300):
        y, f, g = made(seed, rated=20, others=200, share=0.95, right=0.9)
        if y.min() == y.max():
            continue
        found = prediction_powered(y, f, g, ends=ends)
        low, high = found.powered.interval.low, found.powered.interval.high
        assert known(found.effective) >= 20
        assert low is not None
        assert high is not None
        assert 0 <= low <= known(found.powered.mean) <= high
        assert ends is None or high <= 1
        assert found.powered.half_width <= found.people.half_width
        weights.append(found.weight)
    assert 0 in weights
    assert max(weights) > 0.3


@pytest.mark.parametrize(
    ("y", "f", "g", "reason"),
    [
        ([], [], [1.0, 0.0], "nothing was rated"),
        ([1.0], [1.0], [1.0, 0.0], "one rating only"),
        (
            [1.0, 1.0], [1.0, 0.0], [1.0, 0.0],
            "all ratings are the same: they do not tell how far others may differ",
        ),
        ([1.0, 0.0], [1.0, 0.0], [], "everything was rated by people"),
        ([1.0, 0.0], [1.0, 0.0], [1.0], "fewer than two responses that the judge alone judged"),
    ],
)  # fmt: skip
def test_undefined(y, f, g, reason):
    found = prediction_powered(y, f, g)
    assert found.powered.mean == undefined(reason)
    assert found.effective == undefined(reason)
    assert found.powered.interval.reason == reason
    assert found.warnings == (f"The automatic judge cannot help: {reason}.",)


def test_values_belong_together():
    with pytest.raises(ValueError, match="2 ratings, 1 values"):
        prediction_powered([1.0, 0.0], [1.0], [1.0])
    with pytest.raises(ValueError, match="not a number"):
        prediction_powered([1.0, float("nan")], [1.0, 0.0], [1.0])


# How many more -----------------------------------------------------------------------------------


@pytest.mark.parametrize("right", [0.5, 0.8, 0.95])
def test_with_so_many_ratings_the_interval_is_as_narrow_as_wanted(right):
    y, f, g = made(8, rated=20_000, others=980_000, right=right)
    now = prediction_powered(y, f, g, ends=(0.0, 1.0))
    with_judge, alone = ratings_wanted(y, f, g, 0.0025, now, ends=(0.0, 1.0))
    assert 0 < known(with_judge.number) <= known(alone.number)
    n = 20_000 + int(known(with_judge.number))
    found = prediction_powered(
        *made(9, rated=n, others=1_000_000 - n, right=right), ends=(0.0, 1.0)
    )
    assert half(found.powered.interval) == pytest.approx(0.0025, rel=0.05)


@pytest.mark.parametrize(("share", "rated"), [(0.5, 40), (0.9, 40), (0.9, 100)])
def test_so_many_more_are_enough_in_four_of_five_studies(share, rated):
    """Before, .30 to .57 of studies, and 0 were wanted beside wider intervals."""
    ends, enough = (0.0, 1.0), []
    for seed in range(80):
        y, f, g = made(seed, rated=rated, others=1_000, share=share, right=0.9)
        now = prediction_powered(y, f, g, ends=ends)
        wanted, _ = ratings_wanted(y, f, g, 0.05, now, ends=ends)
        assert (wanted.number.value == 0) == (now.powered.half_width <= 0.05)
        if wanted.number.value:
            low, high = wanted.range.low, wanted.range.high
            assert low is not None
            assert high is not None
            assert low <= wanted.number.value <= high
            n = rated + int(wanted.number.value)
            more = made(seed, rated=n, others=1_000 + rated - n, share=share, right=0.9)
            enough.append(prediction_powered(*more, ends=ends).powered.half_width <= 0.05)
    assert np.mean(enough) >= 0.8


def test_nothing_to_go_by():
    for y, reason in (
        (np.ones(1), "one rating only"),
        (np.arange(2.0), "rating all 4 responses may not be enough"),
    ):
        parts = y, y, np.arange(2.0)
        _, alone = ratings_wanted(*parts, 0.1, prediction_powered(*parts))
        assert alone.number == undefined(reason)
    with pytest.raises(ValueError, match="above 0"):
        ratings_wanted(*parts, 0, prediction_powered(*parts))

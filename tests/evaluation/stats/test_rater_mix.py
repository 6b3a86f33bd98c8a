"""Differences of systems adjusted for raters, against statsmodels and in designs by hand."""

import numpy as np
import pytest
import statsmodels.api as sm

from evaluation.statistics.rater_mix import OTHER_RATERS, adjusted


def votes(seed, kept, *, strict=1.0):
    """Votes of two systems and raters, of whom the later ones are strict; `kept` picks some."""
    question, system, rater = np.indices(kept.shape)
    draw = np.random.default_rng(seed)
    value = draw.normal(0, 1, kept.shape) + draw.normal(0, 1, kept.shape[:1])[:, None, None]
    value = value - strict * (rater >= kept.shape[2] // 2)
    weight = np.broadcast_to(1 / np.maximum(kept.sum(axis=2, keepdims=True), 1), kept.shape)
    return tuple(each[kept] for each in (value, weight, question, system, rater))


def chosen(seed, share):
    """Four raters: two rate one system, two the other; this share of the rest, too."""
    kept = np.random.default_rng(seed).random((40, 2, 4)) < share
    kept[:, 0, :2] = kept[:, 1, 2:] = True
    return kept


def test_against_weighted_least_squares_with_errors_by_question():
    value, weight, question, system, rater = votes(1, chosen(1, 0.3))
    found = adjusted(value, weight, question, system, rater)[0, 1]
    columns = [system == 0, *(rater == r for r in (1, 2, 3)), *(question == q for q in range(40))]
    model = sm.WLS(value, np.column_stack(columns).astype(float), weights=weight)
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": question, "use_correction": False})
    assert found.difference.value == pytest.approx(fit.params[0])
    few = 40 / 39 * (len(value) - 1) / (len(value) - 4)  # one system, three raters
    assert found.error.value == pytest.approx(fit.bse[0] * few**0.5)


def test_strict_raters_of_one_system_are_taken_out():
    one = votes(2, chosen(2, 0.3), strict=3.0)
    found = adjusted(*one)[0, 1]
    value, weight, _, system, _ = one
    plain = np.average(value[system == 0], weights=weight[system == 0])
    plain -= np.average(value[system == 1], weights=weight[system == 1])
    assert plain > 1
    assert (found.interval.low or 0) < 0 < (found.interval.high or 0)


@pytest.mark.parametrize(
    ("kept", "reason"),
    [(np.ones((40, 2, 4), dtype=bool), None), (chosen(3, 0), OTHER_RATERS)],
    ids=["all raters rate both systems", "no rater rates both"],
)
def test_same_raters_need_no_adjustment_and_other_raters_allow_none(kept, reason):
    found = adjusted(*votes(3, kept)).get((0, 1))
    assert reason == (found and found.difference.reason)

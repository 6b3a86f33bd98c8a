"""Means under resampling and over runs, by hand."""

import numpy as np
import pytest

from evaluation.agreement.ratings import Figure, undefined
from evaluation.stats.means import OverRuns, means, over_runs
from tests.evaluation.stats.resampled import value_sums


def test_sums_and_counts_of_every_system_per_question():
    one, other = {"q1": [1.0, 0.0], "q2": [1.0]}, {"q2": [0.5]}
    sums = value_sums([one, other], ["q1", "q2"])
    assert sums.tolist() == [[[1, 2], [0, 0]], [[1, 1], [0.5, 1]]]
    assert means(sums.sum(axis=0)).tolist() == [pytest.approx(2 / 3), 0.5]


def test_no_value_is_no_mean():
    assert np.isnan(means(np.array([0.0, 0.0])))


def test_over_runs_by_hand():
    # Mean 0.5, squares of the distances 0.04 + 0 + 0.04; by 2, the root: 0.2.
    found = over_runs([Figure(0.3), undefined("stopped"), Figure(0.5), Figure(0.7)])
    assert found.runs == 3
    assert found.mean.value == pytest.approx(0.5)
    assert found.deviation.value == pytest.approx(0.2)


def test_one_run_does_not_spread():
    assert over_runs([Figure(0.3)]) == OverRuns(1, Figure(0.3), undefined("one run only"))
    assert over_runs([]).mean == undefined("no run")
    assert over_runs([undefined("nothing was judged")]).mean == undefined("nothing was judged")

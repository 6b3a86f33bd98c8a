"""The simulated studies of answers that are not one choice have the truth that they say."""

import numpy as np
import pytest

from bench.coverage_answers import PRINTED, SIMULATIONS, agreement, truth


@pytest.mark.parametrize("answer", ["number", "several", "spans"])
def test_a_study_says_about_what_is_true_of_very_many_questions(answer):
    found = agreement(answer, np.random.default_rng(3), 100, 100)
    for of, name in PRINTED:
        if of == answer:
            one = found[name]
            assert one.figure.value == pytest.approx(truth(answer)[name], rel=0.35), name
            assert one.units == 300


def test_each_row_is_a_number_that_is_printed():
    assert len(SIMULATIONS) == 2 * len(PRINTED)
    said = SIMULATIONS[0].study(np.random.default_rng(1))
    assert said.low is not None
    assert said.high is not None
    assert said.low <= (said.value or 0) <= said.high

"""Selective judging: tests by hand, and a guarantee that holds."""

import numpy as np
import pytest
from scipy.stats import binomtest

from evaluation.statistics.selective import (
    FEWEST_QUESTIONS,
    MARGIN,
    SHARES,
    RatedAnswers,
    correlation_within,
    guaranteed,
    kept_sums,
    least_confidences,
    p_of_less,
)


def test_one_answer_to_each_question_is_tested_by_the_binomial():
    agrees = np.arange(60) >= 4
    sums = kept_sums(RatedAnswers(np.ones(60), agrees, np.arange(60)), 0.5, 60)
    expected = binomtest(56, 60, 0.85, alternative="greater").pvalue
    assert p_of_less(sums, 0.85, correlation=1.0) == pytest.approx(expected)
    assert p_of_less(np.zeros((3, 2)), 0.85, correlation=0.0) == 1.0


def test_answers_to_one_question_count_as_one_where_they_are_all_alike():
    agrees = np.repeat(np.arange(40) >= 4, 3)
    rated = RatedAnswers(np.ones(120), agrees, np.repeat(np.arange(40), 3))
    assert correlation_within(rated) == pytest.approx(1.0)
    expected = binomtest(36, 40, 0.8, alternative="greater").pvalue
    assert p_of_less(kept_sums(rated, 0, 40), 0.8, 1.0) == pytest.approx(expected)
    # Without any correlation a margin is left: D = 1 + 2 · 0.1.
    assert p_of_less(kept_sums(rated, 0, 40), 0.8, 0.0) > p_of_less(
        np.column_stack([agrees, np.ones(120)]), 0.8, 0.0
    )
    assert pytest.approx(0.1) == MARGIN


@pytest.mark.parametrize("questions", [2, FEWEST_QUESTIONS - 1, FEWEST_QUESTIONS])
def test_answers_to_few_questions_guarantee_nothing(questions):
    place = np.repeat(np.arange(questions), 40)
    rated = RatedAnswers(np.ones(len(place)), np.ones(len(place), dtype=bool), place)
    found = guaranteed(rated, least_confidences(rated.confidence), 0.8)
    assert (found is None) == (questions < FEWEST_QUESTIONS)


def test_the_most_answers_with_the_agreement_are_kept():
    """All of the surer half agree, of the others three in five."""
    confidence = np.linspace(1, 0.005, 200)
    agrees = (np.arange(200) < 100) | (np.arange(200) % 5 < 3)
    rated = RatedAnswers(confidence, agrees, np.arange(200))
    cuts = least_confidences(confidence)
    assert [int((confidence >= cut).sum()) for cut in cuts] == (200 * SHARES).round().tolist()
    for target, kept in ((0.7, 1.0), (0.9, 0.55), (0.999, None)):
        place = guaranteed(rated, cuts, target)
        assert (None if place is None else SHARES[place]) == kept

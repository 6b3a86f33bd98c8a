"""Means of systems and their differences: what percentiles say of them, and what is printed."""

from bench.coverage import row
from bench.coverage_means import SIMULATIONS


def found(number, design, studies):
    [one] = (s for s in SIMULATIONS if (s.number, s.design) == (number, design))
    return row(one, studies)


def test_means_near_an_end_of_their_scale():
    """Of 25 questions and a share of .9 percentiles held the truth in .884 of 500 studies."""
    design = "25 questions, 0.9"
    printed = found("Mean of a system, statements", design, 200)
    before = found("Mean of a system, statements, percentile", design, 200)
    assert printed.covered >= 180
    assert printed.covered > before.covered


def test_differences_and_numbers_without_an_upper_end():
    """Of 50 answers of .95 and .9 percentiles held the difference in .93 of 2,000 studies; of 25
    penalties with rare critical errors in .82, with a warning beside what is printed."""
    design = "50 questions, 0.95 and 0.9"
    assert found("Difference, answers", design, 100).covered >= 90
    few = found("Difference, answers", "10 questions, 0.95 and 0.9", 20)
    assert (few.printed, few.warned) == (0, 20)
    assert found("No upper end, critical", "25 questions", 20).warned == 20
    before = found("No upper end, critical, percentile", "25 questions", 100)
    assert before.covered < 92


def test_differences_of_slices_and_macro_means():
    """Of 50 and 200 questions that nearly all are answered well, percentiles held the difference of
    the shares of statements in too few studies."""
    design = "100 and 100 questions, 0.9 and 0.9"
    assert found("Difference of slices, statements", design, 100).covered >= 90
    few = "50 and 200 questions, 0.9 and 0.9"
    before = found("Difference of slices, percentile, statements", few, 200)
    assert before.covered <= 188
    assert found("Difference of slices, answers", "25 and 25 questions, 0.9 and 0.9", 10).warned
    assert found("Macro mean, statements", "25 and 100 and 400 questions, 0.9", 100).covered >= 90

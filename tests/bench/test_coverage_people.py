"""The study of which the mean of the pairs' kappas says .22 instead of .485, again and again."""

from bench.coverage import row
from bench.coverage_people import SIMULATIONS

STUDIES = 40


def found(number, design="30 raters, 3 each, 40 questions"):
    [one] = (s for s in SIMULATIONS if (s.number, s.design) == (number, design))
    return row(one, STUDIES)


def test_thirty_raters_of_whom_three_rate_each_statement():
    pooled = found("pooled kappa")
    assert abs(pooled.mean - 0.485) < 0.03
    assert pooled.covered >= 36
    mean = found("mean of pairs' kappas")
    assert mean.mean < 0.25
    assert mean.covered == 0


def test_a_judge_with_each_of_them():
    assert found("judge with raters, pooled").covered >= 36


def test_of_unlike_raters_it_is_about_these():
    design = "5 unlike raters, 400 questions"
    assert found("pooled kappa", design).covered >= 35
    assert found("pooled, other raters", design).covered <= 25

"""A judge beside one more rater: from the paper's definitions, answer by answer."""

import random
from math import sqrt
from statistics import mean, stdev

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.metrics import cohen_kappa_score

from evaluation.statistics.coded import coded
from evaluation.statistics.cohen import kappa
from evaluation.statistics.one_more_rater import (
    COSTS,
    alt_test,
    left_out,
)

LEVELS = ("none", "partial", "full")
RATERS = tuple("abcd")


def drawn(seed, units=80, right=0.7, missing=0.1):
    """Ratings by unit, and the judge's answers; the judge says nothing of some units."""
    draw = random.Random(seed)
    ratings, judge = {}, []
    for unit in range(units):
        truth = draw.randrange(3)

        def answer(truth=truth):
            return truth if draw.random() < right else draw.randrange(3)

        some = [rater for rater in RATERS if draw.random() > missing]
        ratings[unit] = {rater: LEVELS[answer()] for rater in some}
        judge.append(answer() if draw.random() > missing else -1)
    return ratings, np.array(judge)


def others_of(ratings, judge):
    """Unit, rater, its answer, the judge's, and the others' answers: two others at least."""
    return [
        (unit, rater, LEVELS.index(value), int(judge[unit]), others)
        for unit, votes in ratings.items()
        for rater, value in votes.items()
        if judge[unit] >= 0
        and len(others := [LEVELS.index(v) for r, v in votes.items() if r != rater]) > 1
    ]


@pytest.mark.parametrize(("metric", "weights"), [("nominal", None), ("ordinal", "quadratic")])
def test_both_are_compared_with_the_majority_of_the_others(metric, weights):
    """Each of two tied answers counts one half: once for each of six possible ways."""
    ratings, judge = drawn(1)
    rows = left_out(coded(ratings, LEVELS, RATERS), judge)
    labels, tied = rows.labels(median=False)
    rater_said, judge_said, label = list[int](), list[int](), list[int]()
    ties = 0
    for _, _, own, of_judge, others in others_of(ratings, judge):
        most = max(others.count(k) for k in range(3))
        best = [k for k in range(3) if others.count(k) == most]
        ties += len(best) > 1
        for k in best * (6 // len(best)):
            rater_said, judge_said = [*rater_said, own], [*judge_said, of_judge]
            label.append(k)
    assert tied == ties > 5
    for found, said in ((rows.said, rater_said), (rows.judge, judge_said)):
        table = np.zeros((3, 3))
        for weight, code, times in zip(labels, found, rows.times, strict=True):
            table[:, code] += weight * times
        expected = cohen_kappa_score(label, said, weights=weights)
        assert kappa(table, metric).value == pytest.approx(expected)


def test_the_brier_score_is_that_of_each_vote_less_what_no_answer_could_avoid():
    ratings = {0: dict.fromkeys("ab", "yes") | {"c": "no"}, 1: dict.fromkeys("abc", "yes")}
    rows = left_out(coded(ratings, ("no", "yes"), ("a", "b", "c")), np.array([1, 0]))
    assert rows.times.tolist() == [1, 2, 3]
    judge, rater = rows.distances_to_votes(np.full(3, np.nan))
    assert judge.tolist() == [0, 0.25, 1]
    assert rater.tolist() == [1, 0.25, 0]
    by_score, _ = rows.distances_to_votes(np.array([0.9, 0.9, np.nan]))
    assert by_score == pytest.approx([0.01, 0.16, 1])


def by_the_paper(rows, cost, align):
    """The winning rate and the mean advantage, with every unit on its own."""
    p, advantage = [], []
    for rater in sorted({row[1] for row in rows}):
        own = [row for row in rows if row[1] == rater]
        judge_wins = [align(of, others) >= align(said, others) for _, _, said, of, others in own]
        rater_wins = [align(said, others) >= align(of, others) for _, _, said, of, others in own]
        apart = [int(h) - int(f) for f, h in zip(judge_wins, rater_wins, strict=True)]
        n = len(apart)
        p.append(student.cdf((mean(apart) - cost) / (stdev(apart) / sqrt(n)), n - 1))
        advantage.append(mean(judge_wins))
    m, order = len(p), sorted(p)
    harmonic = sum(1 / i for i in range(1, m + 1))
    passed = [i for i in range(1, m + 1) if order[i - 1] <= i / m * 0.05 / harmonic]
    return max(passed, default=0) / m, mean(advantage)


def accuracy(said, others):
    return mean(said == one for one in others)


def rmse(said, others):
    return -sqrt(mean((said - one) ** 2 for one in others))


@pytest.mark.parametrize(("metric", "align"), [("nominal", accuracy), ("ordinal", rmse)])
def test_alternative_annotator_test_as_the_paper_defines_it(metric, align):
    rates = set()
    for seed, right in ((2, 0.7), (3, 0.6), (4, 0.8), (5, 0.3)):
        ratings, judge = drawn(seed, right=right)
        rows = left_out(coded(ratings, LEVELS, RATERS), judge)
        found = alt_test(rows, rows.unit, metric)
        assert (found.raters, found.left_out) == (4, 0)
        mean_win = np.average(rows.wins(metric)[0], weights=found.weights)
        for cost in COSTS:
            rate, advantage = by_the_paper(others_of(ratings, judge), cost, align)
            assert found.winning[cost].value == pytest.approx(rate)
            assert mean_win == pytest.approx(advantage)
            rates.add(rate)
    assert len(rates) > 2


def test_units_of_one_question_are_no_new_evidence():
    """Every unit ten times: as units of ten times the questions p falls, within them it stays."""
    ratings, judge = drawn(6, units=60)
    tenfold = {10 * unit + n: votes for unit, votes in ratings.items() for n in range(10)}
    rows = left_out(coded(tenfold, LEVELS, RATERS), np.repeat(judge, 10))
    once = left_out(coded(ratings, LEVELS, RATERS), judge)
    expected = alt_test(once, once.unit, "nominal").winning
    assert alt_test(rows, rows.unit // 10, "nominal").winning == expected
    assert alt_test(rows, rows.unit, "nominal").winning != expected


@pytest.mark.parametrize(("units", "per_question", "raters"), [(35, 1, 4), (25, 1, 0), (80, 10, 0)])
def test_too_few_units_questions_or_raters_are_no_test(units, per_question, raters):
    ratings, judge = drawn(7, units=units, missing=0)
    rows = left_out(coded(ratings, LEVELS, RATERS), judge)
    found = alt_test(rows, rows.unit // per_question, "nominal")
    assert (found.raters, found.left_out) == (raters, 4 - raters)
    assert found.weights.sum() == pytest.approx(raters)
    reason = found.winning[0.1].reason
    assert reason.startswith("" if raters else "0 raters with 30 units and 10 questions")
    assert bool(reason) == (raters < 3)
    alone = left_out(coded(ratings, LEVELS, RATERS), np.full(units, -1))
    assert alt_test(alone, alone.unit, "nominal").winning[0.1].value is None

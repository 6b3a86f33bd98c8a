"""Error bars: against scipy's bootstrap, which draws and counts everything again."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
import scipy.stats
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from evaluation.statistics import error_bars as module
from evaluation.statistics.alpha import alphas, coincidences
from evaluation.statistics.bootstrap import Interval, numbered, per_cluster, weights
from evaluation.statistics.cohen import kappas
from evaluation.statistics.correlation import pearsons
from evaluation.statistics.error_bars import (
    ALWAYS_THE_SAME,
    NO_INTERVAL_OF_PART,
    ErrorBar,
    Summand,
    bca,
    by_log,
    by_t,
    by_z,
    combined,
    difference,
    error_bar,
    error_bars,
    jackknife,
    of_sums,
    replicates,
)
from evaluation.statistics.fleiss import kappas as fleiss_kappas
from evaluation.statistics.means import means
from evaluation.statistics.pairwise import shares
from evaluation.statistics.ranking import aucs, scored
from evaluation.statistics.ratings import Figure, undefined
from tests.evaluation.agreement.by_ratings import (
    contributions,
    counts,
    fleiss_kappa,
    observed_agreement,
    pairs,
    tables,
)
from tests.evaluation.stats.resampled import of_units

LEVELS = ("none", "partial", "full")
RESAMPLES = 4_000


def study(seed, *, questions=60, systems=3, raters=3):
    """Made-up answers: ratings by (question, system), and a judge that errs."""
    draw = np.random.default_rng(seed)
    ratings, judge = {}, {}
    for question in range(questions):
        easy = draw.random()
        for system in range(systems):
            truth = LEVELS[int(draw.random() < easy) + int(draw.random() < easy)]
            ratings[question, system] = {
                rater: truth if draw.random() < 0.7 else LEVELS[draw.integers(3)]
                for rater in range(raters)
            }
            judge[question, system] = truth if draw.random() < 0.6 else LEVELS[draw.integers(3)]
    return ratings, judge


def by_numbers(function, ratings):
    """A function of ratings as scipy wants it: of the numbers of drawn questions."""
    by_question: dict = {}
    for (question, _), votes in ratings.items():
        by_question.setdefault(question, []).append(votes)

    def drawn(numbers):
        every = [votes for number in numbers for votes in by_question[int(number)]]
        return function(dict(enumerate(every)))

    return drawn, np.arange(len(by_question))


def plain_kappa(ratings):
    """Quadratic kappa of raters 0 and 1."""
    one, other = zip(*((votes[0], votes[1]) for votes in ratings.values()), strict=True)
    return cohen_kappa_score(one, other, labels=LEVELS, weights="quadratic")


def plain_alpha(ratings):
    per_unit = coincidences(counts(ratings, LEVELS))
    return float(alphas(per_unit.sum(axis=0)[None], "ordinal")[0])


RATINGS, JUDGE = study(1)
QUESTIONS = [question for question, _ in RATINGS]
CASES = {
    "percent agreement": (
        pairs(RATINGS), shares, lambda ratings: observed_agreement(ratings).value,
    ),
    "cohen": (
        tables([(votes[0], votes[1]) for votes in RATINGS.values()], LEVELS),
        lambda summed: kappas(summed, "ordinal"),
        plain_kappa,
    ),
    "fleiss": (
        contributions(RATINGS, LEVELS, "nominal"), fleiss_kappas,
        lambda ratings: fleiss_kappa(ratings, LEVELS).value,
    ),
    "alpha": (
        coincidences(counts(RATINGS, LEVELS)), lambda summed: alphas(summed, "ordinal"),
        plain_alpha,
    ),
}  # fmt: skip


def test_what_the_weights_give_is_what_counting_again_gives(subtests):
    """The same draws, question by question: the number of each draw is the same."""
    for case in CASES:
        with subtests.test(case=case):
            per_unit, statistic, plain = CASES[case]
            made = of_sums(per_cluster(per_unit, numbered(QUESTIONS)), statistic)
            drawn, numbers = by_numbers(plain, RATINGS)
            found = replicates(made, len(numbers), resamples=8, seed=4)[:, 0]
            rows = np.concatenate(list(weights(len(numbers), draws=8, seed=4)))
            expected = [drawn(np.repeat(numbers, row.astype(int))) for row in rows]
            assert found == pytest.approx(expected)


def test_against_scipy(subtests):
    for case in ["percent agreement", "fleiss"]:
        with subtests.test(case=case):
            per_unit, statistic, plain = CASES[case]
            sums = per_cluster(per_unit, numbered(QUESTIONS))
            found = error_bar(of_sums(sums, statistic), len(sums), resamples=RESAMPLES, seed=3)
            drawn, numbers = by_numbers(plain, RATINGS)
            options = {"n_resamples": 1_000, "vectorized": False, "rng": np.random.default_rng(3)}
            by_bca = scipy.stats.bootstrap((numbers,), drawn, method="BCa", **options)
            size = by_bca.standard_error
            assert found.standard_error.value == pytest.approx(size, rel=0.08)
            # Both ends are random: with 1,000 draws by about a tenth of the standard error.
            ends = by_bca.confidence_interval
            assert (found.bca.low, found.bca.high) == pytest.approx(
                (ends.low, ends.high), abs=0.3 * size
            )
            low, high = np.percentile(by_bca.bootstrap_distribution, [2.5, 97.5])
            percentile = (found.percentile.low, found.percentile.high)
            assert percentile == pytest.approx((low, high), abs=0.3 * size)


def test_bca_is_scipys_to_the_last_digit_on_the_same_draws():
    values = np.random.default_rng(2).exponential(size=40)
    sums = np.column_stack([values, np.ones(40)])
    statistic = of_sums(sums, means)
    rows = np.concatenate(list(weights(40, draws=2_000, seed=9)))
    given = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=0, method="BCa",
        bootstrap_result=Drawn(rows @ values / 40),
    )  # fmt: skip
    found = error_bar(statistic, 40, resamples=2_000, seed=9)
    ends = given.confidence_interval
    assert (found.bca.low, found.bca.high) == pytest.approx((ends.low, ends.high), rel=1e-12)
    assert found.standard_error.value == pytest.approx(given.standard_error, rel=1e-12)
    assert found.bca != found.percentile


class Drawn:
    """Draws made elsewhere, in scipy's words."""

    def __init__(self, distribution):
        self.bootstrap_distribution = distribution


def test_the_mean_has_the_error_that_theory_gives_it():
    # 400 questions, half of each: sqrt(0.25 / 400) = 0.025.
    sums = np.column_stack([np.tile([0.0, 1.0], 200), np.ones(400)])
    found = error_bar(of_sums(sums, means), 400, resamples=RESAMPLES)
    assert found.standard_error.value == pytest.approx(0.025, abs=0.001)
    for interval in (found.percentile, found.bca):
        assert interval.low == pytest.approx(0.5 - 0.049, abs=0.006)
        assert interval.high == pytest.approx(0.5 + 0.049, abs=0.006)


def test_correlation_of_systems_over_drawn_questions():
    """Every draw: the mean of each system over the drawn questions, then Pearson."""
    draw = np.random.default_rng(6)
    skill = np.linspace(0.2, 0.8, 6)
    people = (draw.random((80, 6)) < skill).astype(float)
    judge = (draw.random((80, 6)) < skill**2).astype(float)
    ones = np.ones_like(people)
    sums = np.stack([np.stack([people, ones], 2), np.stack([judge, ones], 2)], axis=2)
    made = of_sums(sums, lambda summed: pearsons(*np.moveaxis(means(summed), 2, 0)))
    found = replicates(made, 80, resamples=30, seed=1)[:, 0]
    rows = np.concatenate(list(weights(80, draws=30, seed=1)))
    expected = [np.corrcoef(row @ people, row @ judge)[0, 1] for row in rows]
    assert found == pytest.approx(expected)
    bar = error_bar(made, 80)
    assert bar.percentile.low is not None
    assert bar.percentile.low < np.corrcoef(people.mean(0), judge.mean(0))[0, 1]


def test_units_have_the_weight_of_their_question():
    draw = np.random.default_rng(3)
    questions = [f"q{number // 3}" for number in range(60)]
    people = {unit: bool(draw.random() < 0.5) for unit in range(60)}
    scores = {unit: float(draw.random()) for unit in range(60)}
    data = scored(people, scores)
    names = list(dict.fromkeys(questions))
    places = [names.index(questions[unit]) for unit in data.units]
    statistic = of_units(places, lambda some: aucs(data, some))
    found = replicates(statistic, 20, resamples=10, seed=2)[:, 0]
    for row, value in zip(np.concatenate(list(weights(20, draws=10, seed=2))), found, strict=True):
        drawn = np.repeat(np.arange(20), row.astype(int))
        units = [3 * question + n for question in drawn.tolist() for n in range(3)]
        expected = roc_auc_score([people[u] for u in units], [scores[u] for u in units])
        assert value == pytest.approx(expected)


def test_several_numbers_share_their_draws():
    sums = np.random.default_rng(0).random((30, 4, 2)) + 0.1
    together = error_bars(of_sums(sums, means), 30, seed=5)
    apart = [error_bar(of_sums(sums[:, n], means), 30, seed=5) for n in range(4)]
    for one, other in zip(together, apart, strict=True):
        assert one.standard_error.value == pytest.approx(other.standard_error.value)
        assert one.bca.low == pytest.approx(other.bca.low)
        assert one.percentile.high == pytest.approx(other.percentile.high)


def test_the_jackknife_leaves_out_one_question_each():
    sums = np.column_stack([[1.0, 2.0, 6.0], np.ones(3)])
    assert jackknife(of_sums(sums, means), 3)[:, 0].tolist() == [4.0, 3.5, 1.5]


def test_portions_change_nothing(monkeypatch):
    sums = np.random.default_rng(0).random((30, 2)) + 0.1
    whole = error_bar(of_sums(sums, means), 30, resamples=200)
    module._kept.cache_clear()
    monkeypatch.setattr(module, "CELLS", 100)
    monkeypatch.setattr(module, "KEPT_CELLS", 0)
    assert error_bar(of_sums(sums, means), 30, resamples=200) == whole


def test_seed_and_resamples_are_told_and_matter():
    sums = np.column_stack([np.arange(20.0), np.ones(20)])
    one = error_bar(of_sums(sums, means), 20, resamples=300, seed=7)
    assert one == error_bar(of_sums(sums, means), 20, resamples=300, seed=7)
    other = error_bar(of_sums(sums, means), 20, resamples=300, seed=8)
    assert one.percentile != other.percentile
    assert one.signature == "bootstrap|clusters:20|resamples:300|seed:7|level:0.95|v:1"


def test_near_its_end_an_interval_reaches_further_to_the_middle():
    """Of ± 2 standard errors of .05 around .9, t with many questions: artanh .9 = 1.4722."""
    bar = error_bar(of_sums(np.repeat([[1.0, 1], [0, 1]], 50, axis=0), means), 100)
    bar = replace(bar, standard_error=Figure(0.05))
    far = scipy.stats.t.ppf(0.975, 99) * 0.05 / (1 - 0.81)
    found = by_z(0.9, bar, 100)
    assert found.low == pytest.approx(np.tanh(1.4722195 - far))
    assert found.high == pytest.approx(np.tanh(1.4722195 + far))
    assert float(found.low or 0) < 0.9 - 1.5 * (float(found.high or 1) - 0.9)
    # A share of .95 lies on the scale where a kappa of .9 does, its error is stretched with it.
    share = by_z(0.95, replace(bar, standard_error=Figure(0.025)), 100, least=0.0)
    assert share.low == pytest.approx((np.tanh(1.4722195 - far) + 1) / 2)
    assert share.high == pytest.approx((np.tanh(1.4722195 + far) + 1) / 2)
    # Around nothing it is that of Student's t, nearly; at the end itself everything is possible.
    middle, straight = by_z(0.0, bar, 100), by_t(0.0, bar, 100)
    assert (middle.low, middle.high) == pytest.approx((straight.low, straight.high), abs=1e-3)
    assert by_z(1.0, bar, 100) == Interval(-1.0, 1.0)


def test_why_there_is_no_interval_on_that_scale():
    bar = error_bar(of_sums(np.array([[1.0, 1], [0, 1], [1, 1]]), means), 3)
    assert by_z(0.5, bar, 1).reason == "fewer than two questions"
    assert by_z(None, bar, 3).reason == "the number itself is undefined"
    same = error_bar(of_sums(np.ones((9, 2)), means), 9)
    assert by_z(1.0, same, 9).reason == ALWAYS_THE_SAME


def test_one_question_has_no_error_bar(subtests):
    for clusters in [0, 1]:
        with subtests.test(clusters=clusters):
            found = error_bar(of_sums(np.ones((clusters, 2)), means), clusters)
            assert found.standard_error == undefined("fewer than two questions")
            assert found.bca == found.percentile == Interval(None, None, "fewer than two questions")


def test_without_questions_every_number_has_its_reason():
    found = error_bars(of_sums(np.ones((0, 3, 2)), means), 0)
    assert [bar.standard_error.reason for bar in found] == ["fewer than two questions"] * 3


def test_where_many_draws_are_undefined_there_is_none():
    # Only one of three questions has anything: it is missing from (2/3)³ = 30 % of the draws.
    found = error_bar(of_sums(np.array([[1.0, 1], [0, 0], [0, 0]]), means), 3)
    assert found.standard_error == undefined("too few different answers to tell")
    assert found.percentile == Interval(None, None, "too few different answers to tell")
    assert 0.2 < found.undefined / found.resamples < 0.4


def test_an_undefined_number_has_no_error_bar():
    found = error_bar(of_sums(np.zeros((5, 2)), means), 5)
    assert found.standard_error == undefined("the number itself is undefined")


def test_where_nothing_varies_there_is_no_bca():
    found = error_bar(of_sums(np.ones((9, 2)), means), 9)
    assert found.standard_error == undefined(ALWAYS_THE_SAME)
    assert found.percentile == Interval(None, None, ALWAYS_THE_SAME)
    assert found.bca == Interval(None, None, ALWAYS_THE_SAME)


def test_why_there_is_no_bca():
    drawn = np.array([1.0, 2.0, 3.0])
    assert bca(2.0, drawn, np.array([1.0, np.nan])).reason == (
        "without one of the questions the number is undefined"
    )
    assert bca(9.0, drawn, drawn).reason == "the number lies outside of all resamples"
    # Only in the extreme: one question alone matters, and all draws but one lie on one side.
    lopsided = np.concatenate([np.zeros(2_000), [-9.0]])
    outermost = np.concatenate([np.zeros(200_000), [9.0]])
    assert bca(5.0, outermost, lopsided).reason == (
        "single questions make too much of a difference"
    )


def test_a_tie_is_a_tie_in_whatever_order_the_sums_were_taken():
    """0.1 + 0.2 + 0.3 is 0.6000000000000001 or 0.6: the interval must not hang on the last bit."""
    drawn = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.6, 0.6, 0.7, 0.8])
    without = np.array([0.5, 0.6, 0.7, 0.55])
    assert bca(0.1 + 0.2 + 0.3, drawn, without) == bca(0.6, drawn, without)


def test_intervals_of_what_has_no_upper_end():
    """t of 24 degrees of freedom is 2.063899: 2 times and by exp(2.063899 × .5 / 2) = 1.675271."""
    drawn = ErrorBar(Figure(0.5), Interval(1.2, 2.9), Interval(None, None, ""), 25, 100, 0, 0)
    found = by_log(2.0, drawn, 25)
    assert (found.low, found.high) == pytest.approx((2 / 1.675271, 2 * 1.675271), abs=1e-5)
    assert by_log(0.0, drawn, 25) == drawn.percentile
    assert by_log(2.0, drawn, 1).reason == "fewer than two questions"


# Sums --------------------------------------------------------------------------------------------


def wilson(hits, of, z=1.959964):
    share = hits / of
    middle, far = share + z * z / (2 * of), z * sqrt(share * (1 - share) / of + (z / (2 * of)) ** 2)
    return Summand(share, Interval(*((middle + side * far) / (1 + z * z / of) for side in (-1, 1))))


def test_differences_of_two_shares_as_published(subtests):
    """Method 10 of Newcombe (1998), Statistics in Medicine 17, table II: it is made so of Wilson's
    intervals."""
    for one, other, expected in [
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((10, 10), (0, 20), (0.6791, 1.0)),
    ]:
        with subtests.test(one=one, other=other):
            found = difference(wilson(*one), wilson(*other))
            assert (found.low, found.high) == pytest.approx(expected, abs=5e-5)


def test_a_mean_of_slices_by_hand():
    parts = [Summand(0.2, Interval(0.1, 0.5), 0.5), Summand(0.8, Interval(0.4, 0.9), 0.5)]
    found = combined(parts)
    assert found.low == pytest.approx(0.5 - sqrt(0.05**2 + 0.2**2))
    assert found.high == pytest.approx(0.5 + sqrt(0.15**2 + 0.05**2))


def test_numbers_that_move_alike_are_told_apart_better():
    one, other = Summand(3.0, Interval(2.0, 4.0)), Summand(2.0, Interval(1.0, 3.0))
    apart = difference(one, other, (0.5, 0.5, sqrt(0.5)))
    assert (apart.low, apart.high) == pytest.approx((1 - sqrt(2), 1 + sqrt(2)))
    alike = difference(one, other, (0.5, 0.5, 0.1))
    assert (alike.low, alike.high) == pytest.approx((1 - 0.2, 1 + 0.2))
    same = difference(one, other, (0.5, 0.5, 0.0))
    assert (same.low, same.high) == pytest.approx((1, 1))


def test_where_a_part_has_no_interval_nothing_has_one():
    parts = [Summand(1.0, Interval(None, None, "too few")), Summand(0.5, Interval(0.0, 1.0))]
    assert combined(parts) == Interval(None, None, NO_INTERVAL_OF_PART)

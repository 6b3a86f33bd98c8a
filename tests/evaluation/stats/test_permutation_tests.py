"""Permutation tests: against all permutations where there are few, and scipy."""

from itertools import product

import numpy as np
import pytest
import scipy.stats

from evaluation.statistics import permutation_tests as module
from evaluation.statistics.correlation import pearsons
from evaluation.statistics.pairwise_accuracy import accuracies, better_by_chance, calibrated
from evaluation.statistics.permutation_tests import (
    Swaps,
    cells_of,
    chance_of_fit,
    chance_of_order,
    p_value,
)

PERMUTATIONS = 20_000


def made(seed, *, questions=6, systems=5, judges=2, missing=0.0, worse=0.3):
    draw = np.random.default_rng(seed)
    truth = np.linspace(0, 1, systems) + draw.normal(0, 0.5, (questions, systems))
    kept = draw.random((questions, systems)) >= missing
    kept[0] = True
    people = truth + draw.normal(0, 0.2, truth.shape)
    said = [truth + draw.normal(0, 0.2 + n * worse, truth.shape) for n in range(judges)]
    question, system = np.nonzero(kept)
    return cells_of(np.array([each[kept] for each in said]), people[kept], question, system), kept


def pearson(cells):
    people = cells.means_by_people()
    return lambda means: pearsons(means, np.broadcast_to(people, means.shape))


def p_of(swaps, statistic, way="inputs"):
    return swaps.p_of_means(0, 1, swaps.means(0, 1)[way], statistic)


def plainly(judges, kept, statistic, way):
    """p over all swaps of questions, systems or both."""
    x, y = judges
    questions, systems = x.shape
    by_question = (
        list(product([0, 1], repeat=questions)) if way != "systems" else [(0,) * questions]
    )
    by_system = list(product([0, 1], repeat=systems)) if way != "inputs" else [(0,) * systems]
    found = []
    for rows, columns in product(by_question, by_system):
        swapped = np.array(rows)[:, None] ^ np.array(columns)[None]
        one, other = np.where(swapped, y, x), np.where(swapped, x, y)
        means = np.array([each.sum(axis=0) / kept.sum(axis=0) for each in (one, other)])
        first, second = statistic(means)
        found.append(first - second)
    return np.mean(np.abs(found) >= abs(found[0]) - 1e-9)


def test_p_is_that_of_all_swaps(subtests):
    for way in ["inputs", "systems", "both"]:
        for missing in [0.0, 0.3]:
            with subtests.test(way=way, missing=missing):
                cells, kept = made(3, missing=missing)
                found = p_of(Swaps(cells, permutations=PERMUTATIONS, seed=1), pearson(cells), way)
                exact = plainly(cells.judges, kept, pearson(cells), way)
                assert found.value == pytest.approx(exact, abs=4 * (0.25 / PERMUTATIONS) ** 0.5)


@pytest.mark.parametrize("statistic", ["accuracy", "calibrated"])
def test_accuracies_are_tested_too(statistic):
    cells, kept = made(5)
    people = cells.means_by_people()

    def numbers(means):
        by_people = np.broadcast_to(people, means.shape)
        if statistic == "accuracy":
            return accuracies(means, by_people)
        return calibrated(means, by_people)[0]

    found = p_of(Swaps(cells, permutations=PERMUTATIONS, seed=2), numbers)
    exact = plainly(cells.judges, kept, numbers, "inputs")
    assert found.value == pytest.approx(exact, abs=0.015)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_soft_accuracy_by_all_swaps_of_questions(missing):
    cells, kept = made(7, missing=missing)

    def soft(x):
        """Pair by pair, over the questions that both systems of it answered."""
        away = []
        for a in range(5):
            for b in range(a + 1, 5):
                both = kept[:, a] & kept[:, b]
                p = [
                    better_by_chance(d.sum(keepdims=True), (d**2).sum(keepdims=True))[0]
                    for d in (each[both, a] - each[both, b] for each in (x, cells.people))
                ]
                away.append(abs(p[0] - p[1]))
        return 1 - np.mean(away)

    x, y = cells.judges
    swaps = Swaps(cells, permutations=PERMUTATIONS, seed=1)
    assert swaps.soft() == pytest.approx([soft(x), soft(y)])
    drawn = []
    for rows in product([0, 1], repeat=6):
        swapped = np.array(rows, dtype=bool)[:, None]
        drawn.append(soft(np.where(swapped, y, x)) - soft(np.where(swapped, x, y)))
    exact = np.mean(np.abs(drawn) >= abs(drawn[0]) - 1e-9)
    assert swaps.p_of_soft(0, 1).value == pytest.approx(exact, abs=0.015)


def test_of_too_many_systems_soft_accuracy_is_not_tested(monkeypatch):
    monkeypatch.setattr(module, "MOST_SOFT", 4)
    swaps = Swaps(made(1)[0], permutations=10, seed=1)
    assert swaps.p_of_soft(0, 1).reason == "more than 40 systems"


def test_p_counts_what_reaches():
    assert p_value(-0.5, np.array([0.5, 0.4, np.nan, -0.6])).value == 4 / 5
    assert p_value(float("nan"), np.array([0.5])).reason == "the difference itself is undefined"


# Orders of systems -------------------------------------------------------------------------------


def test_chance_of_order_by_hand():
    """Of the six orders of three systems one fits as well as 1 2 3; two as well as 1 3 2 fits."""
    assert chance_of_order(np.array([1, 2, 3]), np.array([1, 2, 3])) == pytest.approx(1 / 6)
    assert chance_of_order(np.array([1, 2, 3]), np.array([1, 3, 2])) == pytest.approx(3 / 6)
    assert chance_of_order(np.array([1, 2, 3]), np.array([3, 2, 1])) == pytest.approx(1 / 6)
    assert chance_of_order(np.array([1, 2, 3]), np.array([3, 1, 2])) == pytest.approx(3 / 6)
    assert chance_of_order(np.array([1, 1, 1]), np.array([1, 2, 3])) == 1


@pytest.mark.parametrize(("y", "expected"), [([0, 1, 2, 3], 1 / 4), ([0, 1, *[2] * 10], 1 / 2)])
def test_chance_within_tiers_exchanges_only_systems_of_a_tier(y, expected):
    means = np.array(y, dtype=float)
    found = chance_of_fit(means, means, np.arange(len(y)) > 1)
    assert found == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("systems", [6, 12])
def test_chance_of_order_against_scipy(systems):
    draw = np.random.default_rng(4)
    x = draw.random(systems)
    y = x + draw.normal(0, 0.4, systems)
    expected = scipy.stats.permutation_test(
        (y,), lambda some: scipy.stats.pearsonr(x, some).statistic, permutation_type="pairings",
        alternative="greater", n_resamples=20_000, rng=draw,
    )  # fmt: skip
    assert chance_of_order(x, y) == pytest.approx(expected.pvalue, abs=0.005)


def test_chance_passes_as_rarely_as_is_said(subtests):
    for systems in [5, 9]:
        with subtests.test(systems=systems):
            draw = np.random.default_rng(5)
            found: dict[int, list[float]] = {1: [], -1: []}
            for x, y in draw.exponential(size=(600, 2, systems)):
                found[1 if np.corrcoef(x, y)[0, 1] > 0 else -1].append(chance_of_order(x, y))
            for side in (1, -1):
                for level in (0.025, 0.05):
                    # Three standard errors above the level.
                    most = level + 3 * np.sqrt(level * (1 - level) / 600)
                    assert np.count_nonzero(np.array(found[side]) <= level) / 600 <= most

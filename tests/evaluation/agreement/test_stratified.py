"""Agreement within slices: from the definitions, slice by slice."""

import random
from itertools import combinations, permutations

import numpy as np
import pytest

from evaluation.statistics.alpha import alpha, coincidences
from evaluation.statistics.bootstrap import per_cluster
from evaluation.statistics.coded import coded
from evaluation.statistics.cohen import distances, kappa
from evaluation.statistics.pooled_kappa import among
from evaluation.statistics.stratified import alphas_within, by_slice, kappas_within

LEVELS = ("none", "partial", "full")
RATERS = tuple("abcde")
UNITS = 90


def drawn(seed):
    """Ratings by unit, and the slice of each: slices have unlike answers."""
    draw = random.Random(seed)
    slices = [draw.randrange(3) for _ in range(UNITS)]
    ratings = {}
    for unit, part in enumerate(slices):
        truth = draw.choices(LEVELS, weights=[(5, 2, 1), (1, 5, 1), (1, 1, 6)][part])[0]
        some = draw.sample(RATERS, draw.randint(2, 4))
        ratings[unit] = {r: truth if draw.random() < 0.5 else draw.choice(LEVELS) for r in some}
    return coded(ratings, LEVELS, RATERS), np.array(slices)


def answers(ratings):
    """By unit: the rater and the place of the value of each answer."""
    found: dict[int, dict[int, int]] = {}
    for unit, judge, code in zip(ratings.unit, ratings.judge, ratings.code, strict=True):
        found.setdefault(int(unit), {})[int(judge)] = int(code)
    return found


def by_definition(pairs, slices, v):
    """Disagreement seen and by chance of two judges, summed over slices, unit by unit."""
    seen = expected = 0.0
    for part in set(slices.tolist()):
        inside = [(one, other) for unit, one, other in pairs if slices[unit] == part]
        seen += sum(v[one, other] for one, other in inside)
        for one, _ in inside:
            expected += sum(v[one, other] for _, other in inside) / len(inside)
    return 1 - seen / expected


@pytest.mark.parametrize("metric", ["nominal", "ordinal"])
def test_kappa_of_two_judges(metric):
    ratings, slices = drawn(1)
    pairs = [(unit, *list(said.values())[:2]) for unit, said in answers(ratings).items()]
    tables = np.zeros((UNITS, 3, 3))
    for unit, one, other in pairs:
        tables[unit, one, other] = 1
    sums = by_slice(tables, slices).sum(axis=0)
    expected = by_definition(pairs, slices, distances(3, metric))
    assert kappas_within(sums[None], metric)[0] == pytest.approx(expected)
    whole = kappas_within(sums.sum(axis=0)[None, None], metric)[0]
    assert whole == pytest.approx(kappa(tables.sum(axis=0), metric).value)
    assert expected < whole - 0.05


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_alpha_of_many_raters(metric):
    ratings, slices = drawn(2)
    said = answers(ratings)
    every = [code for unit in said.values() for code in unit.values()]
    middle = [sum(c < k for c in every) + every.count(k) / 2 for k in range(3)]
    places = middle if metric == "ordinal" else range(3)
    v = np.array([[(x - y) ** 2 for y in places] for x in places], dtype=float)
    v = np.minimum(v, 1) if metric == "nominal" else v
    seen = expected = 0.0
    for part in range(3):
        inside = [list(said[unit].values()) for unit in said if slices[unit] == part]
        seen += sum(v[x, y] / (len(u) - 1) for u in inside for x, y in permutations(u, 2))
        values = [code for u in inside for code in u]
        expected += sum(v[x, y] for x, y in permutations(values, 2)) / (len(values) - 1)
    sums = by_slice(coincidences(ratings.counts), slices).sum(axis=0)
    assert alphas_within(sums[None], metric)[0] == pytest.approx(1 - seen / expected)
    whole = alpha(sums.sum(axis=0), metric).value
    assert alphas_within(sums.sum(axis=0)[None, None], metric)[0] == pytest.approx(whole)


@pytest.mark.parametrize("metric", ["nominal", "ordinal"])
def test_pooled_kappa_of_many_raters(metric):
    ratings, slices = drawn(3)
    said, v = answers(ratings), distances(3, metric)
    seen = expected = 0.0
    for part in range(3):
        inside = [said[unit] for unit in said if slices[unit] == part]
        given = {r: [unit[r] for unit in inside if r in unit] for r in range(len(RATERS))}
        for one, other in combinations(range(len(RATERS)), 2):
            both = [unit for unit in inside if one in unit and other in unit]
            seen += sum(v[unit[one], unit[other]] for unit in both)
            apart = [v[x, y] for x in given[one] for y in given[other]]
            expected += len(both) * float(np.mean(apart))
    assert among(ratings).within(slices).kappa(metric).value == pytest.approx(1 - seen / expected)


def test_one_answer_in_each_slice_is_undefined_and_not_perfect():
    tables = np.array([[[9.0, 0], [0, 0]], [[0, 0], [0, 9.0]]])
    assert np.isnan(kappas_within(tables[None], "nominal")[0])
    assert np.isnan(alphas_within(tables[None], "nominal")[0])
    sums = per_cluster(tables, np.array([0, 1]), 3)
    assert by_slice(sums, np.array([1, 0, 1])).shape == (3, 2, 2, 2)

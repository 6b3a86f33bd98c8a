"""Every two of many raters: against scikit-learn and against the tables of each unit."""

import random

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from evaluation.statistics import pooled_kappa as module
from evaluation.statistics.bootstrap import per_cluster, weights
from evaluation.statistics.coded import coded
from evaluation.statistics.cohen import kappas, mean_kappas
from evaluation.statistics.error_bars import of_sums
from evaluation.statistics.pooled_kappa import among
from tests.evaluation.agreement.by_ratings import pair_tables, unit_pair_tables

LEVELS = ("none", "partial", "full")
JUDGES = tuple(range(6))
UNITS, CLUSTERS = 60, 20


def drawn(seed):
    """Six raters, of whom the last one never shares a unit with the first."""
    draw = random.Random(seed)
    found = {}
    for unit in range(UNITS):
        truth = draw.choice(LEVELS)
        some = draw.sample(JUDGES[:5] if unit % 2 else JUDGES[1:], draw.randint(1, 4))
        found[unit] = {
            judge: truth if draw.random() < 0.7 else draw.choice(LEVELS) for judge in some
        }
    return found


def test_against_scikit_learn(subtests):
    for seed in range(3):
        with subtests.test(seed=seed):
            ratings = drawn(seed)
            pairs = among(coded(ratings, LEVELS, JUDGES))
            ones, others, _ = pairs.pairs
            assert (0, 5) not in set(zip(ones.tolist(), others.tolist(), strict=True))
            for one, other, table in zip(ones, others, pairs.tables, strict=True):
                both = [(v[one], v[other]) for v in ratings.values() if one in v and other in v]
                assert table.sum() == len(both)
                a, b = ([LEVELS.index(said) for said in some] for some in zip(*both, strict=True))
                if len({*a, *b}) > 1:
                    expected = cohen_kappa_score(a, b, weights="quadratic", labels=[0, 1, 2])
                    assert kappas(table, "ordinal") == pytest.approx(expected)


def test_the_tables_are_those_of_the_ratings():
    ratings = drawn(5)
    judges, expected = pair_tables(ratings, LEVELS)
    pairs = among(coded(ratings, LEVELS, judges))
    shared = expected.sum(axis=(1, 2)) > 0
    assert (pairs.tables == expected[shared]).all()
    assert not shared.all()


@pytest.mark.parametrize("metric", ["nominal", "ordinal"])
@pytest.mark.parametrize("block", [1, 4_000_000], ids=["one at a time", "all at once"])
def test_resampling_the_mean_as_from_the_tables_of_each_unit(monkeypatch, metric, block):
    monkeypatch.setattr(module, "BLOCK", block)
    ratings = drawn(7)
    clusters = np.arange(UNITS) % CLUSTERS
    pairs = among(coded(ratings, LEVELS, JUDGES))
    found = pairs.mean_kappas(clusters, CLUSTERS, metric)
    tables = per_cluster(unit_pair_tables(ratings, LEVELS), clusters)
    expected = of_sums(tables, lambda summed: mean_kappas(summed, metric))
    some = next(weights(CLUSTERS, draws=50, seed=1))
    assert found(some) == pytest.approx(expected(some))
    assert found.without_each(CLUSTERS) == pytest.approx(expected.without_each(CLUSTERS)[:, 0])


def test_nobody_shares_a_unit():
    pairs = among(coded({"u": {0: "none"}, "v": {1: "full"}}, LEVELS, (0, 1)))
    assert pairs.tables.shape == (0, 3, 3)
    assert np.isnan(pairs.mean_kappas(np.array([0, 1]), 2, "nominal")(np.ones((4, 2)))).all()
    assert len(among(coded({}, LEVELS, ())).tables) == 0

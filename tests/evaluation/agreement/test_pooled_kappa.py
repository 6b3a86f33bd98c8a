"""Pooled kappa: against scikit-learn, against Conger's formula, and pair by pair."""

import random

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from evaluation.statistics import pooled_kappa as module
from evaluation.statistics.coded import Coded, coded
from evaluation.statistics.pooled_kappa import among, with_judge

LEVELS = ("none", "partial", "full")
JUDGES = tuple(range(6))
UNITS = 40


def drawn(seed, *, complete=False, judges=JUDGES):
    draw = random.Random(seed)
    found = {}
    for unit in range(UNITS):
        truth = draw.choice(LEVELS)
        some = judges if complete else draw.sample(judges, draw.randint(1, 4))
        found[unit] = {
            judge: truth if draw.random() < 0.6 else draw.choice(LEVELS) for judge in some
        }
    return found


@pytest.mark.parametrize(("metric", "weights"), [("nominal", None), ("ordinal", "quadratic")])
def test_of_two_judges_it_is_cohens_kappa(metric, weights):
    ratings = drawn(3, complete=True, judges=(0, 1))
    one, other = ([votes[judge] for votes in ratings.values()] for judge in (0, 1))
    expected = cohen_kappa_score(one, other, weights=weights, labels=LEVELS)
    found = among(coded(ratings, LEVELS, (0, 1)))
    assert found.complete
    assert found.kappa(metric).value == pytest.approx(expected)


def test_where_all_answered_all_it_is_congers_kappa():
    """As K. L. Gwet (2014), Handbook of inter-rater reliability, writes it: agreement by chance is
    Σ_k (mean share of k)² - (variance over raters of the share of k) / raters."""
    ratings = drawn(4, complete=True)
    counts = np.array([[list(v.values()).count(x) for x in LEVELS] for v in ratings.values()])
    wide = len(JUDGES)
    agreement = float(np.mean((counts * (counts - 1)).sum(axis=1) / (wide * (wide - 1))))
    shares = np.array(
        [[np.mean([v[j] == x for v in ratings.values()]) for x in LEVELS] for j in JUDGES]
    )
    chance = float((shares.mean(axis=0) ** 2 - shares.var(axis=0, ddof=1) / wide).sum())
    found = among(coded(ratings, LEVELS, JUDGES))
    assert found.complete
    assert found.kappa("nominal").value == pytest.approx((agreement - chance) / (1 - chance))


def test_a_judge_with_each_rater():
    """Pooled over raters by hand: of 3 and 2 shared answers, 1 and 1 differ."""
    ratings = {0: {"a": "no", "b": "no"}, 1: {"a": "yes", "b": "yes"}, 2: {"a": "yes"}}
    found = with_judge(coded(ratings, ("no", "yes"), ("a", "b")), np.array([0, 1, 0]))
    assert found.shared.tolist() == [3, 2]
    assert not found.complete
    # The judge said yes to 1 of 3; a to 2 of 3, b to 1 of 2.
    chance = 3 * (1 / 3 * 1 / 3 + 2 / 3 * 2 / 3) + 2 * (1 / 3 * 1 / 2 + 2 / 3 * 1 / 2)
    assert found.kappa("nominal").value == pytest.approx(1 - 1 / chance)


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        ({0: {"a": "yes"}}, "fewer than two raters"),
        ({0: {"a": "yes"}, 1: {"b": "no"}}, "no two raters rated the same"),
        ({n: {"a": "yes", "b": "yes"} for n in range(4)}, "all answers of all raters are the same"),
    ],
)
def test_where_it_is_undefined(ratings, reason):
    judges = tuple(dict.fromkeys(judge for votes in ratings.values() for judge in votes))
    assert among(coded(ratings, ("no", "yes"), judges)).kappa("nominal").reason == reason


@pytest.mark.parametrize("metric", ["nominal", "ordinal"])
def test_without_each_cluster_as_by_weights(metric, monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 40)
    draw = np.random.default_rng(5)
    said = draw.integers(0, 3, (30, 4))
    ratings = Coded(
        tuple(range(30)),
        tuple(range(4)),
        3,
        np.repeat(np.arange(30), 4),
        np.tile(np.arange(4), 30),
        said.ravel(),
    )
    statistic = among(ratings).kappas(np.arange(30) // 3, 10, metric)
    found = statistic.without_each(10)
    assert found == pytest.approx(statistic(1 - np.eye(10)), abs=1e-12)

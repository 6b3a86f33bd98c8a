"""Cohen's kappa, by hand, from the published rates and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from evaluation.statistics.cohen import kappa
from evaluation.statistics.ratings import undefined
from tests.evaluation.agreement.by_ratings import (
    cohen_kappa,
    pairwise_kappas,
)

NO_YES = ("no", "yes")
LEVELS = ("none", "partial", "full")
WEIGHTS = {"nominal": None, "ordinal": "quadratic"}

answers = st.lists(st.tuples(st.sampled_from(LEVELS), st.sampled_from(LEVELS)), max_size=40)


def test_by_hand():
    # 20 both yes, 15 both no, 5 yes-no, 10 no-yes; P_o = 0.7, P_e = .5·.6 + .5·.4 = 0.5.
    table = np.array([[15.0, 10.0], [5.0, 20.0]])
    assert kappa(table, "nominal").value == pytest.approx(0.4)


def test_quadratic_by_hand():
    # D_o = (1 + 4)/4 = 5/4. One says none, none, partial, full; the other partial, full, partial,
    # full: mean of (i - j)² over all 16 pairs = (2·(1+4+1+4) + (0+1+0+1) + (1+0+1+0)) / 16 = 24/16.
    pairs = [("none", "partial"), ("none", "full"), ("partial", "partial"), ("full", "full")]
    assert cohen_kappa(pairs, LEVELS, "ordinal").value == pytest.approx(1 - (5 / 4) / (24 / 16))


def table_of(accuracy, recall, precision):
    """Shares of units, people in rows, from what is published about the negative value."""
    negative = (1 - accuracy) / (1 - recall + recall * (1 / precision - 1))
    found = recall * negative
    false = found * (1 / precision - 1)
    return np.array([[found, negative - found], [false, 1 - negative - false]])


@pytest.mark.parametrize(
    ("accuracy", "recall", "precision", "published"),
    [(0.851, 0.823, 0.842, 0.698), (0.776, 0.756, 0.661, 0.525)],
    ids=["citation recall", "citation precision"],
)
def test_the_published_kappas_follow_from_the_published_rates(
    accuracy, recall, precision, published
):
    """Gao et al. (2023), human evaluation of ALCE's metrics; rates are rounded to 0.1 %."""
    found = kappa(table_of(accuracy, recall, precision), "nominal").value
    assert found == pytest.approx(published, abs=0.002)


@pytest.mark.parametrize("metric", ["nominal", "ordinal"])
@settings(deadline=None)
@given(pairs=answers)
def test_against_scikit_learn(metric, pairs):
    found = cohen_kappa(pairs, LEVELS, metric)
    if len({value for pair in pairs for value in pair}) < 2:
        assert found.value is None
        return
    one, other = zip(*pairs, strict=True)
    expected = cohen_kappa_score(one, other, labels=LEVELS, weights=WEIGHTS[metric])
    assert found.value == pytest.approx(expected)


@pytest.mark.parametrize("metric", ["nominal", "ordinal"])
def test_undefined(metric):
    assert cohen_kappa([], NO_YES, metric) == undefined("nothing was judged by both")
    same = undefined("all answers of both are the same")
    assert cohen_kappa([("yes", "yes")] * 5, NO_YES, metric) == same


# Three raters; a and c share units 2 to 4 only, d shares nothing with anybody.
THREE = {
    1: {"a": "full", "b": "full"},
    2: {"a": "none", "b": "partial", "c": "none"},
    3: {"a": "partial", "b": "partial", "c": "full"},
    4: {"a": "full", "b": "none", "c": "full"},
    5: {"d": "full"},
}


def test_every_pair_over_what_they_share():
    found = pairwise_kappas(THREE, LEVELS, "ordinal")
    assert found.judges == ("a", "b", "c", "d")
    assert found.units == {
        ("a", "b"): 4, ("a", "c"): 3, ("a", "d"): 0, ("b", "c"): 3, ("b", "d"): 0, ("c", "d"): 0,
    }  # fmt: skip
    for one, other in (("a", "b"), ("a", "c"), ("b", "c")):
        both = [(v[one], v[other]) for v in THREE.values() if one in v and other in v]
        x, y = zip(*both, strict=True)
        expected = cohen_kappa_score(x, y, labels=LEVELS, weights="quadratic")
        assert found.of(one, other).value == pytest.approx(expected)
        assert found.of(other, one) == found.of(one, other)
    assert found.of("d", "a") == undefined("nothing was judged by both")
    known = [found.of(*pair).value or 0.0 for pair in (("a", "b"), ("a", "c"), ("b", "c"))]
    assert found.mean.value == pytest.approx(np.mean(known))
    assert found.undefined == 3


def test_the_mean_of_no_kappa_is_undefined():
    assert pairwise_kappas({}, LEVELS, "nominal").mean == undefined("fewer than two judges")
    alone = {1: {"a": "full"}, 2: {"b": "full"}}
    assert pairwise_kappas(alone, LEVELS, "nominal").mean == undefined(
        "no two judges have a kappa: nothing was judged by both"
    )

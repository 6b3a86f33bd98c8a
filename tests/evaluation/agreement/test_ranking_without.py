"""Without each cluster in turn: as scikit-learn computes it on what is left."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from evaluation.agreement import ranking_without
from evaluation.agreement.ranking_without import rankings_without_each

units = st.lists(
    st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=40
)


def without_each(labels, scores, of, clusters):
    order = np.argsort(-scores, kind="stable")
    return rankings_without_each(labels[order], scores[order], of[order], clusters)


def check(labels, scores, of, clusters):
    found = without_each(labels, scores, of, clusters)
    for cluster, (auc, precision) in enumerate(found):
        rest = of != cluster
        if len(set(labels[rest])) == 2:
            assert auc == pytest.approx(roc_auc_score(labels[rest], scores[rest]), abs=1e-12)
        else:
            assert not np.isfinite(auc)
        if labels[rest].any():
            expected = average_precision_score(labels[rest], scores[rest])
            assert precision == pytest.approx(expected, abs=1e-12)
        else:
            assert not np.isfinite(precision)


@settings(deadline=None)
@given(rows=units)
def test_against_scikit_learn(rows):
    labels, scores, of = (np.array(column) for column in zip(*rows, strict=True))
    check(labels, scores, of, 4)  # also where a cluster has no unit


@pytest.mark.parametrize("far", [3, 32])
def test_far_down_and_with_clusters_of_any_size(far, monkeypatch):
    """Where stretches are taken at once: near the top they are not far enough for the series."""
    monkeypatch.setattr(ranking_without, "FAR", far)
    monkeypatch.setattr(ranking_without, "TERMS", 12 if far == 32 else 40)
    draw = np.random.default_rng(3)
    of = np.repeat(np.arange(60), draw.integers(1, 40, 60))
    labels = draw.random(len(of)) < 0.4
    scores = np.where(draw.random(len(of)) < 0.3, 0.5, draw.random(len(of)).round(2))
    check(labels, scores, of, 60)


def test_blocks_change_nothing(monkeypatch):
    draw = np.random.default_rng(5)
    labels, scores, of = draw.random(300) < 0.5, draw.random(300), draw.integers(0, 40, 300)
    whole = without_each(labels, scores, of, 40)
    monkeypatch.setattr(ranking_without, "CELLS", 700)
    np.testing.assert_array_equal(without_each(labels, scores, of, 40), whole)

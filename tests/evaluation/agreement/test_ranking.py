"""Scores against yes and no: by hand and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from evaluation.statistics.ranking import (
    Scored,
    auc,
    auc_by_cluster,
    aucs,
    average_precision,
    precision_recall,
    roc,
    scored,
)
from evaluation.statistics.ratings import undefined

# Few different scores, so that many tie.
cases = st.lists(
    st.tuples(st.booleans(), st.integers(0, 8).map(lambda n: n / 8)), min_size=2, max_size=50
).filter(lambda some: 0 < sum(label for label, _ in some) < len(some))


def made(some):
    people = {unit: label for unit, (label, _) in enumerate(some)}
    return scored(people, {unit: score for unit, (_, score) in enumerate(some)})


def test_by_hand():
    # Of 2·3 pairs of yes and no, the yes is higher in 4 and ties in 1.
    data = made([(True, 0.9), (False, 0.7), (True, 0.5), (False, 0.5), (False, 0.1)])
    assert auc(data).value == pytest.approx(4.5 / 6)
    # Downwards: yes | no | yes no | no. Precision at the steps of recall: 1 and 2/4.
    assert average_precision(data).value == pytest.approx(1 / 2 * 1 + 1 / 2 * 2 / 4)


@settings(deadline=None)
@given(cases)
def test_against_scikit_learn(some):
    labels, scores = zip(*some, strict=True)
    data = made(some)
    assert auc(data).value == pytest.approx(roc_auc_score(labels, scores))
    assert average_precision(data).value == pytest.approx(average_precision_score(labels, scores))
    x, y, thresholds = roc_curve(labels, scores, drop_intermediate=False)
    curve = roc(data)
    assert curve.x == pytest.approx(x)
    assert curve.y == pytest.approx(y)
    assert curve.thresholds == pytest.approx(thresholds)
    precision, recall, thresholds = precision_recall_curve(labels, scores)
    curve = precision_recall(data)
    assert curve.x == pytest.approx(recall[:-1][::-1])
    assert curve.y == pytest.approx(precision[:-1][::-1])
    assert curve.thresholds == pytest.approx(thresholds[::-1])


@settings(deadline=None)
@given(cases, st.randoms(use_true_random=False))
def test_weights_stand_for_repeated_units(some, draw):
    data = made(some)
    weights = np.array([[draw.randint(0, 3) for _ in some] for _ in range(3)], dtype=float)
    for row, found in zip(weights, aucs(data, weights), strict=True):
        labels = np.repeat(data.labels, row.astype(int))
        if 0 < labels.sum() < len(labels):
            expected = roc_auc_score(labels, np.repeat(data.scores, row.astype(int)))
            assert found == pytest.approx(expected)
        else:
            assert np.isnan(found)


def test_undefined(subtests):
    for some, reason in [
        ([], "nothing has both an answer of people and a score"),
        ([(True, 0.1), (True, 0.4)], "people said “yes” everywhere"),
        ([(False, 0.1)], "people said “no” everywhere"),
    ]:
        with subtests.test(some=some, reason=reason):
            data = made(some)
            assert auc(data) == undefined(reason)
            assert roc(data).reason == reason
            assert len(roc(data).x) == 0
            assert np.isnan(aucs(data, np.ones((2, len(some))))).all()


def test_a_score_must_be_a_number():
    with pytest.raises(ValueError, match="not a number"):
        scored({1: True}, {1: float("nan")})


def test_auc_by_cluster_and_its_first_order(subtests):
    for seed in range(4):
        with subtests.test(seed=seed):
            draw = np.random.default_rng(seed)
            scores = np.sort(draw.integers(0, 30, 1_200) / 30)
            labels = (draw.random(1_200) < 0.2 + 0.5 * scores).astype(float)
            clusters = draw.integers(0, 300, 1_200)
            value, added = auc_by_cluster(
                Scored(tuple(range(1_200)), labels, scores), clusters, 300
            )
            assert value == pytest.approx(roc_auc_score(labels, scores))
            assert added.sum() == pytest.approx(0, abs=1e-12)
            without = [
                roc_auc_score(labels[clusters != c], scores[clusters != c]) for c in range(300)
            ]
            assert value - added == pytest.approx(without, abs=5e-5)


def test_auc_by_cluster_by_hand():
    # Of “yes” at .9 and .4 and “no” at .4 and .1: (1 + 1 + .5 + 1) / 4.
    data = Scored((0, 1, 2, 3), np.array([0.0, 1, 0, 1]), np.array([0.1, 0.4, 0.4, 0.9]))
    value, added = auc_by_cluster(data, np.array([0, 1, 2, 3]), 4)
    assert value == 3.5 / 4
    # Placements 1, .75, .75, 1 (of “no” .1: both “yes” above; of “no” .4: one and a half).
    assert added == pytest.approx([0.125 / 2, -0.125 / 2, -0.125 / 2, 0.125 / 2])

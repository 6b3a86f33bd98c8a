"""AUC by cluster: the value against scikit-learn, the first order against leaving clusters out."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from evaluation.statistics.ranking import Scored, auc_by_cluster


def test_value_and_first_order(subtests):
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


def test_by_hand():
    # Of “yes” at .9 and .4 and “no” at .4 and .1: (1 + 1 + .5 + 1) / 4.
    data = Scored((0, 1, 2, 3), np.array([0.0, 1, 0, 1]), np.array([0.1, 0.4, 0.4, 0.9]))
    value, added = auc_by_cluster(data, np.array([0, 1, 2, 3]), 4)
    assert value == 3.5 / 4
    # Placements 1, .75, .75, 1 (of “no” .1: both “yes” above; of “no” .4: one and a half).
    assert added == pytest.approx([0.125 / 2, -0.125 / 2, -0.125 / 2, 0.125 / 2])

"""Cut points, against trying all of them with scikit-learn's weighted kappa."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from evaluation.statistics.cut_points import NEVER, cut_points, levels_elsewhere, levels_of


def made_up(seed, *, n, levels, noise):
    """Scores on tenths, so that all cut points can be tried."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, levels, n)
    scores = np.clip(labels / (levels - 1) * 0.6 + noise * random.normal(size=n), 0, 1)
    return labels, scores.round(1)


def kappa(labels, said):
    return cohen_kappa_score(labels, said, weights="quadratic")


def test_no_other_cut_points_have_a_greater_kappa(subtests):
    for seed in range(6):
        for levels, noise in [(2, 0.3), (3, 0.1), (3, 0.4), (4, 0.25)]:
            with subtests.test(seed=seed, levels=levels):
                labels, scores = made_up(seed, n=60, levels=levels, noise=noise)
                found = cut_points(labels, scores, levels)
                every = combinations_with_replacement([*np.arange(0, 11) / 10, NEVER], levels - 1)
                tried = [
                    (np.array(cuts)[None] <= scores[:, None] + 1e-9).sum(axis=1) for cuts in every
                ]
                best = max(kappa(labels, said) for said in tried if len({*said, *labels}) > 1)
                assert found is not None
                assert list(found) == sorted(found)
                assert kappa(labels, levels_of(scores, found)) == pytest.approx(best)


def test_of_equals_the_middle_is_taken():
    """All of .21 to .50 part the first from the second level, of .51 to .80 that from the third."""
    scores = np.repeat([0.2, 0.5, 0.8], 4)
    assert cut_points(np.repeat([0, 1, 2], 4), scores, 3) == (0.35, 0.65)


def test_what_is_held_out_was_not_learned_from():
    """Scores that tell nothing seem to, where they are cut on the units that they are told of."""
    own, elsewhere = list[float](), list[float]()
    for seed in range(30):
        random = np.random.default_rng(seed)
        labels, scores = random.integers(0, 3, 60), random.random(60)
        questions = np.repeat(np.arange(20), 3)
        cuts = cut_points(labels, scores, 3)
        own.append(kappa(labels, levels_of(scores, cuts or ())))
        said = levels_elsewhere(labels, scores, labels * 0, questions, 3, seed=seed)
        elsewhere.append(kappa(labels, said))
    assert np.mean(own) > 0.1
    assert abs(np.mean(elsewhere)) < 0.08

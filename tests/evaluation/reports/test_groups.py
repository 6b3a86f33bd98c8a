"""Which systems can be ranked together."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from evaluation.reports.scope import groups


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([[1, 1, 0], [0, 1, 1]], [[0, 1, 2]]),
        ([[1, 0, 1], [0, 1, 0]], [[0, 2], [1]]),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0], [1], [2]]),
        ([[0, 0]], [[0], [1]]),
    ],
)
def test_by_hand(rows, found):
    assert groups(np.array(rows, dtype=bool)) == found


def test_as_scipy_finds_them():
    draw = np.random.default_rng(3)
    for _ in range(50):
        answered = draw.random((draw.integers(1, 12), draw.integers(1, 15))) < 0.15
        shared = answered.T.astype(int) @ answered.astype(int)
        count, label = connected_components(csr_matrix(shared), directed=False)
        expected = [np.flatnonzero(label == one).tolist() for one in range(count)]
        assert groups(answered) == sorted(expected)

"""Which systems can be ranked together."""

import numpy as np
import pytest

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
def test_systems_are_joined_by_common_questions(rows, found):
    assert groups(np.array(rows, dtype=bool)) == found

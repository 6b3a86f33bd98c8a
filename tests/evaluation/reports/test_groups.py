"""Which systems can be ranked together."""

import numpy as np

from evaluation.reports.scope import groups


def test_systems_are_joined_by_common_questions(subtests):
    for rows, found in [
        ([[1, 1, 0], [0, 1, 1]], [[0, 1, 2]]),
        ([[1, 0, 1], [0, 1, 0]], [[0, 2], [1]]),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0], [1], [2]]),
        ([[0, 0]], [[0], [1]]),
    ]:
        with subtests.test(rows=rows, found=found):
            assert groups(np.array(rows, dtype=bool)) == found

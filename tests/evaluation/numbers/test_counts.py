"""Recall and precision from counted verdicts, by hand."""

import numpy as np

from evaluation.statistics.counts import (
    Fate,
    Verdicts,
    citation_precision,
    claim_recall,
    counted,
    statement_precision,
    statement_recall,
)

SUPPORTED, UNSUPPORTED, NEEDED, NOT_NEEDED = (
    Fate.SUPPORTED,
    Fate.UNSUPPORTED,
    Fate.NEEDED,
    Fate.NOT_NEEDED,
)


def rows(*given):
    """Response, text and fate of each verdict."""
    return Verdicts(*np.array(given, dtype=np.int64).reshape(-1, 3).T)


# Response 0: text 10 supported with two citations, one needed and one beyond the cap; text 11 cites
# what is not there. Response 1: text 12 without a citation. Response 2: the scorer failed.
COUNTS = counted(
    rows(
        (0, 10, SUPPORTED), (0, 11, UNSUPPORTED), (1, 12, UNSUPPORTED), (2, 13, Fate.FAILED),
        (2, 14, SUPPORTED),
    ),
    rows(
        (0, 10, NEEDED), (0, 10, NOT_NEEDED), (0, 10, Fate.UNCOUNTED), (0, 11, Fate.SPOILT),
        (0, 11, Fate.SPOILT), (2, 13, Fate.FAILED), (2, 14, NEEDED),
    ),
    4,
)  # fmt: skip


def quotients(part):
    return [p / w if w else None for p, w in zip(*(one.tolist() for one in part), strict=True)]


def test_of_statements():
    assert quotients(statement_recall(COUNTS)) == [1 / 2, 0, None, None]
    # As released, a response without a citation has precision 0; one without a text has none.
    assert quotients(statement_precision(COUNTS, paper=False)) == [1 / 2, 0, None, None]
    assert quotients(statement_precision(COUNTS, paper=True)) == [1 / 4, None, None, None]


def test_a_response_is_silent_only_where_that_is_known():
    nobody = np.zeros(4, dtype=bool)
    found = statement_precision(COUNTS, paper=False, silent=nobody)
    assert quotients(found) == [1 / 2, None, None, None]


def test_of_claims(subtests):
    for paper, recall, precision in [(True, 1 / 2, 1 / 4), (False, 1, 1 / 2)]:
        with subtests.test(paper=paper, recall=recall):
            assert quotients(claim_recall(COUNTS, paper=paper)) == [recall, 0, None, None]
            assert quotients(citation_precision(COUNTS, paper=paper)) == [
                precision,
                None,
                None,
                None,
            ]


def test_without_verdicts():
    nothing = counted(rows(), rows(), 2)
    assert quotients(statement_recall(nothing)) == [None, None]
    assert quotients(citation_precision(nothing, paper=False)) == [None, None]

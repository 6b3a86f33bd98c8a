"""Recall and precision of citations, for ALCE's statements and ALiiCE's claims.

Converts verdicts to the input of `evaluation/statistics/counts.py`.
"""

from collections.abc import Sequence

import numpy as np

from annotate.protocol.dimensions import IS_NEEDED
from evaluation.judges.entailment.asker import FAILED
from evaluation.judges.items import Verdict
from evaluation.judges.support import BEYOND_CAP, UNSUPPORTABLE
from evaluation.statistics.counts import Fate, PartAndWhole, VerdictCounts, Verdicts, counted
from evaluation.statistics.ratings import Figure, undefined


def text_fate(value: str, reason: str) -> Fate:
    """Return how a verdict on a statement or claim counts."""
    if reason.startswith(FAILED):
        return Fate.FAILED
    return Fate.SUPPORTED if value == "yes" else Fate.UNSUPPORTED


def citation_fate(value: str, reason: str) -> Fate:
    """Return how a verdict on a citation counts."""
    if reason == BEYOND_CAP:
        return Fate.UNCOUNTED
    if reason in UNSUPPORTABLE:
        return Fate.SPOILT
    if reason.startswith(FAILED):
        return Fate.FAILED
    return Fate.NEEDED if value == IS_NEEDED else Fate.NOT_NEEDED


def counts(verdicts: Sequence[Verdict], recall: str, support: str) -> VerdictCounts:
    """Count the verdicts on one response; `recall` and `support` name the two dimensions."""
    texts = [verdict for verdict in verdicts if verdict.dimension == recall]
    cited = [verdict for verdict in verdicts if verdict.dimension == support]
    place = {verdict.unit: number for number, verdict in enumerate(texts)}
    return counted(
        _rows(range(len(texts)), [text_fate(v.value, v.reason) for v in texts]),
        _rows(
            [place.get(v.unit.rpartition(".")[0], -1) for v in cited],
            [citation_fate(v.value, v.reason) for v in cited],
        ),
        1,
    )


def _rows(text: Sequence[int], fates: Sequence[Fate]) -> Verdicts:
    of_one = np.zeros(len(fates), dtype=np.int64)
    return Verdicts(of_one, np.array(text, dtype=np.int64), np.array(fates, dtype=np.int64))


def failed(verdicts: Sequence[Verdict], dimension: str) -> Figure | None:
    """Return an undefined figure if the scorer failed on a pair of this dimension, else None."""
    own = (verdict for verdict in verdicts if verdict.dimension == dimension)
    reason = next((v.reason for v in own if v.reason and v.reason.startswith(FAILED)), "")
    return undefined(reason) if reason else None


def share(part: PartAndWhole, reason: str) -> Figure:
    """Return the quotient for one response, or an undefined figure with this reason."""
    some, whole = float(part[0][0]), float(part[1][0])
    return Figure(some / whole) if whole else undefined(reason)

"""Recall and precision of citations, counted from verdicts: the one place for judges and reports.

A judge says of every text (statement or claim) whether its citations support it together, and of
every citation whether it is needed. By response, with a text called spoilt where it cites a number
that no passage has:

                     ALCE                               ALiiCE
    recall           supported / texts                  paper:    supported / texts
                                                        released: supported / (texts - spoilt texts)
    precision        paper:    needed / (citations + spoilt citations)      the same in both
                     released: needed / citations
                     released: 0 without a citation     undefined without one

Citations beyond the cap are not counted. Where the scorer had no answer to something that a
number rests on, that number is undefined: counted as not supported, it would be held against the
system. T. Gao et al. (2023), section 4; Y. Xu et al. (2024), section 3; and their released code.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.signedinteger[Any]]
Kept = NDArray[np.bool_]

PartAndWhole = tuple[Floats, Floats]
"""Part and whole by response; a whole of 0 says that there is nothing to take a part of."""


class Fate(IntEnum):
    """What becomes of one verdict in the counting."""

    SUPPORTED = 0
    UNSUPPORTED = 1
    NEEDED = 2
    NOT_NEEDED = 3
    SPOILT = 4
    """A citation in a text that cites a number which no passage has."""

    UNCOUNTED = 5
    """A citation beyond the cap; a response that has no answer."""

    FAILED = 6
    """The scorer had no answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """Verdicts on texts, or on citations, a row for each. `text` is the text that was judged, or
    that the citation stands in."""

    response: Places
    text: Places
    fate: Places


@dataclass(frozen=True, slots=True, eq=False)
class VerdictCounts:
    """What the verdicts on each response come to: an array of each, by response.

    `texts` statements or claims, of which `supported` are, and `spoilt` are; `citations` that count
    in texts that are not spoilt, of which `needed` are, and `spoilt_citations` that count in the
    others; how many texts and citations `failed`.
    """

    texts: Floats
    supported: Floats
    spoilt: Floats
    citations: Floats
    needed: Floats
    spoilt_citations: Floats
    failed_texts: Floats
    failed_citations: Floats


def counted(texts: Verdicts, citations: Verdicts, responses: int) -> VerdictCounts:
    """Counts of so many responses."""
    of_texts, of_citations = _table(texts, responses), _table(citations, responses)
    spoilt = np.zeros(responses)
    if of_citations[Fate.SPOILT].any():
        places = np.isin(texts.text, citations.text[citations.fate == Fate.SPOILT])
        spoilt = np.bincount(texts.response[places], minlength=responses).astype(float)
    return VerdictCounts(
        texts=of_texts.sum(axis=0),
        supported=of_texts[Fate.SUPPORTED],
        spoilt=spoilt,
        citations=of_citations[Fate.NEEDED]
        + of_citations[Fate.NOT_NEEDED]
        + of_citations[Fate.FAILED],
        needed=of_citations[Fate.NEEDED],
        spoilt_citations=of_citations[Fate.SPOILT],
        failed_texts=of_texts[Fate.FAILED],
        failed_citations=of_citations[Fate.FAILED],
    )


def _table(rows: Verdicts, responses: int) -> Floats:
    """How often each fate has befallen each response: fates × responses."""
    cells = rows.fate * responses + rows.response
    found = np.bincount(cells, minlength=len(Fate) * responses).astype(float)
    return found.reshape(len(Fate), responses)


def statement_recall(counts: VerdictCounts) -> PartAndWhole:
    """ALCE's."""
    return counts.supported, _unless(counts.failed_texts, counts.texts)


def statement_precision(
    counts: VerdictCounts, *, paper: bool, silent: Kept | None = None
) -> PartAndWhole:
    """ALCE's. `silent` are the responses known to cite nothing, if that is not said by the counts
    of those that have a text."""
    if paper:
        return citation_precision(counts, paper=True)
    if silent is None:
        silent = (counts.citations == 0) & (counts.texts > 0)
    part, whole = np.where(silent, 0.0, counts.needed), np.where(silent, 1.0, counts.citations)
    return part, _unless(counts.failed_citations, whole)


def claim_recall(counts: VerdictCounts, *, paper: bool) -> PartAndWhole:
    """ALiiCE's."""
    whole = counts.texts if paper else counts.texts - counts.spoilt
    return counts.supported, _unless(counts.failed_texts, whole)


def citation_precision(counts: VerdictCounts, *, paper: bool) -> PartAndWhole:
    """ALiiCE's, and ALCE's by the paper."""
    whole = counts.citations + counts.spoilt_citations if paper else counts.citations
    return counts.needed, _unless(counts.failed_citations, whole)


def _unless(failed: Floats, whole: Floats) -> Floats:
    return np.where(failed > 0, 0.0, whole)

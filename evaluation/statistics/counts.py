"""Recall and precision of citations, counted from verdicts, for judges and reports.

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
"""Part and whole by response; a whole of 0 means that the share is undefined."""


class Fate(IntEnum):
    """How one verdict is counted."""

    SUPPORTED = 0
    UNSUPPORTED = 1
    NEEDED = 2
    NOT_NEEDED = 3
    SPOILT = 4
    """A citation in a text that cites the number of no passage."""

    UNCOUNTED = 5
    """A citation beyond the cap; a response that has no answer."""

    FAILED = 6
    """The scorer had no answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """Verdicts on texts, or on citations, a row for each.

    `text` is the judged text, or the one with the citation.
    """

    response: Places
    text: Places
    fate: Places


@dataclass(frozen=True, slots=True, eq=False)
class VerdictCounts:
    """Counts of the verdicts on each response, by response.

    `texts` counts statements or claims, `supported` and `spoilt` some of these; `citations` counts
    the citations of texts that are not spoilt, `needed` some of these, `spoilt_citations` those of
    the others; `failed_texts` and `failed_citations` count missing answers of the scorer.
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
    """Count the verdicts on each of `responses` responses."""
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
    """Return the number of verdicts by fate and response."""
    cells = rows.fate * responses + rows.response
    result = np.bincount(cells, minlength=len(Fate) * responses).astype(float)
    return result.reshape(len(Fate), responses)


def statement_recall(counts: VerdictCounts) -> PartAndWhole:
    """Return the recall of statements by ALCE."""
    return counts.supported, _unless(counts.failed_texts, counts.texts)


def statement_precision(
    counts: VerdictCounts, *, paper: bool, silent: Kept | None = None
) -> PartAndWhole:
    """Return the precision of statements' citations by ALCE.

    `silent` are the responses known to cite nothing; by default, responses with a text and without
    citations.
    """
    if paper:
        return citation_precision(counts, paper=True)
    if silent is None:
        silent = (counts.citations == 0) & (counts.texts > 0)
    part, whole = np.where(silent, 0.0, counts.needed), np.where(silent, 1.0, counts.citations)
    return part, _unless(counts.failed_citations, whole)


def claim_recall(counts: VerdictCounts, *, paper: bool) -> PartAndWhole:
    """Return the recall of claims by ALiiCE."""
    whole = counts.texts if paper else counts.texts - counts.spoilt
    return counts.supported, _unless(counts.failed_texts, whole)


def citation_precision(counts: VerdictCounts, *, paper: bool) -> PartAndWhole:
    """Return the precision of citations by ALiiCE, and by ALCE's paper."""
    whole = counts.citations + counts.spoilt_citations if paper else counts.citations
    return counts.needed, _unless(counts.failed_citations, whole)


def _unless(failed: Floats, whole: Floats) -> Floats:
    return np.where(failed > 0, 0.0, whole)

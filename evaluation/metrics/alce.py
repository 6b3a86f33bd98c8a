"""ALCE's citation recall and precision.

Recall of a response: the share of its statements that are supported. Precision: the share of its
citations that are needed in a supported statement. A system's score is the mean over its
responses. Of a response without statements nothing is judged; it is left out. So is one with a pair
that the scorer could not take: counted as not supported, it would be held against the system.

The released code leaves the citations of a statement with an out-of-range mark out of the
denominator, and gives precision 0 to a response without a citation; in the paper's wording these
citations are not precise, and such a response has no precision.
"""

from collections.abc import Sequence

from evaluation.agreement.ratings import undefined
from evaluation.judges.items import Item, Verdict
from evaluation.judges.judge import Variant
from evaluation.metrics.figures import Figures, means
from evaluation.metrics.support import counts, failed, share
from evaluation.numbers.counts import statement_precision, statement_recall

KEYS = ("citation_recall", "citation_precision")
EMPTY = "empty output"
NO_CITATION = "no citation"


def per_item(item: Item, verdicts: Sequence[Verdict], variant: Variant) -> Figures:
    """The figures of one response."""
    found = counts(verdicts, "citation_recall", "citation_support")
    if not found.texts[0]:
        return dict.fromkeys(KEYS, undefined(EMPTY))
    recall = share(statement_recall(found), EMPTY)
    precision = share(statement_precision(found, paper=variant == "paper"), NO_CITATION)
    return {
        "citation_recall": failed(verdicts, "citation_recall") or recall,
        "citation_precision": failed(verdicts, "citation_support") or precision,
    }


def aggregate(items: Sequence[Item], each: Sequence[Figures], variant: Variant) -> Figures:
    """The mean over responses."""
    return means(each, KEYS)

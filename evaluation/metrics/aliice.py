"""ALiiCE's recall, precision and F1 of atomic claims, and the variation of citation positions.

Recall of a response: the share of its claims that are supported. Precision: the share of its
citations that are needed in a supported claim. A system's recall and precision are the means over
its responses, its F1 is their harmonic mean. A response without a claim is left out.

The released code divides by the claims whose citations are all in range, leaves the citations of
the others out of the denominator, and leaves out a response that has no claim in range; in the
paper's wording such claims are not supported and their citations not precise. CVCP of a system is
that of all its sentences, see `evaluation/claims/cvcp.py`.
"""

from collections.abc import Sequence

from evaluation.agreement.ratings import Figure, undefined
from evaluation.claims.cvcp import cvcp, mark_positions
from evaluation.judges.aliice import AT_START, NO_MARK
from evaluation.judges.items import Item, Verdict
from evaluation.judges.judge import Variant
from evaluation.judges.short_answers import harmonic
from evaluation.metrics.figures import Figures, means, measure
from evaluation.metrics.support import counts, failed, share
from evaluation.numbers.counts import citation_precision, claim_recall

KEYS = ("aliice_recall", "aliice_precision", "aliice_f1", "cvcp")
OUT_OF_RANGE = "no citation in range"
NO_CLAIM = "no claim: no word beside the citations"


def per_item(item: Item, verdicts: Sequence[Verdict], variant: Variant) -> Figures:
    """The figures of one response."""
    found = counts(verdicts, "claim_recall", "claim_support")
    nothing = NO_CLAIM if any(s.citations for s in item.statements) else NO_MARK
    paper = variant == "paper"
    reason = OUT_OF_RANGE if found.texts[0] and not paper else nothing
    recall = share(claim_recall(found, paper=paper), reason)
    precision = share(citation_precision(found, paper=paper), reason)
    recall = failed(verdicts, "claim_recall") or recall
    precision = failed(verdicts, "claim_support") or precision
    cvcp = next((measure(v) for v in verdicts if v.dimension == "cvcp"), undefined(NO_MARK))
    return {
        "aliice_recall": recall,
        "aliice_precision": precision,
        "aliice_f1": f1(recall, precision),
        "cvcp": cvcp,
    }


def aggregate(items: Sequence[Item], each: Sequence[Figures], variant: Variant) -> Figures:
    """The means over responses, F1 of the means, and the system's CVCP."""
    figures = means(each, ("aliice_recall", "aliice_precision"))
    figures["aliice_f1"] = f1(figures["aliice_recall"], figures["aliice_precision"])
    sentences = [s for item in items for s in mark_positions(item.segmentation, variant)]
    spread = cvcp(sentences, variant)
    reason = AT_START if sentences else NO_MARK
    figures["cvcp"] = undefined(reason) if spread is None else Figure(spread)
    return figures


def f1(recall: Figure, precision: Figure) -> Figure:
    """The harmonic mean of two figures."""
    if recall.value is None:
        return recall
    if precision.value is None:
        return precision
    return Figure(harmonic(recall.value, precision.value))

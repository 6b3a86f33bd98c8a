"""AutoAIS of a system: the share of its responses that are attributable.

As in the released script, a response without a passage counts as not attributable, although it
was not judged; a response without an answer is left out.
"""

from collections.abc import Sequence

from evaluation.agreement.ratings import Figure, undefined
from evaluation.judges.autoais import SOURCELESS
from evaluation.judges.items import Item, Verdict
from evaluation.judges.judge import Variant
from evaluation.metrics.figures import NOTHING_JUDGED, Figures, means

KEYS = ("autoais",)


def per_item(item: Item, verdicts: Sequence[Verdict], variant: Variant) -> Figures:
    """1 or 0 for one response."""
    for verdict in verdicts:
        if verdict.dimension == "attributable":
            if verdict.reason and verdict.reason not in SOURCELESS:
                return {"autoais": undefined(verdict.reason)}
            return {"autoais": Figure(float(verdict.yes))}
    return {"autoais": undefined(NOTHING_JUDGED)}


def aggregate(items: Sequence[Item], each: Sequence[Figures], variant: Variant) -> Figures:
    """The mean over responses."""
    return means(each, KEYS)

"""MAUVE of a system: one figure for all of its responses, which each of them carries."""

from collections.abc import Sequence

from evaluation.judges.items import Item, Verdict
from evaluation.judges.judge import Variant
from evaluation.metrics.figures import Figures, means, measure

KEYS = ("mauve",)


def per_item(item: Item, verdicts: Sequence[Verdict], variant: Variant) -> Figures:
    """The figure of the response's system."""
    return {v.dimension: measure(v) for v in verdicts if v.dimension in KEYS}


def aggregate(items: Sequence[Item], each: Sequence[Figures], variant: Variant) -> Figures:
    """The system's figure; for several systems together, the mean weighted by responses."""
    return means(each, KEYS)

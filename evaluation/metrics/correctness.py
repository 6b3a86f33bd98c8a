"""Correctness and length of a system: the mean over the responses that have the reference."""

from collections.abc import Sequence

from evaluation.judges.items import Item, Verdict
from evaluation.judges.judge import Variant
from evaluation.metrics.figures import Figures, means, measure
from evaluation.metrics.table import metrics_of

KEYS = tuple(metric.key for metric in metrics_of("correctness"))


def per_item(item: Item, verdicts: Sequence[Verdict], variant: Variant) -> Figures:
    """The measures of one response."""
    found = {verdict.dimension: measure(verdict) for verdict in verdicts}
    return {key: found[key] for key in KEYS if key in found}


def aggregate(items: Sequence[Item], each: Sequence[Figures], variant: Variant) -> Figures:
    """The mean over responses."""
    return means(each, KEYS)

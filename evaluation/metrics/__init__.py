"""Numbers about responses and systems, made from the verdicts of judges.

Pure: verdicts may come from a judge just now or from the database. For each judge there is one
module here with `per_item` and `aggregate`, named in one dict.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from evaluation.judges.items import Item, Verdict
from evaluation.judges.judge import Variant
from evaluation.metrics.figures import Figures
from evaluation.metrics.table import METRICS, Metric, metrics_of

__all__ = ["METRICS", "Figures", "Metric", "Summary", "metrics_of", "summarise"]

COUNTING: dict[str, str] = {
    "autoais": "evaluation.metrics.autoais",
    "alce": "evaluation.metrics.alce",
    "aliice": "evaluation.metrics.aliice",
    "correctness": "evaluation.metrics.correctness",
    "fluency": "evaluation.metrics.fluency",
}
"""By judge, the module that counts its verdicts."""


class _Counting(Protocol):
    def per_item(self, item: Item, verdicts: Sequence[Verdict], variant: Variant) -> Figures: ...

    def aggregate(
        self, items: Sequence[Item], each: Sequence[Figures], variant: Variant
    ) -> Figures: ...


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of each response, in the order of the items, and of all of them together."""

    per_item: tuple[Figures, ...]
    aggregate: Figures

    def judged(self, key: str) -> int:
        """How many responses have a number under this metric's key."""
        return sum(key in each and each[key].value is not None for each in self.per_item)


def summarise(
    judge: str, items: Sequence[Item], verdicts: Sequence[Verdict], *, variant: Variant
) -> Summary:
    """The figures that a judge's verdicts on the items come to."""
    counting = cast(_Counting, import_module(COUNTING[judge]))
    on: dict[str, list[Verdict]] = {item.key: [] for item in items}
    for verdict in verdicts:
        if verdict.item in on:
            on[verdict.item].append(verdict)
    each = tuple(counting.per_item(item, on[item.key], variant) for item in items)
    return Summary(each, counting.aggregate(items, each, variant))

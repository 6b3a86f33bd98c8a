"""Numbers about responses and systems, made from the verdicts of a judge.

What every response contributes is kept apart from the numbers of all, so that resampling never
judges again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.judges.figures import Figures
from evaluation.judges.items import Item, Verdict
from evaluation.judges.judge import Variant
from evaluation.judges.loading import spec_of


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
    spec = spec_of(judge)
    on: dict[str, list[Verdict]] = {item.key: [] for item in items}
    for verdict in verdicts:
        if verdict.item in on:
            on[verdict.item].append(verdict)
    each = tuple(spec.per_item(item, on[item.key], variant) for item in items)
    return Summary(each, spec.aggregate(items, each, variant))

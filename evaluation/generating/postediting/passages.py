"""AutoAIS reranking: put the passages of a response in order, the best attribution first.

Bohnet et al. (2022), Attributed Question Answering, https://arxiv.org/abs/2212.08037, where
candidate passages are ordered by how surely they entail the answer.
"""

from collections.abc import Sequence
from dataclasses import replace

from annotate.formats.division import FIRST_LINE
from annotate.formats.records import ResponseRecord
from annotate.text import Division, division_signature, find_marks
from evaluation.generating.postediting import Edited
from evaluation.judges import Item, item_of
from evaluation.judges.autoais import AutoAIS

VERSION = 2
WAVE = "candidates"
CITES = "it cites passages by their numbers, left as it was"
TOO_FEW = "fewer than two passages, left as it was"
EMPTY = "empty output, left as it was"
LEFT = frozenset({CITES, TOO_FEW, EMPTY})
SAME, ANOTHER = "passage 1 was the best", "another passage is passage 1 now"


class ByAutoAIS:
    """Renumber the passages by the probability that each alone entails the answer.

    Of equal ones the earlier stays first. An output that names passages by number is not changed:
    its marks would point to others.
    """

    asks_entailment = True
    description = (
        "The passages of each response were put in the order of their AutoAIS scores, the best "
        "first as passage 1."
    )

    def __init__(self, judge: AutoAIS, division: Division = FIRST_LINE) -> None:
        self.judge = judge
        self.division = division

    @property
    def signature(self) -> str:
        """Identify everything that can change the order."""
        division = division_signature(self.division)
        return f"rerank-passages|{division}|v:{VERSION}|{self.judge.signature}"

    def edit(self, records: Sequence[ResponseRecord]) -> list[Edited]:
        """Put the passages of each record in order; the pairs of all records are asked together."""
        items = [item_of(record, "", self.division) for record in records]
        left = [_why_left(record, item) for record, item in zip(records, items, strict=True)]
        pairs = [
            pair
            for item, why in zip(items, left, strict=True)
            if not why
            for pair in self._pairs(item)
        ]
        scores = iter([decision.score for decision in self.judge.asker.decide(pairs, wave=WAVE)])
        return [
            Edited(record, why)
            if why
            else _ordered(record, [next(scores) for _ in record.passages])
            for record, why in zip(records, left, strict=True)
        ]

    def _pairs(self, item: Item) -> list[tuple[str, str]]:
        hypothesis = self.judge.hypothesis(item)
        return [(passage.premise, hypothesis) for passage in item.passages]


def _why_left(record: ResponseRecord, item: Item) -> str:
    if len(record.passages) < 2:
        return TOO_FEW
    hanging = any(statement.passages for statement in record.statements or ())
    cites = record.citations or hanging or any(each.citations for each in item.statements)
    if cites or find_marks(record.output):  # also marks in lines that are not read
        return CITES
    return "" if record.output.strip() else EMPTY


def _ordered(record: ResponseRecord, scores: Sequence[float]) -> Edited:
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    passages = tuple(replace(record.passages[p], n=n) for n, p in enumerate(order, 1))
    return Edited(replace(record, passages=passages), ANOTHER if order[0] else SAME)

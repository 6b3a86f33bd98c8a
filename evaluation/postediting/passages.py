"""AutoAIS reranking: of the passages that came with a response, the best attribution first.

Bohnet et al. (2022), Attributed Question Answering, https://arxiv.org/abs/2212.08037, where
candidate passages are ordered by how surely they entail the answer.
"""

from collections.abc import Sequence
from dataclasses import replace

from annotate.formats.records import ResponseRecord
from annotate.segment import DEFAULT_SPLITTER, Reading, find_marks, strip_marks
from evaluation.judges import item_of
from evaluation.judges.autoais import AutoAIS
from evaluation.postediting import Edited

VERSION = 1
WAVE = "candidates"
CITES = "it cites passages by their numbers, left as it was"
TOO_FEW = "fewer than two passages, left as it was"
EMPTY = "empty output, left as it was"
LEFT = frozenset({CITES, TOO_FEW, EMPTY})
SAME, ANOTHER = "passage 1 was the best", "another passage is passage 1 now"


class ByAutoAIS:
    """Numbers the passages anew, in the order of the probability that each alone entails the
    answer; of equal ones the earlier stays first.

    An output that names passages by number is left alone: its marks would point to others.
    """

    asks_entailment = True
    description = (
        "The passages of each response were put in the order of their AutoAIS scores, the best "
        "first as passage 1."
    )

    def __init__(
        self, judge: AutoAIS, *, reading: Reading = "repaired", splitter: str = DEFAULT_SPLITTER
    ) -> None:
        self.judge = judge
        self.reading: Reading = reading
        self.splitter = splitter

    @property
    def signature(self) -> str:
        """Names everything that could change the order."""
        return f"rerank-passages|v:{VERSION}|{self.judge.signature}"

    def edit(self, records: Sequence[ResponseRecord]) -> list[Edited]:
        """Each record with its passages in order; all candidates are asked together."""
        left = [_why_left(record) for record in records]
        pairs = [
            pair
            for record, why in zip(records, left, strict=True)
            if not why
            for pair in self._pairs(record)
        ]
        scores = iter([decision.score for decision in self.judge.asker.decide(pairs, wave=WAVE)])
        return [
            Edited(record, why)
            if why
            else _ordered(record, [next(scores) for _ in record.passages])
            for record, why in zip(records, left, strict=True)
        ]

    def _pairs(self, record: ResponseRecord) -> list[tuple[str, str]]:
        item = item_of(record, "", reading=self.reading, splitter=self.splitter)
        hypothesis = self.judge.hypothesis(item)
        return [(passage.premise, hypothesis) for passage in item.passages]


def _why_left(record: ResponseRecord) -> str:
    if len(record.passages) < 2:
        return TOO_FEW
    hanging = any(statement.passages for statement in record.statements or ())
    if record.citations or hanging or find_marks(record.output):
        return CITES
    return "" if strip_marks(record.output).text.strip() else EMPTY


def _ordered(record: ResponseRecord, scores: Sequence[float]) -> Edited:
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    passages = tuple(replace(record.passages[p], n=n) for n, p in enumerate(order, 1))
    return Edited(replace(record, passages=passages), ANOTHER if order[0] else SAME)

"""AutoAIS: does the source entail that this is the answer to the question?

Bohnet et al. (2022), Attributed Question Answering, https://arxiv.org/abs/2212.08037, on
automatic evaluation.
"""

from collections.abc import Sequence

from annotate.segment import strip_marks
from evaluation.entailment import Asker
from evaluation.judges.items import WHOLE, Item, Passage, Verdict
from evaluation.judges.judge import Variant, signed

WAVE = "attributable"
EMPTY = "empty output"
VERSION = 1


class AutoAIS:
    """One verdict on each response.

    The source is what the response cites; where it cites nothing, all passages that it came with.
    A response without a passage is not attributable. The paper prints a full stop at the end of
    the hypothesis, the released script has none.
    """

    def __init__(self, asker: Asker, *, variant: Variant = "released") -> None:
        self.asker = asker
        self.variant = variant

    @property
    def signature(self) -> str:
        """Names everything that could change a verdict."""
        return signed("autoais", asker=self.asker, version=VERSION, variant=self.variant)

    def judge(self, items: Sequence[Item]) -> list[Verdict]:
        """`attributable` for each item."""
        asked = [item for item in items if _answer(item) and source(item)]
        pairs = [
            ("\n".join(passage.premise for passage in source(item)), self.hypothesis(item))
            for item in asked
        ]
        decisions = self.asker.decide(pairs, wave=WAVE)
        found = {item.key: decision for item, decision in zip(asked, decisions, strict=True)}
        verdicts = []
        for item in items:
            decision = found.get(item.key)
            if decision is not None:
                value = "yes" if decision.entailed else "no"
                made = Verdict(item.key, WHOLE, "attributable", value, decision.score)
            elif _answer(item):
                made = Verdict(item.key, WHOLE, "attributable", "no")
            else:
                made = Verdict(item.key, WHOLE, "attributable", reason=EMPTY)
            verdicts.append(made)
        return verdicts

    def hypothesis(self, item: Item) -> str:
        """The sentence that the source must entail."""
        stop = "." if self.variant == "paper" else ""
        return f"The answer to the question '{item.question}' is '{_answer(item)}'{stop}"


def source(item: Item) -> list[Passage]:
    """The passages that the response rests on, each once, in the order cited."""
    cited = {
        citation.passage.number: citation.passage
        for statement in item.statements
        for citation in statement.citations
        if citation.passage is not None
    }
    return list(cited.values()) or list(item.passages)


def _answer(item: Item) -> str:
    return strip_marks(item.answer).text.strip()

"""AutoAIS: does the source entail that this is the answer to the question?

Bohnet et al. (2022), Attributed Question Answering, https://arxiv.org/abs/2212.08037, on automatic
evaluation.

AutoAIS of a system is the share of its responses that are attributable. As in the released script,
a response without a passage counts as not attributable without being judged; a response without an
answer is left out.
"""

from collections.abc import Sequence

from annotate.text import find_marks, strip_marks
from evaluation.judges.entailment import Asker, Decision
from evaluation.judges.figures import NOTHING_JUDGED, Figures
from evaluation.judges.items import WHOLE, Item, ItemPassage, Verdict
from evaluation.judges.judge import Variant, signed
from evaluation.judges.spec import Metric, Spec
from evaluation.statistics.counts import Fate
from evaluation.statistics.ratings import Figure, undefined

WAVE = "attributable"
EMPTY = "empty output"
NO_PASSAGE = "no passage"
NOTHING_CITED_IS_THERE = "no passage with a number that it cites"
SOURCELESS = frozenset({NO_PASSAGE, NOTHING_CITED_IS_THERE})
"""Reasons of responses that have no source."""
VERSION = 2
ATTRIBUTABLE = "attributable"
"""The dimension that it answers."""


class AutoAIS:
    """One verdict on each response.

    The source is what the response cites; where it has no mark at all, all passages that it came
    with. Without a source nothing is asked. The paper prints a full stop at the end of the
    hypothesis, the released script has none.
    """

    def __init__(self, asker: Asker, *, variant: Variant = "released") -> None:
        self.asker = asker
        self.variant = variant

    @property
    def signature(self) -> str:
        return signed("autoais", asker=self.asker, version=VERSION, variant=self.variant)

    def judge(self, items: Sequence[Item]) -> list[Verdict]:
        whys = [_why_not_judged(item) for item in items]
        asked = [item for item, why in zip(items, whys, strict=True) if not why]
        pairs = [
            ("\n".join(passage.premise for passage in source(item)), self.hypothesis(item))
            for item in asked
        ]
        decisions = iter(self.asker.decide(pairs, wave=WAVE))
        verdicts = []
        for item, why in zip(items, whys, strict=True):
            found = Decision(0.0, entailed=False, reason=why) if why else next(decisions)
            if found.reason:
                verdicts.append(Verdict(item.key, WHOLE, ATTRIBUTABLE, reason=found.reason))
            else:
                value = "yes" if found.entailed else "no"
                verdicts.append(Verdict(item.key, WHOLE, ATTRIBUTABLE, value, found.score))
        return verdicts

    def hypothesis(self, item: Item) -> str:
        """Return the sentence that the source must entail."""
        stop = "." if self.variant == "paper" else ""
        return f"The answer to the question '{item.question}' is '{_answer(item)}'{stop}"


def source(item: Item) -> list[ItemPassage]:
    """Return the cited passages, each once, in the order cited; all passages if none is cited."""
    if item.given or item.segmentation.reads_all_lines:
        cited = [citation.passage for s in item.statements for citation in s.citations]
    else:
        # The whole answer is judged, including text after the first line.
        by_number = {passage.number: passage for passage in item.passages}
        cited = [by_number.get(n) for mark in find_marks(item.answer) for n in mark.numbers]
    if not cited:
        return list(item.passages)
    return list({passage.number: passage for passage in cited if passage is not None}.values())


def _why_not_judged(item: Item) -> str:
    if not _answer(item):
        return EMPTY
    if source(item):
        return ""
    return NOTHING_CITED_IS_THERE if item.passages else NO_PASSAGE


def _answer(item: Item) -> str:
    if item.segmentation.reads_all_lines:
        return item.plain
    return strip_marks(item.answer).text.strip()


def answer_fate(value: str, reason: str) -> Fate:
    """Return how a verdict on a response counts."""
    if value:
        return Fate.SUPPORTED if value == "yes" else Fate.UNSUPPORTED
    return Fate.UNSUPPORTED if reason in SOURCELESS else Fate.UNCOUNTED


def per_item(item: Item, verdicts: Sequence[Verdict], variant: Variant) -> Figures:
    """Return 1 or 0 for one response."""
    for verdict in verdicts:
        if verdict.dimension == ATTRIBUTABLE:
            fate = answer_fate(verdict.value, verdict.reason)
            if fate is Fate.UNCOUNTED:
                return {"autoais": undefined(verdict.reason)}
            return {"autoais": Figure(float(fate is Fate.SUPPORTED))}
    return {"autoais": undefined(NOTHING_JUDGED)}


SPEC = Spec(
    key="autoais",
    title="AutoAIS",
    released_lines="flat",
    about="whether its source supports the whole answer",
    cites=("https://arxiv.org/abs/2212.08037",),
    judge=AutoAIS,
    answers=(ATTRIBUTABLE,),
    metrics=(Metric("autoais", "AutoAIS"),),
    per_item=per_item,
    of_citations=True,
)

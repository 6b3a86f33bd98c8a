"""Correctness: compare answers with the references of the question.

Gao et al. (2023), https://arxiv.org/abs/2305.14627, section 3.2: EM recall (ASQA), claim recall
(ELI5), precision, recall and F1 of lists (QAMPARI); ROUGE-Lsum and length from the released script.
Exact match and token F1 as in SQuAD (Rajpurkar et al. 2016, section 6.1), used for NQ-open.

A system's figure is the mean over the responses that have the reference.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from annotate.text import DEFAULT_SPLITTER, SPLITTERS, count_words, splitter_signature
from evaluation.judges.entailment import Asker, Decision
from evaluation.judges.items import WHOLE, Item, Verdict
from evaluation.judges.judge import Variant, signed
from evaluation.judges.short_answers import (
    exact_match,
    normalised,
    present,
    qampari,
    rouge_lsum,
    token_f1,
)
from evaluation.judges.spec import Metric, Spec

WAVE = "reference claims"
VERSION = 1

NO_PAIRS = "no reference: no question-answer pairs"
NO_CLAIMS = "no reference: no claims"
NO_LONG = "no reference: no long answer"
NO_SHORT = "no reference: no short answers"
NO_LIST = "no reference: no list of answers"
NOT_A_LIST = "not a list answer"
IS_A_LIST = "a list answer"

METRICS = (
    Metric("em_recall", "EM recall"),
    Metric("em_hit", "EM hit"),
    Metric("claim_recall", "Claim recall"),
    Metric("qampari_precision", "List precision"),
    Metric("qampari_recall", "List recall"),
    Metric("qampari_recall_5", "List recall-5"),
    Metric("qampari_f1", "List F1"),
    Metric("qampari_f1_5", "List F1-5"),
    Metric("exact_match", "Exact match"),
    Metric("token_f1", "Token F1"),
    Metric("rouge_lsum", "ROUGE-Lsum"),
    Metric("length", "Length in words", "number"),
)
KEYS = tuple(metric.key for metric in METRICS)
QAMPARI = tuple(key for key in KEYS if key.startswith("qampari_"))

Found = Iterator[tuple[str, float | str]]
"""Measures by key: a number, or the reason why there is none."""


class Correctness:
    """Measures of whole responses. An empty output is wrong, not left out. Both variants are
    equal."""

    def __init__(
        self,
        asker: Asker,
        *,
        variant: Variant = "released",
        splitter: str = DEFAULT_SPLITTER,
    ) -> None:
        self.asker = asker
        self.variant = variant
        self.splitter = splitter

    @property
    def signature(self) -> str:
        split = splitter_signature(self.splitter)
        return signed(
            "correctness",
            asker=self.asker,
            version=VERSION,
            splitter=split,
            variant=self.variant,
        )

    def judge(self, items: Sequence[Item]) -> list[Verdict]:
        """Return a verdict on each response for every measure."""
        claim_recall = self._claim_recall(items)
        split = SPLITTERS[self.splitter]
        verdicts = []
        for item in items:
            measures = dict(_measures(item, split))
            measures["claim_recall"] = claim_recall.get(item.key, NO_CLAIMS)
            verdicts += [_verdict(item, measure, value) for measure, value in measures.items()]
        return verdicts

    def _claim_recall(self, items: Sequence[Item]) -> dict[str, float | str]:
        """Return the share of reference claims that each output without marks entails."""
        pairs = [
            (item.key, (output, claim))
            for item in items
            if (claims := item.references.get("claims"))
            for output in [item.plain]
            for claim in claims
        ]
        decisions = self.asker.decide([pair for _, pair in pairs], wave=WAVE)
        decisions_by_item: dict[str, list[Decision]] = {}
        for (key, _), decision in zip(pairs, decisions, strict=True):
            decisions_by_item.setdefault(key, []).append(decision)
        return {key: _share_entailed(each) for key, each in decisions_by_item.items()}


def _share_entailed(decisions: Sequence[Decision]) -> float | str:
    """Return the share, or the reason of a claim that the scorer could not answer."""
    for decision in decisions:
        if decision.reason:
            return decision.reason
    return sum(decision.entailed for decision in decisions) / len(decisions)


def _verdict(item: Item, measure: str, value: float | str) -> Verdict:
    if isinstance(value, str):
        return Verdict(item.key, WHOLE, measure, reason=value)
    return Verdict(item.key, WHOLE, measure, score=value)


def _measures(item: Item, split: Callable[[str], list[int]]) -> Found:
    by_blocks = item.segmentation.reads_all_lines
    yield "length", float(count_words(item.plain) if by_blocks else len(item.plain.split()))
    yield from _exact_presence(item)
    yield from _lists(item)
    yield from _short(item)
    yield "rouge_lsum", _rouge(item, split)


def _exact_presence(item: Item) -> Found:
    """Yield the share of question-answer pairs with an alias in the output, and whether all
    have."""
    pairs = item.references.get("qa_pairs")
    if not pairs:
        yield "em_recall", NO_PAIRS
        yield "em_hit", NO_PAIRS
        return
    output = normalised(item.plain)
    hits = sum(present(pair["short_answers"], output) for pair in pairs)
    yield "em_recall", hits / len(pairs)
    yield "em_hit", float(hits == len(pairs))


def _lists(item: Item) -> Found:
    answers = item.references.get("answers")
    if item.is_list and answers:
        yield from qampari(item.plain, answers).items()
        return
    reason = NO_LIST if item.is_list else NOT_A_LIST
    yield from ((measure, reason) for measure in QAMPARI)


def _short(item: Item) -> Found:
    aliases = short_answers(item.references)
    if item.is_list or not aliases:
        reason = IS_A_LIST if item.is_list else NO_SHORT
        yield "exact_match", reason
        yield "token_f1", reason
        return
    yield "exact_match", exact_match(item.plain, aliases)
    yield "token_f1", token_f1(item.plain, aliases)


def short_answers(references: Mapping[str, Any]) -> list[str]:
    """Return the accepted answers of a question with one answer.

    These are all aliases in `answers`, or `answer` if it is a list or the only reference: with
    other references, a text `answer` is a long one.
    """
    answers = references.get("answers")
    if answers:
        return [alias for aliases in answers for alias in aliases]
    answer = references.get("answer")
    if isinstance(answer, list):
        return list(answer)
    others = any(references.get(name) for name in ("qa_pairs", "claims", "annotations"))
    return [answer] if answer and not others else []


def long_answers(references: Mapping[str, Any]) -> list[str]:
    """Return the first two annotated long answers (ASQA), else the answer if it is a text
    (ELI5)."""
    notes = references.get("annotations")
    if notes:
        return [note["long_answer"] for note in notes[:2]]
    answer = references.get("answer")
    return [answer] if isinstance(answer, str) and answer.strip() else []


def _rouge(item: Item, split: Callable[[str], list[int]]) -> float | str:
    """Return ROUGE-Lsum against the better of two references."""
    if item.is_list:
        return IS_A_LIST
    references = long_answers(item.references)
    if not references:
        return NO_LONG
    own = _sentences(item.plain, split)
    return max(rouge_lsum(own, _sentences(reference, split)) for reference in references)


def _sentences(text: str, split: Callable[[str], list[int]]) -> list[str]:
    return [text[start:end] for start, end in pairwise([*split(text), len(text)])]


SPEC = Spec(
    key="correctness",
    title="Correctness",
    released_lines="first",
    about="correctness against reference answers",
    reads_references=True,
    cites=("https://arxiv.org/abs/2305.14627",),
    judge=Correctness,
    metrics=METRICS,
    reads_passages=False,
)

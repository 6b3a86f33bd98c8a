"""ALiiCE: is each atomic claim supported by its cited passages, and where are the marks?

Xu et al. (2025), ALiiCE: Evaluating Positional Fine-grained Citation Generation,
https://arxiv.org/abs/2406.13375, section 3.

Recall of a response: the share of its claims that are supported. Precision: the share of its
citations that are needed in a supported claim. A system's recall and precision are the means over
its responses, its F1 is their harmonic mean. A response without a claim is left out.

The released code divides by the claims whose citations are all in range, leaves the citations of
the others out of the denominator, and leaves out a response that has no claim in range. In the
paper's wording such claims are not supported and their citations not precise. CVCP is defined for a
response, and a system's is the mean over its responses, like the paper's other metrics. The
released code pools all marks of a system, see `evaluation/claims/cvcp.py`.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from evaluation.claims import Claim, Parser, claims_of_sentences, claims_signature
from evaluation.claims.cleaning import clean_sentence
from evaluation.claims.cvcp import cvcp, mark_positions
from evaluation.judges.entailment import Asker
from evaluation.judges.figures import Figures, means, measure
from evaluation.judges.items import WHOLE, Item, ItemStatement, Verdict
from evaluation.judges.judge import Variant, cap_of, signed
from evaluation.judges.short_answers import harmonic
from evaluation.judges.spec import Metric, Spec
from evaluation.judges.support import (
    CitationUnit,
    SupportAsked,
    TextUnit,
    counts,
    failed,
    share,
    verdicts,
)
from evaluation.statistics.counts import citation_precision, claim_recall
from evaluation.statistics.ratings import Figure, undefined

Level = Literal["claims", "sentences", "spans"]
VERSION = 2
NO_MARK = "no citation"
AT_START = "every citation stands at the beginning"
OUT_OF_RANGE = "no citation in range"
NO_CLAIM = "no claim: no word beside the citations"

RECALL, SUPPORT, PRECISION = "claim_recall", "claim_support", "claim_precision"
"""The dimensions that it answers, and the metric computed from both."""

METRICS = (
    Metric("aliice_recall", "Recall of atomic claims"),
    Metric("aliice_precision", "Precision of atomic claims"),
    Metric("aliice_f1", "F1 of atomic claims"),
    Metric(
        "cvcp",
        "Variation of citation positions (CVCP)",
        "number",
        mean="Variation of citation positions (CVCP), mean over responses",
    ),
)


class Aliice:
    """Verdicts on the claims of sentences with citations, and on the citations of each claim.

    At level `sentences` a sentence with marks is one claim, with which ALiiCE compares its own. At
    level `spans` the claims are the stretches of text for which the system gave citations; a
    statement without any is one claim. Sentences without a citation or a word have no claim.
    """

    def __init__(
        self,
        asker: Asker,
        *,
        parser: Parser | None = None,
        variant: Variant = "released",
        cap: int | None = None,
        level: Level = "claims",
    ) -> None:
        if level == "claims" and parser is None:
            raise ValueError("parser: expected one, for claims are made from dependency trees")
        if cap is not None and cap < 1:
            raise ValueError(f"cap: expected 1 or more, or None for no cap, found {cap}")
        self.asker = asker
        self.parser = parser
        self.variant = variant
        self.cap = cap
        self.level = level

    @property
    def signature(self) -> str:
        made = signed(
            "aliice",
            asker=self.asker,
            version=VERSION,
            cap=cap_of(self.cap),
            variant=self.variant,
            level=self.level,
        )
        if self.level != "claims" or self.parser is None:
            return made
        before, _, after = made.rpartition("|")
        return f"{before}|{claims_signature(self.parser)}|{after}"

    def judge(self, items: Sequence[Item]) -> list[Verdict]:
        """Return `claim_recall` of each claim, `claim_support` of its citations, `cvcp` of each
        item."""
        cited = [(item, s) for item in items for s in item.statements if s.citations]
        asked = SupportAsked(RECALL, SUPPORT, self.cap)
        texts = [
            (_text(item, statement, ordinal, claim), asked)
            for (item, statement), claims in zip(cited, self._claims(cited), strict=True)
            for ordinal, claim in enumerate(claims, 1)
            if claim.citations
        ]
        found = verdicts(self.asker, texts)
        return found + [self._cvcp(item) for item in items]

    def _claims(self, cited: Sequence[tuple[Item, ItemStatement]]) -> list[list[Claim]]:
        if self.parser is None or self.level != "claims":
            return [list(self._whole(statement)) for _, statement in cited]
        return claims_of_sentences([statement.marked for _, statement in cited], self.parser)

    def _whole(self, statement: ItemStatement) -> Iterator[Claim]:
        """Yield the statement, or the stretches of it that it cites for, as claims."""
        spans = statement.spans if self.level == "spans" else ()
        every = spans or [(statement.text, tuple(c.number for c in statement.citations))]
        for text, numbers in every:
            if clean_sentence(text).has_word:
                yield Claim(text, numbers)

    def _cvcp(self, item: Item) -> Verdict:
        sentences = mark_positions(item.segmentation, self.variant)
        found = cvcp(sentences, self.variant)
        if found is None:
            return Verdict(item.key, WHOLE, "cvcp", reason=AT_START if sentences else NO_MARK)
        return Verdict(item.key, WHOLE, "cvcp", score=found)


def _text(item: Item, statement: ItemStatement, ordinal: int, claim: Claim) -> TextUnit:
    key = f"{statement.key}.a{ordinal}"
    return TextUnit(
        item.key,
        key,
        claim.text,
        tuple(
            CitationUnit(f"{key}.c{place}", number, statement.passage(number))
            for place, number in enumerate(claim.citations, 1)
        ),
    )


def per_item(item: Item, verdicts: Sequence[Verdict], variant: Variant) -> Figures:
    found = counts(verdicts, RECALL, SUPPORT)
    nothing = NO_CLAIM if any(s.citations for s in item.statements) else NO_MARK
    paper = variant == "paper"
    reason = OUT_OF_RANGE if found.texts[0] and not paper else nothing
    recall = share(claim_recall(found, paper=paper), reason)
    precision = share(citation_precision(found, paper=paper), reason)
    recall = failed(verdicts, RECALL) or recall
    precision = failed(verdicts, SUPPORT) or precision
    spread = next((measure(v) for v in verdicts if v.dimension == "cvcp"), undefined(NO_MARK))
    return {
        "aliice_recall": recall,
        "aliice_precision": precision,
        "aliice_f1": f1(recall, precision),
        "cvcp": spread,
    }


def aggregate(items: Sequence[Item], each: Sequence[Figures], variant: Variant) -> Figures:
    """Return the means over responses, F1 of the means, and the system's CVCP."""
    figures = means(each, ("aliice_recall", "aliice_precision"))
    figures["aliice_f1"] = f1(figures["aliice_recall"], figures["aliice_precision"])
    if variant == "paper":
        return figures | means(each, ("cvcp",))
    sentences = [s for item in items for s in mark_positions(item.segmentation, variant)]
    spread = cvcp(sentences, variant)
    reason = AT_START if sentences else NO_MARK
    figures["cvcp"] = undefined(reason) if spread is None else Figure(spread)
    return figures


def f1(recall: Figure, precision: Figure) -> Figure:
    """Return the harmonic mean of two figures."""
    if recall.value is None:
        return recall
    if precision.value is None:
        return precision
    return Figure(harmonic(recall.value, precision.value))


SPEC = Spec(
    key="aliice",
    title="ALiiCE",
    released_lines="flat",
    about="citation recall and precision of atomic claims",
    cites=("https://arxiv.org/abs/2406.13375",),
    judge=Aliice,
    answers=(RECALL, SUPPORT),
    metrics=METRICS,
    per_item=per_item,
    aggregate=aggregate,
    of_citations=True,
)

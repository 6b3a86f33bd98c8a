"""ALiiCE: is each atomic claim supported by the passages cited for it, and where do marks stand?

Xu et al. (2025), ALiiCE: Evaluating Positional Fine-grained Citation Generation,
https://arxiv.org/abs/2406.13375, section 3.
"""

from collections.abc import Sequence
from typing import Literal

from evaluation.claims import Claim, Parser, claims_of_sentences, claims_signature
from evaluation.claims.cleaning import clean_sentence
from evaluation.claims.cvcp import cvcp, mark_positions
from evaluation.entailment import Asker
from evaluation.judges.items import WHOLE, Item, Statement, Verdict
from evaluation.judges.judge import Variant, cap_of, signed
from evaluation.judges.support import Citation, Text, Way, verdicts

Level = Literal["claims", "sentences"]
VERSION = 2
NO_MARK = "no citation"
AT_START = "every citation stands at the beginning"


class Aliice:
    """Verdicts on the claims of sentences with citations, and on the citations of each claim.

    At level `sentences` a sentence with marks is one claim, with which ALiiCE compares its own. A
    sentence without a mark, or without a word, has no claim.
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
        """Names everything that could change a verdict."""
        made = signed(
            "aliice",
            asker=self.asker,
            version=VERSION,
            cap=cap_of(self.cap),
            variant=self.variant,
            level=self.level,
        )
        if self.level == "sentences" or self.parser is None:
            return made
        before, _, after = made.rpartition("|")
        return f"{before}|{claims_signature(self.parser)}|{after}"

    def judge(self, items: Sequence[Item]) -> list[Verdict]:
        """`claim_recall` of each claim, `claim_support` of its citations; `cvcp` of each item."""
        cited = [(item, s) for item in items for s in item.statements if s.citations]
        way = Way("claim_recall", "claim_support", self.cap)
        texts = [
            (_text(item, statement, ordinal, claim), way)
            for (item, statement), claims in zip(cited, self._claims(cited), strict=True)
            for ordinal, claim in enumerate(claims, 1)
            if claim.citations
        ]
        found = verdicts(self.asker, texts)
        return found + [self._cvcp(item) for item in items]

    def _claims(self, cited: Sequence[tuple[Item, Statement]]) -> list[list[Claim]]:
        if self.parser is None or self.level == "sentences":
            return [
                [Claim(statement.text, tuple(c.number for c in statement.citations))]
                if clean_sentence(statement.text).has_word
                else []
                for _, statement in cited
            ]
        return claims_of_sentences([statement.marked for _, statement in cited], self.parser)

    def _cvcp(self, item: Item) -> Verdict:
        sentences = mark_positions(item.segmentation, self.variant)
        found = cvcp(sentences, self.variant)
        if found is None:
            return Verdict(item.key, WHOLE, "cvcp", reason=AT_START if sentences else NO_MARK)
        return Verdict(item.key, WHOLE, "cvcp", score=found)


def _text(item: Item, statement: Statement, ordinal: int, claim: Claim) -> Text:
    key = f"{statement.key}.a{ordinal}"
    return Text(
        item.key,
        key,
        claim.text,
        tuple(
            Citation(f"{key}.c{place}", number, statement.passage(number))
            for place, number in enumerate(claim.citations, 1)
        ),
    )

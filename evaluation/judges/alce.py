"""ALCE: are statements supported by what they cite, and is each citation needed?

Gao et al. (2023), Enabling Large Language Models to Generate Text with Citations,
https://arxiv.org/abs/2305.14627, section 3.3 (citation quality).

Recall of a response: the share of its statements that are supported. Precision: the share of its
citations that are needed in a supported statement. A system's score is the mean over its responses.
Responses without statements, or with a pair that the scorer could not answer, are left out: a
failure must not count against the system.

The released code leaves the citations of a statement with an out-of-range mark out of the
denominator, and gives precision 0 to a response without a citation. In the paper's wording these
citations are not precise, and such a response has no precision.
"""

from collections.abc import Sequence

from annotate.text.segmentation import DEFAULT_CAP
from evaluation.judges.entailment import Asker
from evaluation.judges.figures import Figures
from evaluation.judges.items import Item, ItemStatement, Verdict
from evaluation.judges.judge import Variant, cap_of, signed
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
from evaluation.statistics.counts import statement_precision, statement_recall
from evaluation.statistics.ratings import undefined

VERSION = 1
EMPTY = "empty output"
NO_CITATION = "no citation"

RECALL, SUPPORT, PRECISION = "citation_recall", "citation_support", "citation_precision"
"""The dimensions that it answers, and the metric computed from both."""

METRICS = (
    Metric(RECALL, "Citation recall"),
    Metric(PRECISION, "Citation precision"),
)
KEYS = tuple(metric.key for metric in METRICS)


class Alce:
    """Verdicts on statements and citations. The variants differ only in counting (`per_item`)."""

    def __init__(
        self, asker: Asker, *, variant: Variant = "released", cap: int | None = DEFAULT_CAP
    ) -> None:
        if cap is not None and cap < 1:
            raise ValueError(f"cap: expected 1 or more, or None for no cap, found {cap}")
        self.asker = asker
        self.variant = variant
        self.cap = cap

    @property
    def signature(self) -> str:
        return signed(
            "alce",
            asker=self.asker,
            version=VERSION,
            cap=cap_of(self.cap),
            variant=self.variant,
        )

    def judge(self, items: Sequence[Item]) -> list[Verdict]:
        """Return `citation_recall` of each statement, `citation_support` of each of its
        citations."""
        return verdicts(
            self.asker,
            [
                (_text(item, statement), self._asked(item))
                for item in items
                for statement in item.statements
            ],
        )

    def _asked(self, item: Item) -> SupportAsked:
        # A file with passages in its citations has none for citations beyond the cap.
        return SupportAsked(RECALL, SUPPORT, self.cap, all_numbers=not item.given)


def _text(item: Item, statement: ItemStatement) -> TextUnit:
    return TextUnit(
        item.key,
        statement.key,
        statement.text,
        tuple(CitationUnit(c.key, c.number, c.passage) for c in statement.citations),
    )


def per_item(item: Item, verdicts: Sequence[Verdict], variant: Variant) -> Figures:
    found = counts(verdicts, RECALL, SUPPORT)
    if not found.texts[0]:
        return dict.fromkeys(KEYS, undefined(EMPTY))
    recall = share(statement_recall(found), EMPTY)
    precision = share(statement_precision(found, paper=variant == "paper"), NO_CITATION)
    return {
        RECALL: failed(verdicts, RECALL) or recall,
        PRECISION: failed(verdicts, SUPPORT) or precision,
    }


SPEC = Spec(
    key="alce",
    title="ALCE",
    released_lines="first",
    about="citation recall and precision of statements",
    cites=("https://arxiv.org/abs/2305.14627",),
    judge=Alce,
    answers=(RECALL, SUPPORT),
    metrics=METRICS,
    per_item=per_item,
    of_citations=True,
)

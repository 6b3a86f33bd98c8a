"""ALCE: are statements supported by what they cite, and is each citation needed?

Gao et al. (2023), Enabling Large Language Models to Generate Text with Citations,
https://arxiv.org/abs/2305.14627, section 3.3 (citation quality).
"""

from collections.abc import Sequence

from annotate.segment.segmentation import DEFAULT_CAP
from evaluation.entailment import Asker
from evaluation.judges.items import Item, Statement, Verdict
from evaluation.judges.judge import Variant, cap_of, signed
from evaluation.judges.support import Citation, Text, Way, verdicts

VERSION = 1


class Alce:
    """Verdicts on statements and citations. They are the same in both variants, which differ in how
    they are counted (`evaluation/metrics/alce.py`)."""

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
        """Names everything that could change a verdict."""
        return signed(
            "alce",
            asker=self.asker,
            version=VERSION,
            cap=cap_of(self.cap),
            variant=self.variant,
        )

    def judge(self, items: Sequence[Item]) -> list[Verdict]:
        """`citation_recall` of each statement, `citation_support` of each of its citations."""
        return verdicts(
            self.asker,
            [
                (_text(item, statement), self._way(item))
                for item in items
                for statement in item.statements
            ],
        )

    def _way(self, item: Item) -> Way:
        # A file that hangs passages on citations has none for those beyond the cap.
        return Way("citation_recall", "citation_support", self.cap, all_numbers=not item.given)


def _text(item: Item, statement: Statement) -> Text:
    return Text(
        item.key,
        statement.key,
        statement.text,
        tuple(Citation(c.key, c.number, c.passage) for c in statement.citations),
    )

"""Quote check: do passages contain what citations quote from them?

Attest's own. `annotate/text/quotes.py` defines found and nearly found.

A quote with several passages is found if one of them contains it, and counts once for several
statements. The figures of a response are shares of its quotes, those of a system means over its
responses. Responses without a quote, and quotes from missing passages, are left out.
"""

from collections.abc import Iterator, Mapping, Sequence

from annotate.text.quotes import NEARLY, Match, look_for
from evaluation.judges.items import WHOLE, Cited, Item, ItemStatement, Verdict
from evaluation.judges.judge import Variant, signed
from evaluation.judges.spec import Metric, Spec
from evaluation.judges.support import NO_PASSAGE

VERSION = 1
NO_QUOTE = "no quote"
BESIDE = "another passage cited with it has the quote"

METRICS = (
    Metric("quote_found", "Quotes found"),
    Metric("quote_nearly", "Quotes nearly found"),
    Metric("quote_not_found", "Quotes not found"),
    Metric("quote_fabricated", "Responses with a quote that is not found"),
)
KEYS = tuple(metric.key for metric in METRICS)

_ORDER = ("none", "nearly", "found")


class Quotes:
    """`quote` of each quoting citation, and each response's shares, equal in both variants."""

    def __init__(self, *, variant: Variant = "released") -> None:
        self.variant = variant

    @property
    def signature(self) -> str:
        return signed("quotes", asker=None, version=VERSION, nearly=NEARLY, variant=self.variant)

    def judge(self, items: Sequence[Item]) -> list[Verdict]:
        """Return a verdict on each citation with a quote, then the measures of its response."""
        return [verdict for item in items for verdict in _of_item(item)]


def _of_item(item: Item) -> Iterator[Verdict]:
    best: dict[tuple[str, frozenset[int]], str] = {}
    for statement in item.statements:
        for quote, together in _by_quote(statement).items():
            matches = {c.key: look_for(quote, c.passage.text) for c in together if c.passage}
            for cited in together:
                yield _verdict(item, cited, matches)
            if matches:
                numbers = frozenset(cited.number for cited in together)
                best[quote, numbers] = _best(matches)
    yield from _measures(item, list(best.values()))


def _by_quote(statement: ItemStatement) -> dict[str, list[Cited]]:
    """Return citations by their quote."""
    found: dict[str, list[Cited]] = {}
    for cited in statement.citations:
        if cited.quote.strip():
            found.setdefault(cited.quote, []).append(cited)
    return found


def _best(matches: Mapping[str, Match]) -> str:
    return max((match.value for match in matches.values()), key=_ORDER.index)


def _verdict(item: Item, cited: Cited, matches: Mapping[str, Match]) -> Verdict:
    match = matches.get(cited.key)
    if match is None:
        return Verdict(item.key, cited.key, "quote", reason=NO_PASSAGE)
    if match.value == "none" and _best(matches) != "none":
        return Verdict(item.key, cited.key, "quote", reason=BESIDE)
    score = None if match.value == "none" else round(match.likeness, 6)
    return Verdict(item.key, cited.key, "quote", match.value, score)


def _measures(item: Item, values: Sequence[str]) -> Iterator[Verdict]:
    if not values:
        quoting = any(c.quote.strip() for s in item.statements for c in s.citations)
        reason = NO_PASSAGE if quoting else NO_QUOTE
        yield from (Verdict(item.key, WHOLE, key, reason=reason) for key in KEYS)
        return
    found, nearly, none = (
        values.count(value) / len(values) for value in ("found", "nearly", "none")
    )
    for key, score in zip(KEYS, (found, nearly, none, float(none > 0)), strict=True):
        yield Verdict(item.key, WHOLE, key, score=score)


SPEC = Spec(
    key="quotes",
    title="Quote check",
    about="whether passages contain the quotes",
    judge=Quotes,
    answers=("quote",),
    metrics=METRICS,
)

"""What an answer says that it quotes, beside the passage that it is to stand in."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from annotate.text.quotes import Match, look_for

SAID = {"found": "found word for word", "none": "not found in this passage"}


@dataclass(frozen=True, slots=True)
class ShownQuote:
    """A quote of one citation, and where passage `n` has it."""

    unit: str
    n: int
    text: str
    match: Match

    @property
    def said(self) -> str:
        """Whether the passage has it, in words."""
        percent = int(100 * self.match.likeness)
        return SAID.get(self.match.value, f"found in nearly the same words ({percent} % alike)")

    @property
    def span(self) -> tuple[int, int] | None:
        """Where it stands in the passage's text."""
        return None if self.match.value == "none" else (self.match.start, self.match.end)


def quotes_of(
    citing: Iterable[tuple[str, int | None, str]], texts: Mapping[int, str]
) -> dict[int, tuple[ShownQuote, ...]]:
    """Quotes by passage. `citing` says of citations their key, passage and quote."""
    found: dict[int, tuple[ShownQuote, ...]] = {}
    for key, n, quote in citing:
        if n is not None and n in texts and quote.strip():
            shown = ShownQuote(key, n, quote, look_for(quote, texts[n]))
            found[n] = (*found.get(n, ()), shown)
    return found

"""Find what a system says that it quotes in the passage.

All kinds of white space, quotation marks and dashes are equal; case matters. A quote is *found* if
the passage has it word for word, and *nearly* if the most similar stretch of the passage reaches
`NEARLY`. The similarity is rapidfuzz's `partial_ratio`, which is 1 - (deletions + insertions) /
(length of both) for stretches as long as the quote.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Literal

from rapidfuzz import fuzz

NEARLY = 0.9
"""Minimum similarity of a quote that is nearly found."""

PART = 250
"""Characters: a longer quote is searched in parts of this length, to keep the cost linear. Its
similarity is their mean."""

LEAST = 0.5
"""A part with a lower similarity counts as 0."""

FARTHEST = 2
"""The places of all parts together may have at most this many times the length of the quote, and at
least its inverse."""

WITHOUT_SPACES = "\u0e00"
"""Scripts from Thai on may have no spaces between words."""

Value = Literal["found", "nearly", "none"]

_QUOTATION = "\"'`´‘’‚‛“”„‟«»‹›「」『』〝〞＂＇"
_DASHES = "-‐‑‒–—―−﹘﹣－"
_FOLDED = str.maketrans(dict.fromkeys(_QUOTATION, '"') | dict.fromkeys(_DASHES, "-"))
_AROUND = _QUOTATION + "… \t\n\r\f\v\u00a0\u3000"
_WORD = re.compile(r"\S++")


@dataclass(frozen=True, slots=True)
class Match:
    """Whether a passage has a quote, how similar, and where (no place if it is missing)."""

    value: Value
    likeness: float = 0.0
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class _Text:
    """A text with single spaces. `starts[i]` corresponds to `raw[i]` after white space."""

    text: str
    starts: tuple[int, ...]
    raw: tuple[int, ...]

    def place(self, at: int) -> int:
        """Return the place in the raw text of a place in the folded text."""
        word = bisect_right(self.starts, at) - 1
        return self.raw[word] + at - self.starts[word]


def look_for(quote: str, passage: str) -> Match:
    """Find the quote in the passage."""
    wanted = _folded(quote.strip(_AROUND)).text.strip(_AROUND)
    if not wanted:
        return Match("none")
    within = _passage(passage)
    at = last = within.text.find(wanted)
    # A quote may be cut off within a word, but a single word is not found in a longer one.
    while at >= 0 and " " not in wanted and _is_within_a_word(within.text, at, at + len(wanted)):
        at = within.text.find(wanted, at + 1)
    if at >= 0:
        return Match("found", 1.0, within.place(at), within.place(at + len(wanted) - 1) + 1)
    return Match("none") if last >= 0 else _most_like(wanted, within)


def _is_within_a_word(text: str, start: int, end: int) -> bool:
    return _splits_a_word(text, start) or _splits_a_word(text, end)


def _splits_a_word(text: str, at: int) -> bool:
    """Return whether both sides have letters of one word, in a script with spaces."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return before.isalnum() and after.isalnum() and max(before, after) < WITHOUT_SPACES


def _most_like(wanted: str, within: _Text) -> Match:
    count = -(-len(wanted) // PART)
    cuts = [len(wanted) * n // count for n in range(count + 1)]
    least = NEARLY if count == 1 else LEAST
    found = [_best(wanted[start:end], within.text, least) for start, end in pairwise(cuts)]
    likeness = sum(
        like * (b - a) for (like, _, _), (a, b) in zip(found, pairwise(cuts), strict=True)
    )
    likeness /= len(wanted)
    start = min(start for _, start, _ in found)
    end = max(end for _, _, end in found)
    is_together = len(wanted) / FARTHEST <= end - start <= FARTHEST * len(wanted)
    if likeness < NEARLY or not is_together:
        return Match("none")
    return Match("nearly", likeness, within.place(start), within.place(end - 1) + 1)


def _best(wanted: str, text: str, least: float) -> tuple[float, int, int]:
    """Return similarity and place of the most similar stretch; 0 without one."""
    if len(wanted) > len(text):
        return fuzz.ratio(wanted, text, score_cutoff=100 * least) / 100, 0, len(text)
    best = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=100 * least)
    if best is None or best.dest_end <= best.dest_start:
        return 0.0, 0, len(text)
    return best.score / 100, best.dest_start, best.dest_end


def _folded(raw: str) -> _Text:
    """Fold a text. Only white space changes places: other characters map one to one."""
    words = [(m.start(), m.end()) for m in _WORD.finditer(raw)]
    text = " ".join(raw[start:end] for start, end in words).translate(_FOLDED)
    lengths = [end - start + 1 for start, end in words]
    starts = accumulate(lengths[:-1], initial=0) if words else ()
    return _Text(text, tuple(starts), tuple(start for start, _ in words))


@lru_cache(maxsize=16)
def _passage(raw: str) -> _Text:
    return _folded(raw)


SAID = {"found": "found word for word", "none": "not found in this passage"}


@dataclass(frozen=True, slots=True)
class ShownQuote:
    """A quote of one citation, and its place in passage `n`."""

    unit: str
    n: int
    text: str
    match: Match

    @property
    def said(self) -> str:
        """Return the result as text."""
        percent = int(100 * self.match.likeness)
        return SAID.get(self.match.value, f"found in nearly the same words ({percent} % alike)")

    @property
    def span(self) -> tuple[int, int] | None:
        """The place in the passage's text; None if it is missing."""
        return None if self.match.value == "none" else (self.match.start, self.match.end)


def quotes_of(
    citing: Iterable[tuple[str, int | None, str]], texts: Mapping[int, str]
) -> dict[int, tuple[ShownQuote, ...]]:
    """Return quotes by passage. `citing` has key, passage and quote of each citation."""
    found: dict[int, tuple[ShownQuote, ...]] = {}
    for key, n, quote in citing:
        if n is not None and n in texts and quote.strip():
            shown = ShownQuote(key, n, quote, look_for(quote, texts[n]))
            found[n] = (*found.get(n, ()), shown)
    return found

"""What a system says that it quotes, looked for in the passage.

White space, quotation marks and dashes are the same however they are written. A quote is *found*
where the passage has it word for word, and *nearly* where the stretch of the passage that is most
like it is at least as like as `NEARLY`: by rapidfuzz's `partial_ratio`, which is
1 - (signs to delete + signs to insert) / (length of both) for stretches as long as the quote.
Large and small letters differ.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Literal

from rapidfuzz import fuzz

NEARLY = 0.9
"""From this likeness on, a quote counts as nearly found."""

PART = 250
"""Characters: a longer quote is looked for in parts of that length, so that its length costs no
more than its share; its likeness is their mean."""

LEAST = 0.5
"""A part that is less like than this counts as 0."""

FARTHEST = 2
"""All parts together must be found in at most so many times the length of the quote, and at least
in so small a part of it."""

WITHOUT_SPACES = "\u0e00"
"""From Thai on scripts may go without spaces."""

Value = Literal["found", "nearly", "none"]

_QUOTATION = "\"'`´‘’‚‛“”„‟«»‹›「」『』〝〞＂＇"
_DASHES = "-‐‑‒–—―−﹘﹣－"
_FOLDED = str.maketrans(dict.fromkeys(_QUOTATION, '"') | dict.fromkeys(_DASHES, "-"))
_AROUND = _QUOTATION + "… \t\n\r\f\v\u00a0\u3000"
_WORD = re.compile(r"\S++")


@dataclass(frozen=True, slots=True)
class Match:
    """Whether a quote stands in a passage, how like, and where; without a place where it is not."""

    value: Value
    likeness: float = 0.0
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class _Text:
    """A text with its white space as single spaces; `starts[i]` is where in it the raw text goes on
    at `raw[i]` after white space."""

    text: str
    starts: tuple[int, ...]
    raw: tuple[int, ...]

    def place(self, at: int) -> int:
        """Where a place of the folded text is in the raw one."""
        word = bisect_right(self.starts, at) - 1
        return self.raw[word] + at - self.starts[word]


def look_for(quote: str, passage: str) -> Match:
    """The quote in the passage."""
    wanted = _folded(quote.strip(_AROUND)).text.strip(_AROUND)
    if not wanted:
        return Match("none")
    within = _passage(passage)
    at = last = within.text.find(wanted)
    # A quote may be cut off within a word, but one word is not found in a longer one.
    while at >= 0 and " " not in wanted and _is_within_a_word(within.text, at, at + len(wanted)):
        at = within.text.find(wanted, at + 1)
    if at >= 0:
        return Match("found", 1.0, within.place(at), within.place(at + len(wanted) - 1) + 1)
    return Match("none") if last >= 0 else _most_like(wanted, within)


def _is_within_a_word(text: str, start: int, end: int) -> bool:
    return _splits_a_word(text, start) or _splits_a_word(text, end)


def _splits_a_word(text: str, at: int) -> bool:
    """Whether letters of one word stand on both sides, in a script with spaces."""
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
    """The stretch of the text that is most like a quote: how like, and where; 0 for none."""
    if len(wanted) > len(text):
        return fuzz.ratio(wanted, text, score_cutoff=100 * least) / 100, 0, len(text)
    best = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=100 * least)
    if best is None or best.dest_end <= best.dest_start:
        return 0.0, 0, len(text)
    return best.score / 100, best.dest_start, best.dest_end


def _folded(raw: str) -> _Text:
    """Signs are replaced one by one, so that only white space moves places."""
    words = [(m.start(), m.end()) for m in _WORD.finditer(raw)]
    text = " ".join(raw[start:end] for start, end in words).translate(_FOLDED)
    lengths = [end - start + 1 for start, end in words]
    starts = accumulate(lengths[:-1], initial=0) if words else ()
    return _Text(text, tuple(starts), tuple(start for start, _ in words))


@lru_cache(maxsize=16)
def _passage(raw: str) -> _Text:
    return _folded(raw)

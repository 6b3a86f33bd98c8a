"""Remove marks and other characters from a sentence, as ALiiCE does before parsing."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotate.text import strip_marks

CLEANING_VERSION = "words-and-commas:1"

SIGNS = re.compile(r"[^\w\s,]")
"""Characters to remove."""
_WORD_SIGN = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class CleanSentence:
    """Word characters, commas and single spaces; each mark as the length of the text before it."""

    text: str
    marks: tuple[tuple[int, tuple[int, ...]], ...]

    def by_word(self, words: Sequence[str], starts: Sequence[int]) -> dict[int, list[int]]:
        """Return the numbers cited after each word.

        `starts` are the offsets of the words in `text`. A mark belongs to the last word before it.
        Commas are skipped, since a comma is never the claim; a mark before all words belongs to the
        first.
        """
        named = [word for word, text in enumerate(words) if _WORD_SIGN.search(text)]
        offsets = [starts[word] for word in named]
        found: dict[int, list[int]] = {}
        for offset, numbers in self.marks if named else ():
            before = bisect_left(offsets, offset)
            found.setdefault(named[max(before - 1, 0)], []).extend(numbers)
        return found

    @property
    def has_word(self) -> bool:
        """Whether there is a word: commas alone make no claim."""
        return _WORD_SIGN.search(self.text) is not None


def clean_sentence(sentence: str) -> CleanSentence:
    """Remove marks of every style, then all but word characters and commas.

    Words separated only by a mark (`glass[1]or`) stay two.
    """
    stripped = strip_marks(sentence)
    cuts = [0, *stripped.positions, len(stripped.text)]
    text = ""
    spaced = False
    lengths: list[int] = []
    for start, end in pairwise(cuts):
        piece = SIGNS.sub("", stripped.text[start:end])
        words = " ".join(piece.split())
        if words:
            glued = text and _WORD_SIGN.match(text[-1]) and _WORD_SIGN.match(words)
            if text and (spaced or piece[0].isspace() or glued):
                text += " "
            text += words
        spaced = (spaced and not words) or piece[-1:].isspace()
        lengths.append(len(text))
    marks = zip(lengths, (mark.numbers for mark in stripped.marks), strict=False)
    return CleanSentence(text, tuple(marks))

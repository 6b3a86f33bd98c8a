"""The two readings of where a mark belongs, as starts of pieces in the text with its marks.

Repaired: the mark belongs to what it follows. Strict: it belongs to the piece it stands in when the
text is divided with the marks in place, as ALCE's released code does.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from annotate.text.splitters import Splitter
from annotate.text.types import Mark, Stripped

_WORD_SIGN = re.compile(r"\w")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]?\Z")


def outside_marks(starts: Iterable[int], marks: Sequence[Mark]) -> Iterator[int]:
    """The `starts` that do not lie inside a mark."""
    index = 0
    for start in starts:
        while index < len(marks) and marks[index].end <= start:
            index += 1
        if index == len(marks) or start <= marks[index].start:
            yield start


def with_marks(starts: Iterable[int], stripped: Stripped) -> Iterator[int]:
    """Move offsets of the plain text to the text with marks; a mark stays with what it follows."""
    index = shift = 0
    for start in starts:
        while index < len(stripped.marks) and stripped.positions[index] <= start:
            shift += len(stripped.marks[index].lead) + len(stripped.marks[index].text)
            index += 1
        yield start + shift if start else 0


def _glued(text: str, positions: Iterable[int]) -> Iterator[int]:
    """Plain offsets where only a mark parts two sentences: `… sentence.[1]Next …`."""
    for position in positions:
        before = text[max(0, position - 2) : position]
        if text[position : position + 1].isupper() and _SENTENCE_END.search(before):
            yield position


def _with_words(starts: Sequence[int], text: str) -> Iterator[int]:
    """Leave out pieces without a word: they go on with the piece before, or open the next."""
    pending: int | None = None
    some = False
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        if _WORD_SIGN.search(text, start, end):
            yield start if pending is None else pending
            pending, some = None, True
        elif not some and pending is None:
            pending = start
    if pending is not None:
        yield pending


def sentence_starts(text: str, positions: Iterable[int], split: Splitter) -> list[int]:
    """Where the sentences of a text without marks start; marks stood at `positions`."""
    return list(_with_words(sorted({0, *split(text), *_glued(text, positions)}), text))


def repaired_starts(stripped: Stripped, split: Splitter) -> list[int]:
    """Sentence starts in the text with marks, found in the text without them."""
    starts = sentence_starts(stripped.text, stripped.positions, split)
    return list(with_marks(starts, stripped))


def strict_starts(text: str, marks: Sequence[Mark], split: Splitter) -> list[int]:
    """Sentence starts found in the text with its marks in place."""
    return list(outside_marks(split(text), marks))

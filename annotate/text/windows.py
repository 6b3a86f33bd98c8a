"""A long text in windows of some sentences each, and those that fit a statement best.

Offsets count code points. All of it takes linear time, whatever the text is.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from annotate.text import bm25

Span = tuple[int, int]

LONG = 1_500
"""A text of more words than this is shown by its windows first."""

WINDOW = 120
"""A window ends with the sentence that brings it to so many words."""

SHOWN = 3
"""So many windows are shown for one statement."""

LONGEST = 1_000
"""Characters: a longer sentence (a table, a text without stops) is parted at white space."""

_WITHOUT_SPACES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"  # kana, Han
)
_WORD = re.compile(rf"[{_WITHOUT_SPACES}]{{1,2}}+|[^\s{_WITHOUT_SPACES}]++")
_RUN = re.compile(rf"[{_WITHOUT_SPACES}]{{2,}}+")


@dataclass(frozen=True, slots=True)
class Window:
    """Some sentences that follow each other, and how many words they have."""

    start: int
    end: int
    words: int
    sentences: tuple[Span, ...]


def length(text: str) -> int:
    """How many words a text has. In scripts without spaces two signs are taken as one."""
    return len(_WORD.findall(text))


def windows_of(text: str, sentences: Sequence[Span], most: int = WINDOW) -> list[Window]:
    """The text in windows; `sentences` say where its sentences stand. A window ends with the
    sentence that brings it to `most` words."""
    found: list[Window] = []
    own: list[Span] = []
    words = 0
    for start, end in _parts(text, sentences):
        own.append((start, end))
        words += length(text[start:end])
        if words >= most:
            found.append(Window(own[0][0], own[-1][1], words, tuple(own)))
            own, words = [], 0
    if own:
        found.append(Window(own[0][0], own[-1][1], words, tuple(own)))
    return found


def _parts(text: str, sentences: Sequence[Span]) -> Iterator[Span]:
    """The sentences, those that are too long in several parts."""
    for start, end in sentences:
        at = start
        while end - at > LONGEST:
            cut = at + LONGEST
            gap = max(text.rfind(sign, at + 1, cut) for sign in " \t\n")
            yield at, (gap if gap > at else cut)
            at = gap + 1 if gap > at else cut
        yield at, end


def best(text: str, windows: Sequence[Window], statements: Sequence[str]) -> list[tuple[int, ...]]:
    """For each statement the places of the windows that fit it best, in the order of the text;
    none where no window shares a word with it."""
    index = _indexed(tuple(_spaced(text[window.start : window.end]) for window in windows))
    found = []
    for scores in index.scores([_spaced(statement) for statement in statements]):
        fitting = sorted(
            (place for place, score in enumerate(scores) if score > 0),
            key=lambda place: -scores[place],
        )
        found.append(tuple(sorted(fitting[:SHOWN])))
    return found


@lru_cache(maxsize=16)
def _indexed(texts: tuple[str, ...]) -> bm25.Index:
    """The answers to one question often have the same passages."""
    return bm25.Index(texts)


def _spaced(text: str) -> str:
    """With every two neighbouring signs of scripts without spaces as a word, for BM25 knows words
    by what stands around them."""
    return _RUN.sub(lambda run: " ".join(_pairs(run[0])), text)


def _pairs(run: str) -> Iterator[str]:
    yield ""
    for first, second in pairwise(run):
        yield first + second
    yield ""

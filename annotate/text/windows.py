"""Windows of some sentences in a long text, and the extract that a rater sees first.

Offsets count code points. All of it takes linear time for any text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from annotate.text import bm25
from annotate.text.shown_passages import Piece, sentences, shared_words

Span = tuple[int, int]

LONG = 1_500
"""A text with more words than this is first shown as an extract."""

WINDOW = 120
"""A window ends with the sentence that reaches this number of words."""

SHOWN = 3
"""Windows that are shown for one statement."""

LONGEST = 1_000
"""Characters: a longer sentence (a table, a text without full stops) is divided at white space."""

_WITHOUT_SPACES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"  # kana, Han
)
_WORD = re.compile(rf"[{_WITHOUT_SPACES}]{{1,2}}+|[^\s{_WITHOUT_SPACES}]++")
_RUN = re.compile(rf"[{_WITHOUT_SPACES}]{{2,}}+")


@dataclass(frozen=True, slots=True)
class Window:
    """Some consecutive sentences, and their number of words."""

    start: int
    end: int
    words: int
    sentences: tuple[Span, ...]


def length(text: str) -> int:
    """Return the number of words. In scripts without spaces, two characters are one word."""
    return len(_WORD.findall(text))


def windows_of(text: str, sentences: Sequence[Span], most: int = WINDOW) -> list[Window]:
    """Divide the text into windows. `sentences` are the places of its sentences. A window ends
    with the sentence that reaches `most` words."""
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
    """Yield the sentences, with long ones divided."""
    for start, end in sentences:
        at = start
        while end - at > LONGEST:
            cut = at + LONGEST
            gap = max(text.rfind(sign, at + 1, cut) for sign in " \t\n")
            yield at, (gap if gap > at else cut)
            at = gap + 1 if gap > at else cut
        yield at, end


def best(text: str, windows: Sequence[Window], statements: Sequence[str]) -> list[tuple[int, ...]]:
    """Return for each statement the places of the best windows, in text order. The result is
    empty if no window shares a word with it."""
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
    """Index the windows. The answers to one question often have the same passages."""
    return bm25.Index(texts)


def _spaced(text: str) -> str:
    """Make each pair of neighbouring characters a word in scripts without spaces. BM25 finds
    words by the white space around them."""
    return _RUN.sub(lambda run: " ".join(_pairs(run[0])), text)


def _pairs(run: str) -> Iterator[str]:
    yield ""
    for first, second in pairwise(run):
        yield first + second
    yield ""


@dataclass(frozen=True, slots=True)
class ExtractPart:
    """A stretch of the passage, its start in percent, and the steps it is shown for."""

    start: int
    words: int
    percent: int
    sentences: tuple[Piece, ...]
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExtractNote:
    """Facts about the extract at one step."""

    step: str
    words: int
    is_beginning: bool
    """Whether the beginning is shown because no part shares a word with the judged text."""


@dataclass(frozen=True, slots=True)
class Extract:
    """The parts of one passage, for all steps that show it."""

    parts: tuple[ExtractPart, ...]
    notes: tuple[ExtractNote, ...]

    def shared(self, step: str, quoted: str, text: str) -> tuple[list[Span], list[Span]]:
        """Return the spans of words that the quoted text and the step's parts share."""
        own: set[Span] = set()
        found: list[Span] = []
        for part in self.parts:
            if step in part.steps:
                inside = text[part.start : part.sentences[-1].end]
                in_quoted, in_part = shared_words(quoted, inside)
                own.update(in_quoted)
                found += [(part.start + start, part.start + end) for start, end in in_part]
        return sorted(own), found


def extract(text: str, judged: Mapping[str, str], kept: Mapping[str, Sequence[Span]]) -> Extract:
    """Return the extract of a long passage. `judged` maps steps to the text that they judge,
    `kept` to spans that are always shown."""
    windows = _windows_in(text)
    texts = list(dict.fromkeys(judged.values()))
    fitting = dict(zip(texts, best(text, windows, texts), strict=True))
    chosen: dict[int, list[str]] = {}
    notes = []
    for step, about in judged.items():
        places = set(fitting[about] or range(min(SHOWN, len(windows))))
        places |= {at for span in kept.get(step, ()) for at in _holding(windows, span)}
        for place in places:
            chosen.setdefault(place, []).append(step)
        words = sum(windows[place].words for place in places)
        notes.append(ExtractNote(step, words, not fitting[about]))
    parts = [
        _extract_part(text, windows[place], tuple(steps)) for place, steps in sorted(chosen.items())
    ]
    return Extract(tuple(parts), tuple(notes))


@lru_cache(maxsize=16)
def _windows_in(text: str) -> tuple[Window, ...]:
    """Return a text's windows. The answers to one question often have the same passages."""
    return tuple(windows_of(text, sentences(text)))


def _holding(windows: Sequence[Window], span: Span) -> list[int]:
    """Return the windows that contain some of the span."""
    return [
        place
        for place, window in enumerate(windows)
        if window.start < span[1] and window.end > span[0]
    ]


def _extract_part(text: str, window: Window, steps: tuple[str, ...]) -> ExtractPart:
    pieces: list[Piece] = []
    reached = window.start
    for number, (start, end) in enumerate(window.sentences, 1):
        if start > reached:
            pieces.append(Piece(text[reached:start], reached, start, None, ()))
        pieces.append(Piece(text[start:end], start, end, number, ()))
        reached = end
    percent = 100 * window.start // max(1, len(text))
    return ExtractPart(window.start, window.words, percent, tuple(pieces), steps)

"""What of a long passage a rater sees first: the parts that fit what is being judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from annotate.text.shown_passages import Piece, Span, sentences, shared_words
from annotate.text.windows import SHOWN, Window, best, windows_of


@dataclass(frozen=True, slots=True)
class ExtractPart:
    """A stretch of the passage, where it begins in percent, and the steps that it is shown for."""

    start: int
    words: int
    percent: int
    sentences: tuple[Piece, ...]
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExtractNote:
    """What is said of the extract at one step."""

    step: str
    words: int
    is_beginning: bool
    """No part shares a word with what is judged, so that the beginning is shown."""


@dataclass(frozen=True, slots=True)
class Extract:
    """The parts of one passage, for all steps that have it in sight."""

    parts: tuple[ExtractPart, ...]
    notes: tuple[ExtractNote, ...]

    def shared(self, step: str, quoted: str, text: str) -> tuple[list[Span], list[Span]]:
        """Words that the quoted text and the step's parts share: spans in both texts."""
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
    """The parts of a long passage. `judged` says by the name of a step what text it is about, and
    `kept` which spans of the passage are shown whatever fits."""
    windows = _windows(text)
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
    parts = [_part(text, windows[place], tuple(steps)) for place, steps in sorted(chosen.items())]
    return Extract(tuple(parts), tuple(notes))


@lru_cache(maxsize=16)
def _windows(text: str) -> tuple[Window, ...]:
    """The answers to one question often have the same passages."""
    return tuple(windows_of(text, sentences(text)))


def _holding(windows: Sequence[Window], span: Span) -> list[int]:
    """The windows that some of the span is in."""
    return [
        place
        for place, window in enumerate(windows)
        if window.start < span[1] and window.end > span[0]
    ]


def _part(text: str, window: Window, steps: tuple[str, ...]) -> ExtractPart:
    pieces: list[Piece] = []
    reached = window.start
    for number, (start, end) in enumerate(window.sentences, 1):
        if start > reached:
            pieces.append(Piece(text[reached:start], reached, start, None, ()))
        pieces.append(Piece(text[start:end], start, end, number, ()))
        reached = end
    percent = 100 * window.start // max(1, len(text))
    return ExtractPart(window.start, window.words, percent, tuple(pieces), steps)

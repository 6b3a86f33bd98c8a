"""Words and punctuation signs, the unit in which the position of a mark is counted."""

import re
import unicodedata
from bisect import bisect_left

from annotate.text.scripts import OTHER_LETTERS, is_unspaced

_WORD = re.compile(
    r"(?:[^\W\d_]\.){2,}+"  # U.S., e.g.
    r"|\w++(?:[-'’\u2010\u2011]\w++|(?<=\d)[.,](?=\d)\w++)*+"  # don't, well-known, 3,610.5
    r"|[^\w\s]"
)


_LETTER_OR_WIDE = re.compile(
    r"[^\W\d_]|(?P<wide>[\u3000-\u3004\u3008-\u301f\uff01-\uff0f\uff1a-\uff20])"
)
_WIDE_AMONG_LATIN = re.compile("[\uff01-\uff20]")


def word_starts(text: str) -> list[int]:
    """Where each word and each punctuation sign of `text` starts.

    Words keep inner apostrophes and hyphens, figures their inner full stops and commas, and
    dotted abbreviations their full stops; every other sign counts as one.
    """
    return [word.start() for word in _WORD.finditer(text)]


_LONGEST_KNOWN = 40
_MOST_KNOWN = 50_000


class _Known(dict[str, int]):
    """How many words and signs stand in what white space parts; short ones are remembered, of which
    a language has few that are frequent."""

    def __missing__(self, part: str) -> int:
        count = len(_WORD.findall(part))
        if len(part) <= _LONGEST_KNOWN and len(self) < _MOST_KNOWN:
            self[part] = count
        return count


_count_of = _Known().__getitem__


class WordsBySign:
    """The words of a text as `words_by_sign` has them: how many there are, and how many before
    places, which are asked from left to right. No word reaches over white space, so that few have
    to be looked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] | None = None
        if not text.isascii() and OTHER_LETTERS.search(text):
            self._starts = words_by_sign(text)
            self.count = len(self._starts)
        else:
            self.count = sum(map(_count_of, text.split()))
        self._part, self._passed = (0, -1), 0
        self._within: list[int] = []

    def before(self, place: int) -> int:
        """How many start before this place."""
        if self._starts is not None:
            return bisect_left(self._starts, place)
        if place > self._part[1]:
            self._go_to(place)
        start, _ = self._part
        return self._passed + bisect_left(self._within, place - start)

    def _go_to(self, place: int) -> None:
        """Read on to what spaces part there."""
        text, reached = self._text, self._part[0]
        start = max(reached, text.rfind(" ", reached, place) + 1)
        self._passed += sum(map(_count_of, text[reached:start].split()))
        end = text.find(" ", start)
        self._part = start, len(text) if end < 0 else end
        self._within = word_starts(text[start : self._part[1]])


def words_by_sign(text: str) -> list[int]:
    """As `word_starts`, but in scripts without spaces each sign counts as a word."""
    starts = word_starts(text)
    if text.isascii() or not OTHER_LETTERS.search(text):
        return starts
    found = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        found.append(start)
        if is_unspaced(text[start]) or any(map(is_unspaced, text[start:end])):
            found += [
                place
                for place in range(start + 1, end)
                if is_unspaced(text[place]) or is_unspaced(text[place - 1])
            ]
    return [place for place in found if not text[place].isspace()]


def count_words(text: str) -> int:
    """How many words a text has: what white space parts, and each sign of scripts without it."""
    if text.isascii() or not (OTHER_LETTERS.search(text) or _WIDE_AMONG_LATIN.search(text)):
        return len(text.split())
    return len(_LETTER_OR_WIDE.sub(_parted, text).split())


def _parted(sign: re.Match[str]) -> str:
    if sign["wide"]:
        return " "
    return f" {sign[0]} " if is_unspaced(sign[0]) else sign[0]


def content_end(text: str) -> int:
    """The end of `text` without its closing punctuation and white space."""
    for index in range(len(text) - 1, -1, -1):
        sign = text[index]
        if not sign.isspace() and not unicodedata.category(sign).startswith("P"):
            return index + 1
    return 0

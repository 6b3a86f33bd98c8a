"""Words and punctuation characters, the unit of a mark's position."""

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
    """Return where each word and each punctuation character of `text` starts.

    Words keep inner apostrophes and hyphens, numbers their inner full stops and commas, and dotted
    abbreviations their full stops. Every other character counts as one.
    """
    return [word.start() for word in _WORD.finditer(text)]


_LONGEST_KNOWN = 40
_MOST_KNOWN = 50_000


class _Known(dict[str, int]):
    """Numbers of words and characters between white space. Short ones are cached."""

    def __missing__(self, part: str) -> int:
        count = len(_WORD.findall(part))
        if len(part) <= _LONGEST_KNOWN and len(self) < _MOST_KNOWN:
            self[part] = count
        return count


_count_of = _Known().__getitem__


class WordsBySign:
    """The words of `words_by_sign`: their number, and how many precede ascending places. No
    word contains white space, so only a few have to be found."""

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
        """Return how many words start before this place."""
        if self._starts is not None:
            return bisect_left(self._starts, place)
        if place > self._part[1]:
            self._go_to(place)
        start, _ = self._part
        return self._passed + bisect_left(self._within, place - start)

    def _go_to(self, place: int) -> None:
        """Read on to the text between spaces that contains this place."""
        text, reached = self._text, self._part[0]
        start = max(reached, text.rfind(" ", reached, place) + 1)
        self._passed += sum(map(_count_of, text[reached:start].split()))
        end = text.find(" ", start)
        self._part = start, len(text) if end < 0 else end
        self._within = word_starts(text[start : self._part[1]])


def words_by_sign(text: str) -> list[int]:
    """Return `word_starts`, with one word per character in scripts without spaces."""
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
    """Return the number of words. In scripts without spaces, each character counts."""
    if text.isascii() or not (OTHER_LETTERS.search(text) or _WIDE_AMONG_LATIN.search(text)):
        return len(text.split())
    return len(_LETTER_OR_WIDE.sub(_parted, text).split())


def _parted(sign: re.Match[str]) -> str:
    if sign["wide"]:
        return " "
    return f" {sign[0]} " if is_unspaced(sign[0]) else sign[0]


def content_end(text: str) -> int:
    """Return the end of `text` without closing punctuation and white space."""
    for index in range(len(text) - 1, -1, -1):
        sign = text[index]
        if not sign.isspace() and not unicodedata.category(sign).startswith("P"):
            return index + 1
    return 0

"""A passage next to the statement that cites it: its sentences, and the shared words.

Offsets count code points. Everything here takes linear time for any text.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotate.text import DEFAULT_SPLITTER, SPLITTERS

Span = tuple[int, int]

_WORD = re.compile(
    r"(?P<number>\d{1,3}(?:,\d{3}){1,9}+(?:\.\d++)?+(?!\w|,\d)|\d++(?:\.\d++)?+(?!\w))"
    r"|(?:[^\W_][\u0300-\u036f]*+)++(?:['’](?:[^\W_][\u0300-\u036f]*+)++)*+"
)
_SIBILANT = ("s", "x", "z", "ch", "sh", "o")
_VOWELS = frozenset("aeiouyäöüáéíóúàèìòùâêîôû")
_SHORTEST = 3


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


FUNCTION_WORDS = _listed(
    """
    a about above across after again against all along also although am among an and any are as at
    be because been before being below between both but by can could did do does doing down during
    each either else ever for from further had has have having he hence her here hers herself him
    himself his how however i if in into is it its itself just may me might more most much must my
    myself neither nor now of off on once one only onto or other our ours ourselves out over own per
    rather same shall she should since so some such than that the their theirs them themselves then
    there these they this those though through thus to too toward towards under until up upon us
    very via was we were what when where whether which while who whom whose why will with within
    would yet you your yours yourself
    """
)
"""Words that texts share without saying the same. `not`, `no` and `never` are missing: they negate
a sentence, so it matters that both texts have them."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch within a sentence, marked or not."""

    text: str
    start: int
    end: int
    shared: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence with its number, or the white space between sentences without one."""

    text: str
    start: int
    end: int
    sentence: int | None
    runs: tuple[Stretch, ...]


def sentences(text: str) -> list[Span]:
    """Return the places of sentences. Only white space is outside of them."""
    starts = SPLITTERS[DEFAULT_SPLITTER](text)
    found = []
    for start, end in pairwise([*starts, len(text)]):
        inner = text[start:end]
        first = start + len(inner) - len(inner.lstrip())
        last = start + len(inner.rstrip())
        if first < last:
            found.append((first, last))
    return found


def pieces(text: str, marks: Sequence[Span]) -> list[Piece]:
    """Return the whole text in pieces, with `marks` (spans of it) as shared runs."""
    merged = _merged(marks, len(text))
    found: list[Piece] = []
    reached = 0
    at = 0
    for number, (start, end) in enumerate(sentences(text), 1):
        if start > reached:
            found.append(_space(text, reached, start))
        while at < len(merged) and merged[at][1] <= start:
            at += 1
        inside = at
        runs: list[Stretch] = []
        cursor = start
        while inside < len(merged) and merged[inside][0] < end:
            mark_start, mark_end = max(merged[inside][0], start), min(merged[inside][1], end)
            if mark_start > cursor:
                runs.append(Stretch(text[cursor:mark_start], cursor, mark_start, shared=False))
            runs.append(Stretch(text[mark_start:mark_end], mark_start, mark_end, shared=True))
            cursor = mark_end
            inside += 1
        if cursor < end:
            runs.append(Stretch(text[cursor:end], cursor, end, shared=False))
        at = max(at, inside - 1)  # the last mark may extend into the next sentence
        found.append(Piece(text[start:end], start, end, number, tuple(runs)))
        reached = end
    if reached < len(text):
        found.append(_space(text, reached, len(text)))
    return found


def stretches(text: str, marks: Sequence[Span]) -> list[Stretch]:
    """Return the whole text in stretches; the marked ones are shared."""
    found: list[Stretch] = []
    reached = 0
    for start, end in [*_merged(marks, len(text)), (len(text), len(text))]:
        if start > reached:
            found.append(Stretch(text[reached:start], reached, start, shared=False))
        if end > start:
            found.append(Stretch(text[start:end], start, end, shared=True))
        reached = end
    return found


def _space(text: str, start: int, end: int) -> Piece:
    return Piece(text[start:end], start, end, None, (Stretch(text[start:end], start, end, False),))


def _merged(marks: Sequence[Span], length: int) -> list[Span]:
    """Return the marks in order, cut to the text, with overlapping ones merged."""
    found: list[Span] = []
    for start, end in sorted((max(0, a), min(b, length)) for a, b in marks):
        if start >= end:
            continue
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def shared_words(statement: str, passage: str) -> tuple[list[Span], list[Span]]:
    """Return the spans of the words that both texts share.

    Case does not matter. `report`, `reports`, `reported` and `reporting` are equal. Numbers must be
    equal, and 1,000 is 1000. Function words do not count.
    """
    first, second = list(_words(statement)), list(_words(passage))
    in_first = {form for _, forms in first for form in forms}
    in_second = {form for _, forms in second for form in forms}
    return (
        [span for span, forms in first if not in_second.isdisjoint(forms)],
        [span for span, forms in second if not in_first.isdisjoint(forms)],
    )


def _words(text: str) -> Iterator[tuple[Span, frozenset[str]]]:
    """Yield each word that counts, with its possible base forms."""
    for found in _WORD.finditer(text):
        if found["number"]:
            yield found.span(), frozenset({found[0].replace(",", "")})
            continue
        word = unicodedata.normalize("NFKC", found[0]).casefold().replace("’", "'")
        word = word.removesuffix("'s")
        if len(word) > 1 and word not in FUNCTION_WORDS:
            yield found.span(), _forms(word)


def _forms(word: str) -> frozenset[str]:
    """Return the word and its possible base forms. Without a dictionary, `cared` may come from
    `care` or `car`, so both are included. Two words are equal if they share a form."""
    found = {word}
    if word.endswith("ies") and len(word) > _SHORTEST + 1:
        found.add(word[:-3] + "y")
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        _add(found, word[:-1])
        if word.endswith("es") and word[:-2].endswith(_SIBILANT):
            _add(found, word[:-2])
    elif word.endswith("ied") and len(word) > _SHORTEST + 1:
        found.add(word[:-3] + "y")
    elif word.endswith("ed") and not word.endswith("eed"):
        _add_stem(found, word[:-2])
    elif word.endswith("ing"):
        _add_stem(found, word[:-3])
    return frozenset(found)


def _add(found: set[str], base: str) -> None:
    if len(base) >= _SHORTEST and not base[-1].isdigit():
        found.add(base)


def _add_stem(found: set[str], stem: str) -> None:
    """Add the stem of -ed or -ing: unchanged, with e (`using`), one letter less (`stopped`)."""
    if len(stem) < 2 or _VOWELS.isdisjoint(stem):
        return
    _add(found, stem)
    found.add(stem + "e")
    if stem[-1] == stem[-2]:
        _add(found, stem[:-1])

"""Claims made from a statement's words: the words to choose from, and the claim's text.

Places count code points of the statement's text, which has no marks.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from annotate.text.scripts import is_unspaced

Place = tuple[int, int]

_CHUNK = re.compile(r"\S+")
_WORD_SIGN = re.compile(r"\w")
_OTHER_SIGNS = re.compile(r"\W")
_DANGLING = " ,;:，、；："


def words_of(text: str) -> list[Place]:
    """Return the words to choose from: by white space, or each character of other scripts. A
    character that is not part of a word belongs to the word before it."""
    found: list[Place] = []
    for chunk in _CHUNK.finditer(text):
        inside = range(chunk.start() + 1, chunk.end())
        cuts = [place for place in inside if _starts_word(text, place)]
        for start, end in pairwise([chunk.start(), *cuts, chunk.end()]):
            if found and not _WORD_SIGN.search(text, start, end):
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
    return found


def _starts_word(text: str, place: int) -> bool:
    """Return whether a word begins here without white space."""
    sign = text[place]
    return bool(_WORD_SIGN.match(sign)) and (is_unspaced(sign) or is_unspaced(text[place - 1]))


def runs_of(text: str, chosen: Iterable[Place]) -> list[Place]:
    """Return the words within the chosen places; adjoining words are one run."""
    places = list(chosen)
    found: list[Place] = []
    follows = False
    for start, end in words_of(text):
        taken = any(first <= start and end <= last for first, last in places)
        if taken and follows:
            found[-1] = (found[-1][0], end)
        elif taken:
            found.append((start, end))
        follows = taken
    return found


def text_of(text: str, runs: Sequence[Place]) -> str:
    """Return the text of the runs in order, without a final comma."""
    joined = ""
    for start, end in runs:
        apart = joined and not (is_unspaced(joined[-1]) and is_unspaced(text[start]))
        joined += (" " if apart else "") + text[start:end]
    return " ".join(joined.split()).rstrip(_DANGLING)


def runs_saying(text: str, claim: str, *, folded: bool = False) -> list[Place]:
    """Return the words of a statement that a parsed claim consists of; empty if some miss.

    Words are matched from the end, where the claim's mark is. A parser removes punctuation and may
    split a word. `folded` ignores case.
    """
    fold = str.casefold if folded else str
    words = (fold(_letters(claim[start:end])) for start, end in words_of(claim))
    wanted = [word for word in words if word]
    chosen: list[Place] = []
    for start, end in reversed(words_of(text)):
        word, joined, at = fold(_letters(text[start:end])), "", len(wanted)
        while at and len(joined) < len(word):
            at -= 1
            joined = wanted[at] + joined
        if word and joined == word:
            chosen.append((start, end))
            del wanted[at:]
    return [] if wanted else runs_of(text, chosen)


def compared_words(text: str) -> list[str]:
    """Return a claim's words for comparison: in lower case, without punctuation."""
    found = (_letters(text[start:end]).casefold() for start, end in words_of(text))
    return [word for word in found if word]


def _letters(word: str) -> str:
    return _OTHER_SIGNS.sub("", word)


def places_in(text: str) -> list[Place]:
    """Parse places such as `0-4 12-20`; raise ValueError if they are malformed."""
    found = []
    for part in text.split():
        first, _, last = part.partition("-")
        if not (first.isdecimal() and last.isdecimal() and len(part) < 20):
            raise ValueError(part)
        found.append((int(first), int(last)))
    return found


def written(places: Iterable[Sequence[int]]) -> str:
    """Return places as text: `0-4 12-20`."""
    return " ".join(f"{start}-{end}" for start, end in places)

"""Claims made of a statement's words: which there are to choose from, what the chosen ones say.

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
    """What can be chosen: what white space parts, and each sign of scripts without it. A sign that
    is no part of a word goes with the word before."""
    found: list[Place] = []
    for chunk in _CHUNK.finditer(text):
        cuts = [place for place in range(chunk.start() + 1, chunk.end()) if _parts(text, place)]
        for start, end in pairwise([chunk.start(), *cuts, chunk.end()]):
            if found and not _WORD_SIGN.search(text, start, end):
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
    return found


def _parts(text: str, place: int) -> bool:
    """Whether a word begins here though no white space says so."""
    sign = text[place]
    return bool(_WORD_SIGN.match(sign)) and (is_unspaced(sign) or is_unspaced(text[place - 1]))


def runs_of(text: str, chosen: Iterable[Place]) -> list[Place]:
    """The words that lie within the chosen places, those that follow one another as one."""
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
    """What the runs say, in their order; a comma at the end goes."""
    said = ""
    for start, end in runs:
        apart = said and not (is_unspaced(said[-1]) and is_unspaced(text[start]))
        said += (" " if apart else "") + text[start:end]
    return " ".join(said.split()).rstrip(_DANGLING)


def runs_saying(text: str, claim: str, *, folded: bool = False) -> list[Place]:
    """The words of a statement that a parser's claim is made of, found from the end, where its mark
    stands; none where they are not all there. A parser takes signs out and may part a word.
    `folded`: whatever is written large or small."""
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
    """The words of a claim as two claims are compared: in small letters, without signs."""
    found = (_letters(text[start:end]).casefold() for start, end in words_of(text))
    return [word for word in found if word]


def _letters(word: str) -> str:
    return _OTHER_SIGNS.sub("", word)


def places_in(text: str) -> list[Place]:
    """Places as they are written, `0-4 12-20`; a ValueError where they are not."""
    found = []
    for part in text.split():
        first, _, last = part.partition("-")
        if not (first.isdecimal() and last.isdecimal() and len(part) < 20):
            raise ValueError(part)
        found.append((int(first), int(last)))
    return found


def written(places: Iterable[Sequence[int]]) -> str:
    """Places as they are written: `0-4 12-20`."""
    return " ".join(f"{start}-{end}" for start, end in places)

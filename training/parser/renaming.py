"""Other words for proper names, so that the parser trusts a name's shape and not the word."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random

from training.parser.conllu import TreebankSentence
from training.parser.gold import Gold

PROPER = ("NNP", "NNPS")
SHARE_OF_WORDS = 0.5
"""How many words of names are replaced in a sentence that is renamed."""
SHARE_FROM_NAMES = 0.4
SHARE_FROM_OTHERS = 0.4

SHORTEST, LONGEST = 2, 12

_TITLE_WORDS = (
    "As The Of On In It Her His Us Up Over Out Who What Where Then There Not No One Two All This "
    "That And Or But To For With From By At Like Can May Will Be Is Are Go Get Make Now Never "
    "After Before Under"
)
IN_TITLES = tuple(_TITLE_WORDS.split())
"""Small words that titles are made of (`It`, `Up`, `Now You See Me`)."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The words to choose from, each with a capital."""

    names: tuple[str, ...]
    others: tuple[str, ...]


def pool_of(sentences: Iterable[TreebankSentence]) -> Pool:
    """The words of names in a treebank, and all its other words."""
    names: set[str] = set()
    others: set[str] = set()
    for sentence in sentences:
        for word in sentence.words:
            form = word.form
            if form.isalpha() and form.isascii() and SHORTEST <= len(form) <= LONGEST:
                (names if word.xpos in PROPER else others).add(form.title())
    return Pool(tuple(sorted(names)), tuple(sorted(others)))


def renamed(gold: Gold, pool: Pool, rnd: Random) -> Gold:
    words = list(gold.words)
    for place, (word, tag) in enumerate(zip(gold.words, gold.tags, strict=True)):
        named = tag in PROPER and len(word) > 1 and word.isalpha() and word[0].isupper()
        if named and rnd.random() < SHARE_OF_WORDS:
            words[place] = rnd.choice(_kind(pool, rnd.random()))
    return replace(gold, words=tuple(words))


def _kind(pool: Pool, share: float) -> tuple[str, ...]:
    if share < SHARE_FROM_NAMES and pool.names:
        return pool.names
    if share < SHARE_FROM_NAMES + SHARE_FROM_OTHERS and pool.others:
        return pool.others
    return IN_TITLES

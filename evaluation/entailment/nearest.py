"""Of a premise's windows, those that hold most of what a hypothesis says, word for word."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from evaluation.entailment.words import FUNCTION_WORDS, WORD, folded, rarity, stem


def wanted(hypothesis: str) -> dict[str, float]:
    """The roots of what it says, with how rare they are."""
    return {root: weight for root, weight in _weights(hypothesis).items() if weight}


def held(text: str, words: Mapping[str, float]) -> float:
    """How much of these words stands in a text, by how rare they are."""
    return sum(words[root] for root in _weights(text).keys() & words.keys())


def nearest(parts: Sequence[str], hypothesis: str, most: int) -> list[str]:
    """At most so many parts: what holds most first, and of parts that hold as much the earlier."""
    words = wanted(hypothesis)
    return sorted(parts, key=lambda part: -held(part, words))[:most]


@lru_cache(4_096)
def _weights(text: str) -> dict[str, float]:
    found = (folded(word) for word in WORD.findall(text))
    return {stem(word): rarity(word) for word in found if word not in FUNCTION_WORDS}

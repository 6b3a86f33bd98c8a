"""How much of what a hypothesis says stands in the premise, word for word.

An honest rule of thumb that needs no model: good where a citation either holds the statement's
words or is about something else; blind to contradiction said in the same words.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from evaluation.entailment.premises import sentences
from evaluation.entailment.scorer import Pair, fingerprint_of
from evaluation.entailment.words import FUNCTION_WORDS, NEGATIONS, WORD, folded, rarity, stem

VERSION = 1

SPAN = 3
"""Sentences that are read together when the premise's nearest place is looked for."""


class Evidence(NamedTuple):
    """What is compared; every part lies between 0 and 1."""

    covered: float
    """Share of the content words found, weighed by rarity: the mean of the whole premise's and
    of that of its best three neighbouring sentences."""
    phrases: float
    """Share of the pairs of neighbouring content words that are neighbours in the premise."""
    numbers: float
    """Share of the numbers that are missing."""
    names: float
    """Share of the names that are missing."""
    negation: float
    """1 where only one of the hypothesis and the premise's nearest sentence denies something."""


# Fitted by fit_coverage.py.
WEIGHTS = Evidence(covered=1.84, phrases=0.36, numbers=-0.94, names=-0.28, negation=-0.52)
BIAS = -0.88


class _Premise(NamedTuple):
    stems: frozenset[str]
    phrases: frozenset[tuple[str, str]]
    sentences: tuple[frozenset[str], ...]
    denies: tuple[bool, ...]


class Coverage:
    """Evidence added up with fitted weights and pressed between 0 and 1."""

    threshold = 0.5

    @property
    def fingerprint(self) -> str:
        """It has no setting; its version changes with its words and weights."""
        return fingerprint_of([("coverage", VERSION)])

    def probabilities(self, pairs: Sequence[Pair]) -> list[float]:
        """A score for each pair, in their order."""
        return [_score(evidence(premise, hypothesis)) for premise, hypothesis in pairs]


def _score(found: Evidence) -> float:
    total = BIAS + sum(weight * value for weight, value in zip(WEIGHTS, found, strict=True))
    return 1 / (1 + math.exp(-total))


def evidence(premise: str, hypothesis: str) -> Evidence:
    """What can be said of a pair without understanding it."""
    there = _premise(premise)
    words = _words(hypothesis)
    content = [(folded(word), stem(folded(word))) for word in words]
    content = [both for both in content if both[0] not in FUNCTION_WORDS | NEGATIONS] or content
    weights: dict[str, float] = {}
    for word, root in content:
        weights[root] = max(weights.get(root, 0.0), rarity(word))
    total = sum(weights.values())
    if not total:
        return Evidence(*[0.0] * len(Evidence._fields))
    covered = sum(weight for root, weight in weights.items() if root in there.stems) / total
    gains = [sum(weights[root] for root in one & weights.keys()) for one in there.sentences]
    near = 0.0
    for first in range(max(1, len(there.sentences) - SPAN + 1)):
        joint = frozenset[str]().union(*there.sentences[first : first + SPAN])
        near = max(near, sum(weights[root] for root in joint & weights.keys()) / total)
    denies = _denies(words)
    nearest = max(range(len(gains)), key=gains.__getitem__, default=None)
    opposed = nearest is not None and denies != there.denies[nearest]
    phrases = list(pairwise(root for _, root in content))
    numbers = {root for _, root in content if root[0].isdigit()}
    names = {
        stem(folded(word))
        for before, word in pairwise(words)
        if word[0].isupper() and before and folded(word) not in FUNCTION_WORDS
    }
    return Evidence(
        covered=(covered + near) / 2,
        phrases=_share(phrases, there.phrases, nothing=covered),
        numbers=1 - _share(numbers, there.stems, nothing=1.0),
        names=1 - _share(names, there.stems, nothing=1.0),
        negation=float(opposed),
    )


def _share(
    wanted: Sequence[object] | set[str],
    there: frozenset[str] | frozenset[tuple[str, str]],
    *,
    nothing: float,
) -> float:
    return sum(one in there for one in wanted) / len(wanted) if wanted else nothing


def _words(text: str) -> list[str]:
    return WORD.findall(text)


def _denies(words: Sequence[str]) -> bool:
    small = [folded(word) for word in words]
    return any(word in NEGATIONS or word.endswith(("n't", "n’t")) for word in small)


@lru_cache(1024)
def _premise(text: str) -> _Premise:
    """A premise taken apart; kept, since many hypotheses meet the same one."""
    divided = [_words(text[start:end]) for start, end in sentences(text)]
    rooted = [[(folded(word), stem(folded(word))) for word in words] for words in divided]
    content = [[root for word, root in words if word not in FUNCTION_WORDS] for words in rooted]
    return _Premise(
        stems=frozenset(root for words in rooted for _, root in words),
        phrases=frozenset(pair for words in content for pair in pairwise(words)),
        sentences=tuple(frozenset(root for _, root in words) for words in rooted),
        denies=tuple(_denies(words) for words in divided),
    )

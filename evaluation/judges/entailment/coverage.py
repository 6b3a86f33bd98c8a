"""How much of a hypothesis the premise contains, word for word.

A heuristic without a model. It works if a citation either has the statement's words or another
topic, and cannot see contradiction in the same words.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from evaluation.judges.entailment.rows import sentences
from evaluation.judges.entailment.scorer import Pair, fingerprint_of
from evaluation.judges.entailment.words import (
    FEWEST_LETTERS,
    FUNCTION_WORDS,
    WORD,
    abbreviations,
    denied,
    folded,
    is_negation,
    names,
    numbers,
    rarity,
    stem,
)

VERSION = 2

SPAN = 3
"""Sentences read together to find the premise's nearest place."""

SHORT = 6
"""With more content words than this, one missing name weighs less."""


class Features(NamedTuple):
    """The compared features, each between 0 and 1."""

    covered: float
    """Share of the content words found, weighted by rarity: the mean of the whole premise's
    share and of that of its best three neighbouring sentences."""
    phrases: float
    """Share of the pairs of neighbouring content words that are neighbours in the premise."""
    numbers: float
    """1 if a number is missing."""
    names: float
    """1 if a name is missing; in a statement of n > 6 content words, 6/n."""
    negation: float
    """1 if the hypothesis denies a word that the premise, or its nearest sentence, has and
    does not deny; or the nearest sentence denies one that the hypothesis has and the premise never
    affirms."""


# Fitted as described in docs/entailment.md.
WEIGHTS = Features(covered=1.36, phrases=0.63, numbers=-1.2, names=-1.2, negation=-1.5)
BIAS = -0.76


class _Sentence(NamedTuple):
    stems: frozenset[str]
    denied: frozenset[str]


class _Premise(NamedTuple):
    stems: frozenset[str]
    denied: frozenset[str]
    affirmed: frozenset[str]
    beginnings: frozenset[str]
    abbreviations: frozenset[str]
    phrases: frozenset[tuple[str, str]]
    sentences: tuple[_Sentence, ...]

    def names(self, root: str, word: str) -> bool:
        """Return whether it has a name, a form of it, or its long form."""
        return (
            root in self.stems
            or (len(root) >= FEWEST_LETTERS and root[:FEWEST_LETTERS] in self.beginnings)
            or (word[:2].isupper() and folded(word).rstrip("s") in self.abbreviations)
        )


class Coverage:
    """A logistic score of the features, with fitted weights. Scores are between 0.01 (`BIAS`
    with all penalties) and 0.77. A hypothesis without a word has 0."""

    threshold = 0.5

    @property
    def fingerprint(self) -> str:
        """Name the version, which changes with words and weights."""
        return fingerprint_of([("coverage", VERSION)])

    def probabilities(self, pairs: Sequence[Pair]) -> list[float]:
        return [_score(premise, hypothesis) for premise, hypothesis in pairs]


def _score(premise: str, hypothesis: str) -> float:
    if not WORD.search(hypothesis):
        return 0.0
    features = evidence(premise, hypothesis)
    total = BIAS + sum(weight * value for weight, value in zip(WEIGHTS, features, strict=True))
    return 1 / (1 + math.exp(-total))


def evidence(premise: str, hypothesis: str) -> Features:
    """Return the features of a pair; zeros without words."""
    premise_words = _premise(premise)
    words = _words(hypothesis)
    every = [(folded(word), stem(folded(word))) for word in words]
    named = names(words)
    content = [both for both in every if _has_content(both[0]) or both[1] in named] or every
    weights: dict[str, float] = {}
    for word, root in content:
        weights[root] = max(weights.get(root, 0.0), rarity(word))
    total = sum(weights.values())
    if not total:
        return Features(*[0.0] * len(Features._fields))
    covered = sum(weight for root, weight in weights.items() if root in premise_words.stems) / total
    near = 0.0
    for first in range(max(1, len(premise_words.sentences) - SPAN + 1)):
        joint = frozenset[str]().union(
            *(s.stems for s in premise_words.sentences[first : first + SPAN])
        )
        near = max(near, sum(weights[root] for root in joint & weights.keys()) / total)
    phrases = list(pairwise(root for _, root in content))
    unnamed = any(not premise_words.names(root, word) for root, word in named.items())
    return Features(
        covered=(covered + near) / 2,
        phrases=sum(one in premise_words.phrases for one in phrases) / len(phrases)
        if phrases
        else covered,
        numbers=float(not numbers(words) <= premise_words.stems),
        names=min(1.0, SHORT / len(weights)) if unnamed else 0.0,
        negation=float(_opposed(premise_words, weights, denied(words))),
    )


def _opposed(premise: _Premise, weights: dict[str, float], denied_here: set[str]) -> bool:
    """Return whether only one of the two denies something that both mention."""
    if (denied_here & premise.stems) - premise.denied:
        return True
    if not premise.sentences:
        return False
    gains = [sum(weights[r] for r in one.stems & weights.keys()) for one in premise.sentences]
    nearest = premise.sentences[max(range(len(gains)), key=gains.__getitem__)]
    if (denied_here & nearest.stems) - nearest.denied:
        return True
    return bool((nearest.denied & weights.keys()) - denied_here - premise.affirmed)


def _words(text: str) -> list[str]:
    return WORD.findall(text)


def _has_content(word: str) -> bool:
    return word not in FUNCTION_WORDS and not is_negation(word)


@lru_cache(1024)
def _premise(text: str) -> _Premise:
    """Analyse a premise; cached, since many hypotheses share one."""
    divided = [_words(text[start:end]) for start, end in sentences(text)]
    rooted = [[(folded(word), stem(folded(word))) for word in words] for words in divided]
    content = [[root for word, root in words if _has_content(word)] for words in rooted]
    parts = tuple(
        _Sentence(frozenset(root for _, root in roots), frozenset(denied(words)))
        for roots, words in zip(rooted, divided, strict=True)
    )
    stems = frozenset[str]().union(*(part.stems for part in parts))
    return _Premise(
        stems=stems,
        denied=frozenset[str]().union(*(part.denied for part in parts)),
        affirmed=frozenset[str]().union(*(part.stems - part.denied for part in parts)),
        beginnings=frozenset(
            root[:FEWEST_LETTERS] for root in stems if len(root) >= FEWEST_LETTERS
        ),
        abbreviations=frozenset(one for words in divided for one in abbreviations(words)),
        phrases=frozenset(pair for words in content for pair in pairwise(words)),
        sentences=parts,
    )

"""Comparison of short answers, as in SQuAD, NQ-open, ASQA and QAMPARI."""

import re
import string
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """Return a text in lower case, without ASCII punctuation and articles, single-spaced."""
    bare = text.lower().translate(_WITHOUT_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def exact_match(answer: str, aliases: Sequence[str]) -> float:
    """Return 1 if the answer is one of the aliases, normalised."""
    own = normalised(answer)
    return float(any(own == normalised(alias) for alias in aliases))


def token_f1(answer: str, aliases: Sequence[str]) -> float:
    """Return the best F1 of the tokens that answer and alias share."""
    own = normalised(answer).split()
    return max((shared_f1(own, normalised(alias).split()) for alias in aliases), default=0.0)


def shared_f1(own: list[str], other: list[str]) -> float:
    """Return 2PR / (P + R) of the tokens that two texts share; two empty texts are equal."""
    if not own or not other:
        return float(own == other)
    shared = sum((Counter(own) & Counter(other)).values())
    return harmonic(shared / len(own), shared / len(other))


def present(aliases: Sequence[str], output: str) -> bool:
    """Return whether a normalised output contains an alias."""
    return any(normalised(alias) in output for alias in aliases)


def harmonic(first: float, second: float) -> float:
    """Return the harmonic mean of two numbers from 0 on; 0 if both are 0."""
    return 2 * first * second / (first + second) if first + second else 0.0


def listed(output: str) -> list[str]:
    """Return the normalised entities of a list answer that have a letter or digit."""
    body = output.rstrip().rstrip(".").rstrip(",")
    return [entity for part in body.split(",") if (entity := normalised(part))]


def qampari(output: str, answers: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return the five figures of QAMPARI by metric.

    Precision: the share of listed entities that are an alias of some answer. Recall: the share of
    answers one of whose aliases is listed. Recall-5 counts five answers as all of them.
    """
    entities = listed(output)
    known = [{normalised(alias) for alias in aliases} for aliases in answers]
    every = set().union(*known)
    right = sum(entity in every for entity in entities)
    there = set(entities)
    hits = sum(not there.isdisjoint(aliases) for aliases in known)
    precision = right / len(entities) if entities else 0.0
    recall = hits / len(known)
    recall_5 = min(5, hits) / min(5, len(known))
    return {
        "qampari_precision": precision,
        "qampari_recall": recall,
        "qampari_recall_5": recall_5,
        "qampari_f1": harmonic(precision, recall),
        "qampari_f1_5": harmonic(precision, recall_5),
    }


_TOKEN = re.compile(r"[a-z0-9]+")
SHORTEST_STEMMED = 4


@cache
def _stemmer() -> Any:
    """Return Porter's stemmer with NLTK's extensions, which needs no data."""
    return import_module("nltk.stem.porter").PorterStemmer()


@lru_cache(maxsize=100_000)
def _stem(token: str) -> str:
    return token if len(token) < SHORTEST_STEMMED else str(_stemmer().stem(token))


def tokens(sentence: str) -> list[str]:
    """Return runs of a-z and 0-9 in lower case; those of four characters or more are stemmed."""
    return [_stem(token) for token in _TOKEN.findall(sentence.lower())]


def rouge_lsum(output: Sequence[str], reference: Sequence[str]) -> float:
    """Return F1 (0 to 1) of two texts, each given as its sentences.

    For each sentence of the reference, its common subsequences with all sentences of the output are
    united. No token counts more often than it occurs in either text.
    """
    own = [tokens(sentence) for sentence in output]
    other = [tokens(sentence) for sentence in reference]
    own_size, other_size = (sum(len(sentence) for sentence in text) for text in (own, other))
    if not own_size or not other_size:
        return 0.0
    left = Counter(token for sentence in own for token in sentence)
    hits = 0
    for sentence in other:
        common = set().union(*(_common(sentence, candidate) for candidate in own))
        for place in sorted(common):
            if left[sentence[place]] > 0:
                left[sentence[place]] -= 1
                hits += 1
    return harmonic(hits / own_size, hits / other_size)


def _common(sentence: list[str], candidate: list[str]) -> set[int]:
    """Return the places in `sentence` of a longest common subsequence. Of several, it is the
    last one found when walking back prefers to shorten `sentence`."""
    width = len(candidate)
    rows = [[0] * (width + 1)]
    for token in sentence:
        above, row = rows[-1], [0]
        for column, other in enumerate(candidate):
            if token == other:
                row.append(above[column] + 1)
            else:
                row.append(max(above[column + 1], row[column]))
        rows.append(row)
    places = set()
    i, j = len(sentence), width
    while i and j:
        if sentence[i - 1] == candidate[j - 1]:
            i, j = i - 1, j - 1
            places.add(i)
        elif rows[i][j - 1] > rows[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return places

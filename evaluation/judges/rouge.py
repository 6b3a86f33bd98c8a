"""ROUGE-Lsum with stemming: F1 of the summary-level longest common subsequence.

Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, section 3.2. Tokens and
stems are those of the Python package rouge-score 0.1.2, against which the tests compare.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from evaluation.judges.short_answers import harmonic

_TOKEN = re.compile(r"[a-z0-9]+")
SHORTEST_STEMMED = 4


@cache
def _stemmer() -> Any:
    """Porter's, with NLTK's extensions; needs no data."""
    return import_module("nltk.stem.porter").PorterStemmer()


@lru_cache(maxsize=100_000)
def _stem(token: str) -> str:
    return token if len(token) < SHORTEST_STEMMED else str(_stemmer().stem(token))


def tokens(sentence: str) -> list[str]:
    """Runs of a-z and 0-9 in the lower-cased sentence; those of four signs or more are stemmed."""
    return [_stem(token) for token in _TOKEN.findall(sentence.lower())]


def rouge_lsum(output: Sequence[str], reference: Sequence[str]) -> float:
    """F1 from 0 to 1 of two texts, each given as its sentences.

    For each sentence of the reference, the tokens that it has in common, in order, with any
    sentence of the output are united; no token counts more often than it occurs in either text.
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
    """The places in `sentence` of a longest common subsequence; of several, the last one found
    when walking back prefers to shorten `sentence`."""
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

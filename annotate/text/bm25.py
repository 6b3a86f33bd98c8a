"""BM25 with the defaults of the package bm25s: how well texts match a question."""

import logging
import re
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

_WORD = re.compile(r"\b\w\w+\b")


def signature() -> str:
    """Return the identity of everything that could change a score."""
    return f"bm25s:{version('bm25s')}|method:lucene|stopwords:en"


def scores(texts: Sequence[str], questions: Sequence[str]) -> list[list[float]]:
    """Return for each question a score for each text; 0 if they share no word."""
    return Index(texts).scores(questions)


class Index:
    """An index of some texts for several questions."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._count = len(texts)
        known = _words(texts)
        self._index = _package().BM25(method="lucene") if any(known) else None
        if self._index is not None:
            self._index.index(known, show_progress=False)

    def scores(self, questions: Sequence[str]) -> list[list[float]]:
        """Return for each question a score for each text."""
        zeros = [0.0] * self._count
        if self._index is None:
            return [zeros for _ in questions]
        return [
            [float(score) for score in self._index.get_scores(words)] if words else zeros
            for words in _words(questions)
        ]


def words_of(text: str) -> list[str]:
    """Return the searchable words of a text, in order. They equal those of bm25s, which takes
    three times as long for a single text."""
    function_words = _function_words()
    return [word for word in _WORD.findall(text.lower()) if word not in function_words]


@cache
def _function_words() -> frozenset[str]:
    from bm25s.stopwords import STOPWORDS_EN

    return frozenset(STOPWORDS_EN)


def index_of_arrays(**scores: Any) -> Any:
    """Return an index of stored scores in the format of `BM25.load_scores`."""
    index = _package().BM25(method="lucene")
    index.scores, index.nonoccurrence_array = scores, None
    return index


def _package() -> Any:
    import bm25s

    # Its logger reports every index by default, and there is one for each response.
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    return bm25s


def _words(texts: Sequence[str]) -> list[list[str]]:
    found = _package().tokenize(list(texts), stopwords="en", return_ids=False, show_progress=False)
    return [list(words) for words in found]

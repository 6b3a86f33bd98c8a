"""BM25 as the package bm25s counts by default: how well texts fit a question by their words."""

import logging
import re
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

_WORD = re.compile(r"\b\w\w+\b")


def signature() -> str:
    """Names everything that could change a score."""
    return f"bm25s:{version('bm25s')}|method:lucene|stopwords:en"


def scores(texts: Sequence[str], questions: Sequence[str]) -> list[list[float]]:
    """For each question a score for each text, among these texts; 0 where they share no word."""
    return Index(texts).scores(questions)


class Index:
    """Some texts, to be asked about more than once."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._count = len(texts)
        known = _words(texts)
        self._index = _package().BM25(method="lucene") if any(known) else None
        if self._index is not None:
            self._index.index(known, show_progress=False)

    def scores(self, questions: Sequence[str]) -> list[list[float]]:
        """For each question a score for each text."""
        nothing = [0.0] * self._count
        if self._index is None:
            return [nothing for _ in questions]
        return [
            [float(score) for score in self._index.get_scores(words)] if words else nothing
            for words in _words(questions)
        ]


def words_of(text: str) -> list[str]:
    """The words of a text by which it is found, in their order: bm25s's own, which takes three
    times as long over a text, and is asked here of one at a time."""
    function_words = _function_words()
    return [word for word in _WORD.findall(text.lower()) if word not in function_words]


@cache
def _function_words() -> frozenset[str]:
    from bm25s.stopwords import STOPWORDS_EN

    return frozenset(STOPWORDS_EN)


def of_arrays(**scores: Any) -> Any:
    """An index of scores that were counted before, as bm25s keeps them (`BM25.load_scores`)."""
    index = _package().BM25(method="lucene")
    index.scores, index.nonoccurrence_array = scores, None
    return index


def _package() -> Any:
    import bm25s

    # It sets its own logger to tell about every index, and there is one for each response.
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    return bm25s


def _words(texts: Sequence[str]) -> list[list[str]]:
    found = _package().tokenize(list(texts), stopwords="en", return_ids=False, show_progress=False)
    return [list(words) for words in found]

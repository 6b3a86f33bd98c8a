"""BM25 as the package bm25s counts by default: how well texts fit a question by their words."""

import logging
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any


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


def _package() -> Any:
    import bm25s

    # It sets its own logger to tell about every index, and there is one for each response.
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    return bm25s


def _words(texts: Sequence[str]) -> list[list[str]]:
    found = _package().tokenize(list(texts), stopwords="en", return_ids=False, show_progress=False)
    return [list(words) for words in found]

"""Which of a response's passages fits a statement best: by their words, or by an encoder."""

import logging
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from typing import Any, Protocol

from evaluation.judges.items import Passage


class Ranker(Protocol):
    """Says for each text how well each passage fits; a text that none fits gets zeros."""

    @property
    def signature(self) -> str:
        """Names everything that could change a score."""
        ...

    def scores(self, passages: Sequence[Passage], texts: Sequence[str]) -> list[list[float]]:
        """For each text a score for each passage."""
        ...


class Bm25:
    """BM25 among the passages of one response, as the package bm25s counts by default."""

    @property
    def signature(self) -> str:
        """Names the package and its version."""
        return f"bm25s:{version('bm25s')}|method:lucene|stopwords:en"

    def scores(self, passages: Sequence[Passage], texts: Sequence[str]) -> list[list[float]]:
        """For each text a score for each passage; 0 where they share no word."""
        bm25s = _package()
        known = _words([f"{passage.title} {passage.text}" for passage in passages])
        asked = _words(texts)
        if not any(known):
            return [[0.0] * len(passages) for _ in texts]
        index = bm25s.BM25(method="lucene")
        index.index(known, show_progress=False)
        return [
            [float(score) for score in index.get_scores(words)] if words else [0.0] * len(passages)
            for words in asked
        ]


def _package() -> Any:
    import bm25s

    # It sets its own logger to tell about every index, and there is one for each response.
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    return bm25s


def _words(texts: Sequence[str]) -> list[list[str]]:
    found = _package().tokenize(list(texts), stopwords="en", return_ids=False, show_progress=False)
    return [list(words) for words in found]


class Embeddings:
    """The cosine between a sentence encoder's mean-pooled embeddings, from a local folder."""

    def __init__(self, folder: str) -> None:
        from evaluation.postediting.encoder import Encoder

        self._encoder = Encoder(folder)

    @cached_property
    def signature(self) -> str:
        """Names the model by its weights."""
        return self._encoder.signature

    def scores(self, passages: Sequence[Passage], texts: Sequence[str]) -> list[list[float]]:
        """For each text the cosine with each passage."""
        if not passages or not texts:
            return [[0.0] * len(passages) for _ in texts]
        known = [f"{passage.title} {passage.text}".strip() for passage in passages]
        vectors = self._encoder.encode([*texts, *known])
        cosines = vectors[: len(texts)] @ vectors[len(texts) :].T
        return [[float(value) for value in row] for row in cosines]

"""Rank a response's passages for a statement: by words, or by an encoder."""

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

from annotate.text import bm25
from evaluation.judges.items import ItemPassage


class Ranker(Protocol):
    """Score how well each passage fits each text; zeros for a text that none fits."""

    @property
    def signature(self) -> str:
        """Identify everything that can change a score."""
        ...

    def scores(self, passages: Sequence[ItemPassage], texts: Sequence[str]) -> list[list[float]]:
        """Return for each text a score for each passage."""
        ...


class Bm25:
    """BM25 among the passages of one response."""

    @property
    def signature(self) -> str:
        """Identify the package and its version."""
        return bm25.signature()

    def scores(self, passages: Sequence[ItemPassage], texts: Sequence[str]) -> list[list[float]]:
        """Return for each text a score for each passage; 0 if they share no word."""
        return bm25.scores([f"{passage.title} {passage.text}" for passage in passages], texts)


class Embeddings:
    """The cosine of a sentence encoder's mean-pooled embeddings, from a local folder."""

    def __init__(self, folder: str) -> None:
        from evaluation.generating.postediting.encoder import Encoder

        self._encoder = Encoder(folder)

    @cached_property
    def signature(self) -> str:
        """Identify the model by its weights."""
        return self._encoder.signature

    def scores(self, passages: Sequence[ItemPassage], texts: Sequence[str]) -> list[list[float]]:
        """Return for each text the cosine with each passage."""
        if not passages or not texts:
            return [[0.0] * len(passages) for _ in texts]
        known = [f"{passage.title} {passage.text}".strip() for passage in passages]
        vectors = self._encoder.encode([*texts, *known])
        cosines = vectors[: len(texts)] @ vectors[len(texts) :].T
        return [[float(value) for value in row] for row in cosines]

"""Search by meaning with a sentence encoder and usearch, and fusion with search by words.

Like the words, the vectors are in parts on the disk (graphs of HNSW, Malkov and Yashunin 2016),
each built in memory; a search maps them. In a part of a few thousand passages all are compared, in
a larger one those to which the graph leads: some of the nearest may be missed. One thread builds a
part, so that the same passages give the same graph.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from annotate.text.corpus import CorpusIndex, Unsearchable
from annotate.text.corpus.passages import CorpusTexts
from annotate.text.search_result import Found, Retriever

FACTS = "dense.json"
MOST_VECTORS = 200_000
"""The maximum number of vectors in a part."""

COMPARED = 5_000
"""In a part of at most this size, all vectors are compared."""

WIDE = 256
"""The minimum number of candidates that a search of a graph keeps."""

_AT_ONCE = 512


class Encoding(Protocol):
    """An encoder of texts as vectors of length 1."""

    @property
    def signature(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


def embed(
    folder: Path,
    encoder: Encoding,
    *,
    most: int = MOST_VECTORS,
    went_on: Callable[[int], object] = lambda _: None,
) -> None:
    """Write the vectors of a built corpus next to it.

    `went_on` is called with the number of vectors, and may raise to stop.
    """
    sizes: list[int] = []
    texts, part = iter(CorpusTexts(folder)), None
    while block := list(
        islice(texts, min(_AT_ONCE, most - (sizes[-1] if part is not None else 0)))
    ):
        vectors = encoder.encode([passage.searched for passage in block])
        if part is None:
            part = _package().Index(ndim=vectors.shape[1], metric="cos", dtype="f16")
            sizes.append(0)
        keys = np.arange(sizes[-1], sizes[-1] + len(block), dtype=np.uint64)
        part.add(keys, vectors, threads=1)
        sizes[-1] += len(block)
        went_on(sum(sizes))
        if sizes[-1] == most:
            _save(part, folder, len(sizes))
            part = None
    if part is not None:
        _save(part, folder, len(sizes))
    facts = {"sizes": sizes, "by": f"usearch:{version('usearch')}", "encoder": encoder.signature}
    (folder / FACTS).write_text(json.dumps(facts), encoding="utf-8")


def _save(part: Any, folder: Path, parts: int) -> None:
    part.save(str(_part(folder, parts - 1)))


class Dense:
    """A corpus with its vectors, searched by meaning only."""

    def __init__(self, folder: Path, index: CorpusIndex, encoder: Encoding) -> None:
        try:
            facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise Unsearchable(f"There are no vectors in {folder}.") from None
        if facts["encoder"] != encoder.signature:
            raise Unsearchable("The encoder's folder holds another model than it did.")
        self._index, self._encoder = index, encoder
        self.signature = f"{index.passages}|{facts['by']}|{facts['encoder']}"
        self._parts: list[tuple[int, int, Any]] = []
        first = 0
        for number, size in enumerate(facts["sizes"]):
            part = _package().Index.restore(str(_part(folder, number)), view=True)
            self._parts.append((first, size, part))
            first += size

    def search(self, queries: Sequence[str], k: int) -> list[list[Found]]:
        """Return for each query the nearest passages in order; of equals the earlier first."""
        if not queries or k < 1:
            return [[] for _ in queries]
        vectors = self._encoder.encode(queries)
        return [
            self._index.found(sorted(self._near(vector, k), key=_order)[:k]) for vector in vectors
        ]

    def _near(self, vector: NDArray[np.float32], k: int) -> Iterator[tuple[float, int]]:
        for first, size, part in self._parts:
            part.expansion_search = max(WIDE, 2 * k)
            found = part.search(vector, min(k, size), threads=1, exact=size <= COMPARED)
            for key, distance in zip(found.keys.tolist(), found.distances.tolist(), strict=True):
                yield 1 - float(distance), first + int(key)


def _order(found: tuple[float, int]) -> tuple[float, int]:
    return -found[0], found[1]


def _part(folder: Path, number: int) -> Path:
    return folder / f"vectors-{number:05}.usearch"


def _package() -> Any:
    import usearch.index

    return usearch.index


# Fusion -------------------------------------------------------------------------------------------

CONSTANT = 60
DEEP = 100
"""The minimum number of passages of each search that are ranked."""


def fused(rankings: Sequence[Sequence[Found]], k: int) -> list[Found]:
    """Fuse rankings by reciprocal rank (Cormack, Clarke and Büttcher 2009).

        score = Σ over the searches that found it  1 / (60 + rank), ranks from 1 on

    Of equals, the passage that the first search ranked higher comes first.
    """
    scores: dict[str, float] = {}
    passages: dict[str, Found] = {}
    for ranking in rankings:
        for rank, found in enumerate(ranking, start=1):
            scores[found.key] = scores.get(found.key, 0.0) + 1 / (CONSTANT + rank)
            passages.setdefault(found.key, found)
    best = sorted(scores, key=lambda key: -scores[key])[:k]
    return [replace(passages[key], score=scores[key]) for key in best]


class Hybrid:
    """Several searches, fused."""

    def __init__(self, *retrievers: Retriever) -> None:
        self._retrievers = retrievers

    @property
    def signature(self) -> str:
        return "rrf:60(" + ")(".join(each.signature for each in self._retrievers) + ")"

    def search(self, queries: Sequence[str], k: int) -> list[list[Found]]:
        """Return for each query its best passages by the ranks of all searches."""
        each = [retriever.search(queries, max(k, DEEP)) for retriever in self._retrievers]
        return [fused(rankings, k) for rankings in zip(*each, strict=True)]

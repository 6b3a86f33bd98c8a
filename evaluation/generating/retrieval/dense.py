"""Passages found by meaning: vectors of a sentence encoder, near ones by usearch.

As the words, the vectors lie in parts on the disk (graphs of HNSW, Malkov and Yashunin 2016), each
of which was in memory while it was made; a search maps them. In a part of a few thousand passages
all are compared, in a larger one those to which the graph leads: some of the nearest may be missed.
One thread makes a part, so that the same passages make the same graph.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from annotate.text.corpus import CorpusIndex, Unsearchable
from annotate.text.corpus.passages import CorpusTexts
from annotate.text.search_result import Found

FACTS = "dense.json"
MOST_VECTORS = 200_000
"""A part has at most so many."""

COMPARED = 5_000
"""In a part of so many, all are compared."""

WIDE = 256
"""How many candidates a search of a graph keeps, at least."""

_AT_ONCE = 512


class Encoding(Protocol):
    """Texts to vectors of length 1."""

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
    """Write the vectors of a corpus that is built beside it. `went_on` hears of how many there are,
    and may end it."""
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
    """A corpus with its vectors, searched by meaning alone."""

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
        """For each query the passages nearest to it, the nearest first; of equals the earlier."""
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

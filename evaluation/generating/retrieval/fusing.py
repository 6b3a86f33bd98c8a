"""Several searches as one, by ranks alone: reciprocal rank fusion (Cormack, Clarke and Büttcher
2009).

    score = Σ over the searches that found it  1 / (60 + rank), ranks from 1 on
"""

from collections.abc import Sequence
from dataclasses import replace

from annotate.text.search_result import Found, Retriever

CONSTANT = 60
DEEP = 100
"""Of each search at least so many are ranked."""


def fused(rankings: Sequence[Sequence[Found]], k: int) -> list[Found]:
    """The best of all; of equals, what the first search ranked first."""
    scores: dict[str, float] = {}
    passages: dict[str, Found] = {}
    for ranking in rankings:
        for rank, found in enumerate(ranking, start=1):
            scores[found.key] = scores.get(found.key, 0.0) + 1 / (CONSTANT + rank)
            passages.setdefault(found.key, found)
    best = sorted(scores, key=lambda key: -scores[key])[:k]
    return [replace(passages[key], score=scores[key]) for key in best]


class Hybrid:
    """Searches that are put together."""

    def __init__(self, *retrievers: Retriever) -> None:
        self._retrievers = retrievers

    @property
    def signature(self) -> str:
        return "rrf:60(" + ")(".join(each.signature for each in self._retrievers) + ")"

    def search(self, queries: Sequence[str], k: int) -> list[list[Found]]:
        """For each query its best passages by the ranks of all searches."""
        each = [retriever.search(queries, max(k, DEEP)) for retriever in self._retrievers]
        return [fused(rankings, k) for rankings in zip(*each, strict=True)]

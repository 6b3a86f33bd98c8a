"""The result of a search: passages in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Found:
    """A passage with its score."""

    key: str
    text: str
    score: float
    title: str = ""
    url: str = ""


class Retriever(Protocol):
    """Finds passages."""

    @property
    def signature(self) -> str:
        """The identity of everything that could change the results."""
        ...

    def search(self, queries: Sequence[str], k: int) -> list[list[Found]]:
        """Return for each query its best passages, the best first."""
        ...

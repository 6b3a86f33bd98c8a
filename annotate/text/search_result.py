"""What a search finds: passages in order, whoever searched."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Found:
    """A passage that was found, and how well it fits."""

    key: str
    text: str
    score: float
    title: str = ""
    url: str = ""


class Retriever(Protocol):
    """Finds passages."""

    @property
    def signature(self) -> str:
        """Names everything that could change what is found."""
        ...

    def search(self, queries: Sequence[str], k: int) -> list[list[Found]]:
        """For each query its best passages, the best first."""
        ...

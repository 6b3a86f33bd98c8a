"""Making better responses out of those that a system gave, as the papers do after generation.

Pure: a way of editing takes records of a file and returns records. None writes any text of its own
but citation marks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from annotate.formats.records import ResponseRecord


@dataclass(frozen=True, slots=True)
class Edited:
    """A record after editing, and in a few words what became of it."""

    record: ResponseRecord
    outcome: str


class Editing(Protocol):
    @property
    def signature(self) -> str:
        """Names everything that could change what comes out."""
        ...

    @property
    def description(self) -> str:
        """What was done, in a sentence for people."""
        ...

    @property
    def asks_entailment(self) -> bool:
        """Whether entailment decided: then the same metric says nothing about the outcome."""
        ...

    def edit(self, records: Sequence[ResponseRecord]) -> list[Edited]:
        """Each record after editing, in their order. A ValueError says which one cannot be."""
        ...

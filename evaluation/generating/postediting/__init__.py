"""Improve a system's responses after generation, as the papers do.

Pure: a way of editing takes records of a file and returns records. It writes no text of its own
except citation marks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from annotate.formats.records import ResponseRecord


@dataclass(frozen=True, slots=True)
class Edited:
    """A record after editing, and the outcome in a few words."""

    record: ResponseRecord
    outcome: str


class Editing(Protocol):
    @property
    def signature(self) -> str:
        """Identify everything that can change the result."""
        ...

    @property
    def description(self) -> str:
        """Describe the editing in a sentence."""
        ...

    @property
    def asks_entailment(self) -> bool:
        """Whether entailment decided: then the same metric says nothing about the result."""
        ...

    def edit(self, records: Sequence[ResponseRecord]) -> list[Edited]:
        """Edit each record, in order. A ValueError names the one that cannot be edited."""
        ...

"""What a file format is, and what it is told by: how a file begins."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from annotate.formats.reading import Reading, Records

Kind = Literal["outputs", "judgments", "references", "captures", "questions"]


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first text of a file, and what it says as JSON or CSV.

    `value` is the JSON object or list that it begins with, which may be cut off; `columns` are the
    names in its first row, where it is no JSON.
    """

    text: str
    value: Any = None
    columns: frozenset[str] = frozenset()

    @property
    def members(self) -> Mapping[str, Any]:
        """The members of the JSON object; none where it is none."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def first_object(self) -> Mapping[str, Any] | None:
        """The first object in the JSON list, where it is one and has one."""
        items = self.value if isinstance(self.value, list) else ()
        return next((item for item in items if isinstance(item, dict)), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """One file format, as pages, forms, commands and readers know it."""

    key: str
    title: str
    extensions: tuple[str, ...]
    kind: Kind
    description: str

    example: str
    """A small whole file, for the page that explains the format; it is read by the tests."""

    begins_so: Callable[[Beginning], bool]
    """Whether a file that begins so is in this format."""

    records: Callable[[Reading], Records]
    """Reads one: its records, and what is wrong with it."""

    mapped: bool = False
    """Whether a mapping says what its columns are; such a file is told by nothing else."""


def example_of(name: str) -> str:
    """The example that stands in a file of its own."""
    return (Path(__file__).parent / "examples" / name).read_text(encoding="utf-8")

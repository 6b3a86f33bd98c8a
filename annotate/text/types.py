"""What segmentation finds in an output. Offsets count code points of the cleaned text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar, dataclass_transform

Class = TypeVar("Class")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[Class]) -> type[Class]:
    """Make a comparable, hashable dataclass with slots that must not be changed.

    Only the type checker enforces this: a file creates many values, and `frozen` classes take three
    times as long to create.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)


Reading = Literal["repaired", "strict"]
Mode = Literal["sentences", "list", "given"]
Lines = Literal["all", "first", "flat"]
"""How an output is read: `all` lines in their blocks, only the `first` line as in ALCE's released
code, or `flat`, all lines as one text as in ALiiCE's."""


NOT_JUDGED = {
    "heading": ("heading", "headings"),
    "label": ("label", "labels"),
    "code": ("block of code", "blocks of code"),
    "reference_list": ("list of references", "lists of references"),
    "rule": ("line across", "lines across"),
    "table_header": ("header of a table", "headers of tables"),
}
"""Kinds of parts that are shown but not judged, in singular and plural."""


@value
class Division:
    """How outputs become statements, as set by a study or a judge's variant. `language`
    applies to outputs whose question names none. If it is empty, the script decides."""

    lines: Lines = "first"
    reading: Reading = "repaired"
    splitter: str = "rules"
    language: str = ""


@value
class Mark:
    """One bracketed mark as written, e.g. `[1, 3-4]`, which cites several passages.
    `start`/`end` bound the brackets; `lead` is the white space before them."""

    start: int
    end: int
    lead: str
    text: str
    numbers: tuple[int, ...]


@value
class Span:
    """A citation given with the answer. `start`/`end` bound the supported raw text. `quote` is
    what the system says that it quotes from the passages."""

    start: int
    end: int
    passages: tuple[int, ...]
    quote: str = ""


@value
class Stripped:
    """A text without its marks. Mark `i` was at `positions[i]` of `text`."""

    text: str
    marks: tuple[Mark, ...]
    positions: tuple[int, ...]


@value
class Citation:
    """One passage number cited by a statement, in the order written.

    A mark with an address that no passage has cites number 0 and has a `url`. A citation from a
    span given with the answer has its index as `span`, and `quote` is the quoted text.
    """

    number: int
    start: int
    end: int
    in_range: bool
    counted: bool
    url: str = ""
    quote: str = ""
    span: int | None = None


@value
class Group:
    """The marks at one position of a statement.

    `word` is the number of the statement's words and punctuation characters before the group;
    `place` also counts earlier groups. `at_end` tells that only closing punctuation follows.
    """

    numbers: tuple[int, ...]
    start: int
    end: int
    word: int
    place: int
    at_end: bool
    offset: int = 0
    """Length of the statement's text before it, if all lines are read."""


@value
class Statement:
    """A verifiable part of the answer. The spans of all of them cover the cleaned text. `text`
    has no marks. In list mode it is the question followed by the entity."""

    text: str
    start: int
    end: int
    citations: tuple[Citation, ...]
    groups: tuple[Group, ...]
    words: int


@value
class NotJudged:
    """A part of the answer that is shown but not judged. The kinds are `heading`, `label`,
    `code`, `reference_list`, `rule` and `table_header`."""

    kind: str
    start: int
    end: int


class Flood(ValueError):  # noqa: N818
    """An output with more citations than allowed. `count` is their number."""

    def __init__(self, count: int) -> None:
        super().__init__(f"{count:,} citations")
        self.count = count


def is_by_blocks(signature: str) -> bool:
    """Return whether this signature is of a division by blocks, with all lines."""
    return signature.startswith("lines:all")


@value
class Segmentation:
    """A cleaned output and its statements.

    `signature` has every choice that could change them. `raw_start`/`raw_end` bound the kept part
    of the raw output. `cut` tells whether text after a line break was left out.
    """

    text: str
    raw_start: int
    raw_end: int
    cut: bool
    statements: tuple[Statement, ...]
    signature: str
    not_judged: tuple[NotJudged, ...] = ()
    styles: Mapping[str, int] = field(default_factory=dict)
    """Number of marks of each style, by the keys of the table of styles."""

    plain: str = ""
    """The text that was read, without its marks."""

    @property
    def reads_all_lines(self) -> bool:
        """Whether it was divided by blocks; `text` is then the raw output."""
        return is_by_blocks(self.signature)


def has_positional_citation(part: Segmentation | Statement) -> bool:
    """Return whether a statement has a group before its end, or two groups (ALiiCE)."""
    if isinstance(part, Segmentation):
        return any(has_positional_citation(statement) for statement in part.statements)
    return len(part.groups) > 1 or any(not group.at_end for group in part.groups)

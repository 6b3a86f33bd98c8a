"""What segmentation finds in an output. Offsets count code points of the cleaned text."""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from annotate.text.values import value

Reading = Literal["repaired", "strict"]
Mode = Literal["sentences", "list", "given"]
Lines = Literal["all", "first", "flat"]
"""How much of an output is read: its blocks with all their lines; its first line alone, as ALCE's
released code; all lines as if they were one text, as ALiiCE's."""


NOT_JUDGED = {
    "heading": ("heading", "headings"),
    "label": ("label", "labels"),
    "code": ("block of code", "blocks of code"),
    "reference_list": ("list of references", "lists of references"),
    "rule": ("line across", "lines across"),
    "table_header": ("header of a table", "headers of tables"),
}
"""What is shown but not judged, for one and for several."""


@value
class Division:
    """How outputs become statements: a study's setting, or what a judge's variant asks for.

    `language` holds for all outputs whose question names none; empty: their script decides.
    """

    lines: Lines = "first"
    reading: Reading = "repaired"
    splitter: str = "rules"
    language: str = ""


@value
class Mark:
    """One bracketed mark as written, e.g. `[1, 3-4]`, which cites several passages.

    `start`/`end` bound the brackets; `lead` is the white space before them that goes with them.
    """

    start: int
    end: int
    lead: str
    text: str
    numbers: tuple[int, ...]


@value
class Span:
    """A citation given beside the answer: `start`/`end` bound what it supports in the raw output.

    `quote` is what the system says that it quotes from the passages.
    """

    start: int
    end: int
    passages: tuple[int, ...]
    quote: str = ""


@value
class Stripped:
    """A text without its marks; `positions[i]` is where in `text` mark `i` stood."""

    text: str
    marks: tuple[Mark, ...]
    positions: tuple[int, ...]


@value
class Citation:
    """One passage number cited by a statement, in the order written.

    A mark that is an address which no passage has cites number 0, and `url` says which. `span` is
    the index of the span given beside the answer that the citation comes from, if it is no mark,
    and `quote` what the system says that it quotes there.
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
    """The marks that stand at one position of a statement.

    `word` is the number of words and punctuation signs of the statement before the group;
    `place` counts earlier groups too; `at_end` is true where only closing punctuation follows.
    """

    numbers: tuple[int, ...]
    start: int
    end: int
    word: int
    place: int
    at_end: bool
    offset: int = 0
    """How much of the statement's text stands before it, in an answer with all its lines."""


@value
class Statement:
    """A part of the answer that can be verified; the spans of all of them tile the cleaned text.

    `text` has no marks. In list mode it is the question followed by the entity.
    """

    text: str
    start: int
    end: int
    citations: tuple[Citation, ...]
    groups: tuple[Group, ...]
    words: int


@value
class NotJudged:
    """A part of the answer about which nothing is asked, though it is shown: a `heading`, `label`,
    `code`, `reference_list`, `rule` or `table_header`."""

    kind: str
    start: int
    end: int


class Flood(ValueError):  # noqa: N818
    """An output that cites more than was asked for; `count` says how much."""

    def __init__(self, count: int) -> None:
        super().__init__(f"{count:,} citations")
        self.count = count


def is_by_blocks(signature: str) -> bool:
    """Whether what is signed so was divided by its blocks, with all its lines."""
    return signature.startswith("lines:all")


@value
class Segmentation:
    """A cleaned output and its statements; `signature` names every choice that could change them.

    `raw_start`/`raw_end` bound the part of the raw output that was kept, and `cut` is true where
    text after a new line was left out.
    """

    text: str
    raw_start: int
    raw_end: int
    cut: bool
    statements: tuple[Statement, ...]
    signature: str
    not_judged: tuple[NotJudged, ...] = ()
    styles: Mapping[str, int] = field(default_factory=dict)
    """How many marks of each style were read, by the keys of the table of styles."""

    plain: str = ""
    """What of the output was read, without its marks."""

    @property
    def reads_all_lines(self) -> bool:
        """Whether it was divided by its blocks, so that `text` is the raw output."""
        return is_by_blocks(self.signature)

"""The parts of a shown answer in order: text, chips, opening and closing elements.

Elements and attribute names are only those written here and in `rendered.py`. Content from an
answer is only text or an attribute's value. The template escapes both.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from annotate.text.addresses import host_of

Blocks = Literal["p", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "hr", "div"]
Tables = Literal["table", "thead", "tbody", "tr", "th", "td"]
Words = Literal["span", "strong", "em", "code", "sup", "sub", "s", "br"]
Tag = Blocks | Tables | Words
Attributes = tuple[tuple[str, str], ...]

LONGEST_HOST = 40

_STOP = re.compile(
    r"""[ \u00a0\u202f]?[.,;:!?…؟،؛।。．，、；：！？]+[)\]”’»"'）」』》】]*"""
    r"""|[)\]”’»"'）」』》】]+[.,;:!?…؟،؛।。．，、；：！？]*"""
)
"""Closing punctuation: a full stop, a comma, a bracket, a quotation mark."""


@dataclass(frozen=True, slots=True)
class Chip:
    """One cited number; `missing` if the response has no such passage.

    Number 0 is a mark with an address, `url`, that no passage has. `listed` is the entry for the
    number in the answer's own list of references.
    """

    key: str
    number: int
    passage: int | None
    over_cap: bool
    url: str = ""
    listed: str = ""

    @property
    def missing(self) -> bool:
        return self.passage is None

    @property
    def label(self) -> str:
        """The shown text: the number, or the host of the address."""
        if not self.url:
            return str(self.number)
        host = host_of(self.url) or self.url
        return host if len(host) <= LONGEST_HOST else f"{host[: LONGEST_HOST - 1]}…"

    @property
    def why_missing(self) -> str:
        if self.url:
            return f"No passage has the address {self.url}"
        there_is_none = f"There is no passage {self.number}"
        return (
            f"{there_is_none}; the answer lists it as: {self.listed}"
            if self.listed
            else there_is_none
        )


@dataclass(frozen=True, slots=True)
class Part:
    """One step. `statement` is the key of a statement that opens. `is_next` tells that a chip
    follows another one, where a line may break."""

    text: str = ""
    chip: Chip | None = None
    is_next: bool = False
    statement: str = ""
    passages: str = ""
    opens: Tag | Literal[""] = ""
    attributes: Attributes = ()
    closes: Tag | Literal[""] = ""


@dataclass(slots=True)
class Placed:
    """A statement, its place in the shown text, and the chips at each place in it."""

    key: str
    text: str
    start: int
    end: int
    marks: dict[tuple[int, int], list[Chip]] = field(default_factory=dict)
    _opening: Part | None = None

    @property
    def chips(self) -> tuple[Chip, ...]:
        """The chips, ordered by place."""
        return tuple(chip for _, group in sorted(self.marks.items()) for chip in group)

    @property
    def opening(self) -> Part:
        """The part that opens the statement, shared by its places."""
        if self._opening is None:
            self._opening = Part(statement=self.key, passages=passages_of(self.chips))
        return self._opening


def passages_of(chips: Sequence[Chip]) -> str:
    """Return the numbers of the cited passages, for the page's script."""
    cited = {chip.passage for chip in chips if chip.passage is not None}
    return " ".join(sorted(map(str, cited)))


_NOTHING = Part()
_OPENED: dict[Tag, Part] = {}
_CLOSED: dict[Tag, Part] = {}


def opened(tag: Tag, *attributes: tuple[str, str]) -> Part:
    """Return the part that opens an element. Those without attributes are cached."""
    if attributes:
        return Part(opens=tag, attributes=attributes)
    return _OPENED.setdefault(tag, Part(opens=tag))


def closed(tag: Tag) -> Part:
    return _CLOSED.setdefault(tag, Part(closes=tag))


def with_stops(parts: Sequence[Part]) -> Iterator[Part]:
    """Yield the parts; a chip and the punctuation after it get an unbreakable box."""
    rest: Part | None = None
    for at, part in enumerate(parts):
        if rest is not None:
            part, rest = rest, None
        follower = parts[at + 1] if at + 1 < len(parts) else None
        stop = _STOP.match(follower.text) if part.chip and follower else None
        if stop is None or follower is None:
            if part != _NOTHING:
                yield part
            continue
        yield opened("span", ("class", "kept"))
        yield from (part, Part(text=stop[0]))
        yield closed("span")
        rest = replace(follower, text=follower.text[stop.end() :])


def as_written(text: str, statements: list[Placed]) -> list[Part]:
    """Return the parts of one paragraph that its statements cover, with chips as marks."""
    if not statements:
        return [Part(text=text)] if text else []
    parts: list[Part] = []
    for placed in statements:
        parts.append(placed.opening)
        reached = placed.start
        for (start, end), chips in sorted(placed.marks.items()):
            if start > reached:
                parts.append(Part(text=text[reached:start]))
            for chip in chips:
                parts.append(Part(chip=chip, is_next=parts[-1].chip is not None))
            reached = end
        if reached < placed.end:
            parts.append(Part(text=text[reached : placed.end]))
        parts.append(closed("span"))
    return parts

"""Which parts of an answer are judged, and which are not: headings, labels, code,
references.

`docs/reading.md` describes the rules. Every signature contains `STRUCTURE_VERSION`. The last
function reads the answer's own lists of references.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from annotate.text.blocks import Block, blocks_of, cells_of
from annotate.text.citing import rounds_are_marks
from annotate.text.leaves import Leaf
from annotate.text.scripts import guess_language, is_unspaced
from annotate.text.sources import Sources
from annotate.text.styles import MARK, numbers_of, style_of
from annotate.text.types import NotJudged

STRUCTURE_VERSION = "structure:1"
INDENT = "    "
LONGEST_LABEL = 4
LONGEST_UNSPACED_LABEL = 12
FEWEST_BARE_REFERENCES = 2

REFERENCE_WORDS = frozenset(
    {
        *("sources", "references", "citations", "bibliography", "works cited"),
        *("footnotes", "notes", "参考文献", "来源", "出典", "المصادر", "المراجع", "संदर्भ", "स्रोत"),
    }
)
_COLONS = (":", "：")
_FULL_STOPS = (".", "。", "۔", "।")
_FOOTNOTE = re.compile(r"\[\^[^\]\[\n]{1,100}\]:")
_DEFINITION = re.compile(
    r"\[(?:\d{1,9}\]:\s{0,4}\S|[^\]\[\n]{1,200}\]:\s{0,4}<?(?:https?://|www\.))\S*"
    r"(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\Z"
)


@dataclass(slots=True)
class Paragraph:
    """A stretch of the answer that is judged: a paragraph, or the cells of a table's row."""

    cells: list[Leaf]
    is_row: bool = False
    is_plain: bool = True
    """Whether it is at the top level of the answer, not in a list or a quote."""


@dataclass(slots=True)
class Outline:
    """The parts of an answer in order, judged or not."""

    parts: list[Paragraph | NotJudged] = field(default_factory=list)

    @property
    def paragraphs(self) -> Iterator[Paragraph]:
        return (part for part in self.parts if isinstance(part, Paragraph))


def outline_of(raw: str, sources: Sources) -> Outline:
    """Divide the raw output into parts that are judged or not."""
    blocks = blocks_of(raw)
    walk = _Walk(raw, sources, blocks)
    if walk.rounds_are_text():
        walk = _Walk(raw, sources, blocks, rounds=False)
    return Outline(walk.parts)


class _Walk:
    """Walk through the blocks in order. `awaits` tells that a list would be a list of
    references. With `rounds`, numbers in round brackets are marks."""

    def __init__(
        self, raw: str, sources: Sources, blocks: Sequence[Block], *, rounds: bool = True
    ) -> None:
        self.raw = raw
        self.sources = sources
        self.rounds = rounds
        self.parts: list[Paragraph | NotJudged] = []
        self.awaits = False
        self.in_footnote = False
        self.blocks(blocks, is_plain=True)
        self.bare_references()

    def leaf(self, lines: Sequence[tuple[int, int]], *, is_cell: bool = False) -> Leaf:
        return Leaf(self.raw, lines, self.sources, is_cell=is_cell, rounds=self.rounds)

    def rounds_are_text(self) -> bool:
        """Return whether numbers in round brackets are not marks in the whole answer."""
        if "(" not in self.raw and "（" not in self.raw:
            return False
        leaves = ((leaf.text, leaf.candidates) for part in self.judged() for leaf in part.cells)
        return not rounds_are_marks(leaves, self.sources)

    def judged(self, until: int | None = None) -> Iterator[Paragraph]:
        return (part for part in self.parts[:until] if isinstance(part, Paragraph))

    def blocks(self, blocks: Sequence[Block], *, is_plain: bool) -> None:
        for block, following in zip(blocks, [*blocks[1:], None], strict=False):
            if block.kind == "paragraph":
                listed = following is not None and following.kind == "list"
                self.paragraph(block, is_plain=is_plain, before_list=listed)
            elif block.kind == "heading":
                self.heading(block)
            elif block.kind == "table":
                self.table(block)
            elif self.in_footnote and self._is_indented(block):
                self.leave_out("reference_list", block.start, block.end)
                self.in_footnote = True
            elif block.kind in ("code", "rule"):
                self.leave_out(block.kind, block.start, block.end)
            elif block.kind == "list" and self.awaits:
                self.leave_out("reference_list", block.start, block.end)
            else:
                self.blocks(block.children, is_plain=False)

    def leave_out(self, kind: str, start: int, end: int) -> None:
        """Add a part that is not judged, and join adjoining lists of references."""
        last = self.parts[-1] if self.parts else None
        is_list = kind == "reference_list"
        if (
            is_list
            and isinstance(last, NotJudged)
            and last.kind == kind
            and not self.raw[last.end : start].strip()
        ):
            self.parts[-1] = NotJudged(kind, last.start, end)
        else:
            self.parts.append(NotJudged(kind, start, end))
        self.awaits = self.awaits and is_list
        self.in_footnote = False

    def _is_indented(self, block: Block) -> bool:
        """Return whether the block is indented code that continues a footnote."""
        margin = self.raw[max(0, block.start - 4) : block.start]
        return (
            block.kind == "code"
            and not margin.strip(" \t")
            and ("\t" in margin or margin == INDENT)
        )

    def heading(self, block: Block) -> None:
        self.leave_out("heading", block.start, block.end)
        first, last = block.lines[0], block.lines[-1]
        shown = self.raw[slice(*first)] if first != last else self.raw[block.start : block.end]
        self.awaits = _is_reference_word(shown)

    def table(self, block: Block) -> None:
        header, delimiter, *rows = block.lines
        self.leave_out("table_header", header[0], delimiter[1])
        for line in rows:
            cells = [self.leaf([cell], is_cell=True) for cell in cells_of(self.raw, line)]
            self.parts.append(Paragraph(cells, is_row=True, is_plain=False))

    def paragraph(self, block: Block, *, is_plain: bool, before_list: bool) -> None:
        """Divide a paragraph's lines into text, labels, definitions and references."""
        lines = [line for line in block.lines if line[0] < line[1]]
        texts = [self.raw[start:end] for start, end in lines]
        at = 0
        while at < len(lines):
            if taken := self._definitions(texts, at) or self._listed(lines, at):
                self.leave_out("reference_list", lines[at][0], lines[at + taken - 1][1])
                self.in_footnote = any(map(_FOOTNOTE.match, texts[at : at + taken]))
                at += taken
                continue
            until = self._text_until(lines, texts, at)
            if before_list and until == len(lines) > at + 1 and _is_reference_word(texts[-1]):
                until -= 1
            self.text(lines[at:until], is_plain=is_plain)
            at = until

    def _definitions(self, texts: Sequence[str], at: int) -> int:
        """Return how many lines define links or footnotes. Footnotes may have several."""
        in_footnote = False
        for place in range(at, len(texts)):
            if _FOOTNOTE.match(texts[place]):
                in_footnote = True
            elif _DEFINITION.match(texts[place]):
                in_footnote = False
            elif not in_footnote:
                return place - at
        return len(texts) - at

    def _listed(self, lines: Sequence[tuple[int, int]], at: int) -> int:
        """Return how many lines start with a mark, after a heading for references."""
        if not self.awaits:
            return 0
        taken = 0
        while at + taken < len(lines) and self._starts_with_mark(lines[at + taken]):
            taken += 1
        return taken

    def _starts_with_mark(self, line: tuple[int, int]) -> bool:
        found = self.leaf([line]).candidates
        return bool(found) and not self.raw[line[0] : line[0] + found[0].start].strip("*_ ([")

    def _text_until(self, lines: Sequence[tuple[int, int]], texts: Sequence[str], at: int) -> int:
        """Return the end of the text: before definitions, and around a list's label."""
        for place in range(at + 1, len(lines)):
            announces = _is_reference_word(texts[place - 1])
            listed = announces and self._starts_with_mark(lines[place])
            defined = _FOOTNOTE.match(texts[place]) or _DEFINITION.match(texts[place])
            if listed or defined:
                is_label = place - 1 > at and _may_be_label(texts[place - 1])
                return place - 1 if is_label else place
        return len(lines)

    def text(self, lines: Sequence[tuple[int, int]], *, is_plain: bool) -> None:
        """Add a judged paragraph, unless it is a heading or a label."""
        leaf = self.leaf(lines)
        kind = _kind_of(leaf)
        if kind:
            self.leave_out(kind, lines[0][0], lines[-1][1])
            self.awaits = _is_reference_word(leaf.text)
        else:
            self.parts.append(Paragraph([leaf], is_plain=is_plain))
            self.awaits = self.in_footnote = False

    def bare_references(self) -> None:
        """Leave out final lines that each start with their only mark."""
        listed: list[Leaf] = []
        while len(listed) < len(self.parts):
            part = self.parts[-1 - len(listed)]
            if not (isinstance(part, Paragraph) and part.is_plain and _lists(part.cells[0])):
                break
            listed.append(part.cells[0])
        listed.reverse()
        if sum(len(leaf.lines) for leaf in listed) < FEWEST_BARE_REFERENCES:
            return
        first = len(self.parts) - len(listed)
        judged = [leaf for part in self.judged(first) for leaf in part.cells]
        if not judged or (_in_rounds(listed) and not _in_rounds(judged)):
            return
        del self.parts[first:]
        self.leave_out("reference_list", listed[0].lines[0][0], listed[-1].lines[-1][1])


def _kind_of(leaf: Leaf) -> str:
    """Return "heading" or "label" for a paragraph that is not judged; empty otherwise."""
    if leaf.candidates:
        return ""
    if not leaf.inline.markup and not leaf.text.endswith(_COLONS):
        return "label" if _is_reference_word(leaf.text) else ""
    if _is_all_bold(leaf):
        return "" if leaf.text.rstrip("*_ ").endswith(_FULL_STOPS) else "heading"
    return "label" if _may_be_label(leaf.text) else ""


def _is_all_bold(leaf: Leaf) -> bool:
    reached = 0
    for styled in leaf.inline.styled:
        if styled.look == "strong":
            if leaf.text[reached : styled.start].strip("*_ \n") and styled.start > reached:
                return False
            reached = max(reached, styled.end)
    return reached > 0 and not leaf.text[reached:].strip("*_ \n")


def _words_of(text: str) -> str:
    return " ".join(text.strip("#*_ \t\n=-").split())


def _is_reference_word(text: str) -> bool:
    words = _words_of(text).rstrip(":：").strip("*_ ")
    return len(words) < 30 and words.casefold() in REFERENCE_WORDS


def _may_be_label(text: str) -> bool:
    """Return whether a line names references, or is a few words with a colon."""
    if _is_reference_word(text):
        return True
    words = _words_of(text)
    if not words.endswith(_COLONS):
        return False
    if any(map(is_unspaced, words)) and guess_language(words) in (
        "zh",
        "ja",
        "th",
        "km",
        "lo",
        "my",
    ):
        return len(words.rstrip(":：")) <= LONGEST_UNSPACED_LABEL
    return len(words.split()) <= LONGEST_LABEL


def _in_rounds(leaves: Sequence[Leaf]) -> bool:
    return any(candidate.doubtful for leaf in leaves for candidate in leaf.candidates)


def _lists(leaf: Leaf) -> bool:
    """Return whether each line starts with its only mark and has further text."""
    numbered = [candidate for candidate in leaf.candidates if candidate.numbers]
    if len(numbered) != len(leaf.lines):
        return False
    for place, candidate, (start, end) in zip(leaf.line_starts, numbered, leaf.lines, strict=True):
        line_end = place + end - start
        opening = leaf.text[place : candidate.start] if candidate.start < line_end else "no"
        if candidate.start < place or opening.strip("*_ ([") or candidate.end >= line_end:
            return False
    return True


LONGEST_REFERENCE = 300
_BULLET = re.compile(r"[\s>]*(?:[-*+]\s+)?[*_]{0,3}")
_ORDINAL = re.compile(r"(\d{1,9})[.)、](?=\s)")
_AROUND_REFERENCE = " \t:：.*_-–—|"


def listed_sources(raw: str) -> dict[int, str]:
    """Return the answer's own reference for each number; the first of several counts."""
    found: dict[int, str] = {}
    for part in outline_of(raw, Sources()).parts:
        if isinstance(part, NotJudged) and part.kind == "reference_list":
            for line in raw[part.start : part.end].splitlines():
                numbers, said = _reference_line(line)
                for number in numbers if said else ():
                    found.setdefault(number, said[:LONGEST_REFERENCE])
    return found


def _reference_line(line: str) -> tuple[tuple[int, ...], str]:
    bullet = _BULLET.match(line)
    start = bullet.end() if bullet else 0
    if ordinal := _ORDINAL.match(line, start):
        return (int(ordinal[1]),), line[ordinal.end() :].strip(_AROUND_REFERENCE)
    if mark := MARK.match(line, start):
        return numbers_of(mark, style_of(mark), None) or (), line[mark.end() :].strip(
            _AROUND_REFERENCE
        )
    return (), ""

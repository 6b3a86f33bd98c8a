"""An answer with all its lines as it is shown, with statements in their places.

It has headings, lists, tables, quotes, code and paragraphs; parts that are not judged are set
apart. Places of statements and chips are stored. Markdown, and what of it is not judged, is parsed
again from the raw output. All of it takes linear time.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import dedent

from annotate.text.blocks import Block, Span, blocks_of, cells_of, trimmed
from annotate.text.flow import Flow, PlacedChips
from annotate.text.leaves import Leaf
from annotate.text.parts import Attributes, Part, Placed, Tag, closed, opened
from annotate.text.sources import Sources
from annotate.text.structure import Outline, outline_of
from annotate.text.types import NOT_JUDGED, NotJudged

MOST_UNDERLINED = 200
"""Maximum number of cited stretches that are underlined in one statement. Above it, only chips are
shown."""

_HEADINGS: tuple[Tag, ...] = ("h3", "h4", "h5", "h6")
_AUTO = ("dir", "auto")
_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*(.*)")


@dataclass(frozen=True, slots=True)
class Rendered:
    """The parts in order. `is_flowing` tells that they are the text of one paragraph;
    `not_judged` counts the parts that are not judged, by kind."""

    parts: tuple[Part, ...]
    is_flowing: bool
    not_judged: dict[str, int]


def rendered(raw: str, statements: Sequence[Placed], sources: Sources | None) -> Rendered:
    """Return the raw output as it is shown. `sources` are the passages that its marks may
    cite; None if it is judged as a whole."""
    blocks = blocks_of(raw)
    outline = Outline() if sources is None else outline_of(raw, sources)
    if sources is not None:
        for part in outline.paragraphs:
            for leaf in part.cells:
                leaf.strip(sources)
    page = _Page(raw, statements, outline)
    is_flowing = page.is_one_paragraph(blocks)
    if is_flowing:
        block = blocks[0]
        page.paragraph(block.lines, page.leaves.get(block.start))
    else:
        page.blocks(blocks, auto=(_AUTO,))
    return Rendered(tuple(page.parts), is_flowing or not page.parts, page.counted())


def in_words(not_judged: dict[str, int]) -> str:
    """Describe what is not judged: 2 headings, 1 list of references."""
    return ", ".join(
        f"{not_judged[kind]} {many if not_judged[kind] > 1 else one}"
        for kind, (one, many) in NOT_JUDGED.items()
        if not_judged.get(kind)
    )


class _Page:
    """Walk through the blocks, and make their parts."""

    def __init__(self, raw: str, statements: Sequence[Placed], outline: Outline) -> None:
        self.raw = raw
        self.parts: list[Part] = []
        self.statements = statements
        self.starts = [placed.start for placed in statements]
        self.leaves: dict[int, Leaf] = {}
        self.rows: dict[int, list[Leaf]] = {}
        for part in outline.paragraphs:
            if part.is_row:
                self.rows[part.cells[0].lines[0][0]] = part.cells
            else:
                self.leaves[part.cells[0].lines[0][0]] = part.cells[0]
        self.asides = [
            part
            for part in outline.parts
            if isinstance(part, NotJudged) and not self._starts_in(part.start, part.end)
        ]
        self.aside_starts = [aside.start for aside in self.asides]
        self._place_chips()

    def _place_chips(self) -> None:
        """Put each chip at the end of its mark; without a mark, underline its words."""
        leaves = [*self.leaves.values(), *(cell for row in self.rows.values() for cell in row)]
        leaves = sorted((leaf for leaf in leaves if leaf.text), key=lambda leaf: leaf.lines[0])
        marks = {leaf.raw_span(mark.start, mark.end) for leaf in leaves for mark in leaf.marks}
        firsts = [leaf.lines[0][0] for leaf in leaves]
        self.underlined: dict[str, list[Span]] = {}
        found = []
        for placed in self.statements:
            words = []
            for (start, end), chips in placed.marks.items():
                at = max(0, bisect_left(firsts, end) - 1)
                if (start, end) not in marks and leaves:  # between two paragraphs: after the first
                    end = min(end, leaves[at].lines[-1][1])
                    words.append((start, end))
                found.append(PlacedChips(min(start, end), end, chips))
            if len(words) <= MOST_UNDERLINED:
                self.underlined[placed.key] = words
        self.cited = sorted(found, key=lambda each: (each.end, each.start))
        self.cited_ends = [each.end for each in self.cited]

    def counted(self) -> dict[str, int]:
        return dict(Counter(aside.kind for aside in self.asides))

    def is_one_paragraph(self, blocks: Sequence[Block]) -> bool:
        """Return whether the whole answer is one paragraph without asides."""
        if len(blocks) != 1 or blocks[0].kind != "paragraph" or self.asides:
            return False
        leaf = self.leaves.get(blocks[0].start)
        return leaf is None or len(leaf.lines) == len(blocks[0].lines)

    def _starts_in(self, start: int, end: int) -> bool:
        """Return whether a statement starts in this stretch: it was judged when stored."""
        return bisect_left(self.starts, start) < bisect_left(self.starts, end)

    def _aside(self, start: int, end: int) -> NotJudged | None:
        """Return the part that is not judged and contains this stretch; None without one."""
        at = bisect_right(self.aside_starts, start) - 1
        return self.asides[at] if at >= 0 and self.asides[at].end >= end else None

    def _add(self, tag: Tag, *attributes: tuple[str, str]) -> None:
        self.parts.append(opened(tag, *attributes))

    def _end(self, *tags: Tag) -> None:
        self.parts += map(closed, tags)

    # Blocks --------------------------------------------------------------------------------------

    def blocks(
        self,
        blocks: Sequence[Block],
        *,
        auto: Attributes = (),
        around: NotJudged | None = None,
    ) -> None:
        """Add neighbouring blocks; boxes surround what is not judged, except within `around`. The
        content of a container inherits its text direction."""
        box = around
        for block in blocks:
            for aside, lines, leaf in self._stretches(block, around):
                if aside is not box:
                    if box is not around:
                        self._end("div")
                    if aside is not None and aside is not around:
                        self._open_box(aside)
                    box = aside
                is_footnote = block.kind == "code" and aside and aside.kind == "reference_list"
                if block.kind == "paragraph" or is_footnote:
                    self._add("p", *auto)
                    self.paragraph(lines, leaf, aside)
                    self._end("p")
                else:
                    self._block(block, auto, aside)
        if box is not around:
            self._end("div")

    def _stretches(
        self, block: Block, around: NotJudged | None
    ) -> Iterator[tuple[NotJudged | None, Sequence[Span], Leaf | None]]:
        """Yield the block, or the parts of a paragraph of which only some lines are judged."""
        if block.kind != "paragraph":
            is_boxed = block.kind in ("heading", "code", "list")
            yield self._aside(block.start, block.end) if is_boxed else around, block.lines, None
            return
        lines, at = block.lines, 0
        while at < len(lines):
            leaf = self.leaves.get(lines[at][0])
            aside = None if leaf else self._aside(*lines[at])
            until = at + (len(leaf.lines) if leaf else 1)
            while not leaf and until < len(lines) and lines[until][0] not in self.leaves:
                if self._aside(*lines[until]) is not aside:
                    break
                until += 1
            yield aside, lines[at:until], leaf
            at = until

    def _open_box(self, aside: NotJudged) -> None:
        words = f"not judged: {NOT_JUDGED[aside.kind][0]}"
        self._add("div", ("class", "not-judged"), ("title", words))
        self._add("span", ("class", "unseen"))
        self.parts.append(Part(text=f"{words} "))
        self._end("span")

    def paragraph(
        self,
        lines: Sequence[Span],
        leaf: Leaf | None,
        aside: NotJudged | None = None,
    ) -> None:
        """Add the text of some lines, with statements and chips unless it is an `aside`.
        References keep their lines."""
        is_judged = leaf is not None
        if leaf is None:
            leaf = Leaf(self.raw, lines, _NO_SOURCES)
        if aside is not None:
            is_list = aside.kind == "reference_list"
            self.parts += Flow(self.raw, leaf, is_judged=False, keeps_lines=is_list).run((), ())
            return
        start, end = lines[0][0], lines[-1][1]
        first = max(0, bisect_right(self.starts, start) - 1)
        within = [
            placed
            for placed in self.statements[first : bisect_left(self.starts, end)]
            if placed.end > start
        ]
        flow = Flow(self.raw, leaf, is_judged=is_judged)
        self.parts += flow.run(within, list(self._cited(within, start, end)))

    def _cited(self, within: Sequence[Placed], start: int, end: int) -> Iterator[PlacedChips]:
        ends = self.cited_ends
        yield from self.cited[bisect_right(ends, start) : bisect_right(ends, end)]
        for placed in within:
            for first, last in self.underlined.get(placed.key, ()):
                if first < end < last:
                    yield PlacedChips(first, last, ())

    def _block(self, block: Block, auto: Attributes, aside: NotJudged | None) -> None:
        if block.kind == "heading":
            self._heading(block, auto, aside)
        elif block.kind == "code":
            self._code(block)
        elif block.kind == "rule":
            self._add("hr")
        elif block.kind == "table":
            self._table(block, auto)
        elif block.kind == "quote":
            self._container("blockquote", auto, block, aside)
        elif block.kind == "list":
            self._list(block, auto, aside)
        else:
            self._container("li", (), block, aside)

    def _container(
        self, tag: Tag, attributes: Attributes, block: Block, aside: NotJudged | None
    ) -> None:
        self._add(tag, *attributes)
        self.blocks(block.children, around=aside)
        self._end(tag)

    def _list(self, block: Block, auto: Attributes, aside: NotJudged | None) -> None:
        if self.raw[block.start : block.start + 1].isdigit():
            start = (("start", str(block.level)),) if block.level != 1 else ()
            self._container("ol", (*auto, *start), block, aside)
        else:
            self._container("ul", auto, block, aside)

    def _heading(self, block: Block, auto: Attributes, aside: NotJudged | None) -> None:
        tag = _HEADINGS[min(block.level, len(_HEADINGS)) - 1]
        start, end = block.lines[0]
        lines: Sequence[Span] = block.lines
        if len(lines) == 1:
            written = self.raw[start:end]
            inner = written.lstrip("#")
            shorter = inner.rstrip("#")
            if not shorter or shorter[-1:].isspace():  # a closing sequence of #
                inner = shorter
            start += len(written) - len(written.lstrip("#"))
            lines = [trimmed(self.raw, start, start + len(inner))]
        else:
            lines = lines[:-1]  # without the underline
        self._add(tag, *auto)
        self.paragraph(lines, None, aside)
        self._end(tag)

    def _code(self, block: Block) -> None:
        lines = [self.raw[self._with_indent(start) : end] for start, end in block.lines]
        language = ""
        if fence := _FENCE.match(lines[0].lstrip(" \t")):
            language = fence[2].strip()
            last = lines[-1].strip(" \t")
            is_closed = len(lines) > 1 and last.startswith(fence[1]) and not last.strip(fence[1][0])
            lines = lines[1:-1] if is_closed else lines[1:]
        if language:
            self._add("p", ("class", "code-language"))
            self.parts.append(Part(text=language))
            self._end("p")
        self._add("pre", ("tabindex", "0"), ("dir", "ltr"))
        self._add("code")
        self.parts.append(Part(text=dedent("\n".join(lines)) or "\n"))
        self._end("code", "pre")

    def _with_indent(self, start: int) -> int:
        """Return the start of the blanks before a place."""
        while start and self.raw[start - 1] in " \t":
            start -= 1
        return start

    # Tables --------------------------------------------------------------------------------------

    def _table(self, block: Block, auto: Attributes) -> None:
        header, delimiter, *rows = block.lines
        sides = [_side(self.raw[slice(*cell)]) for cell in cells_of(self.raw, delimiter)]
        aside = self._aside(header[0], delimiter[1])
        words = f"not judged: {NOT_JUDGED['table_header'][0]}" if aside else ""
        label = f"Table ({words})" if words else "Table"
        region = (("role", "region"), ("aria-label", label), ("tabindex", "0"))
        self._add("div", ("class", "scroll"), *region)
        self._add("table", *auto)
        quiet = (("class", "not-judged"), ("title", words)) if words else ()
        self._add("thead", *quiet)
        self._row("th", cells_of(self.raw, header), (), sides, aside)
        self._end("thead")
        if rows:
            self._add("tbody")
            for line in rows:
                cells = cells_of(self.raw, line)
                self._row("td", cells, self.rows.get(cells[0][0], ()), sides)
            self._end("tbody")
        self._end("table", "div")

    def _row(
        self,
        tag: Tag,
        cells: Sequence[Span],
        leaves: Sequence[Leaf],
        sides: Sequence[str],
        aside: NotJudged | None = None,
    ) -> None:
        self._add("tr")
        for at in range(max(len(cells), len(sides))):
            side = sides[at] if at < len(sides) else ""
            scope = (("scope", "col"),) if tag == "th" else ()
            self._add(tag, *scope, *((("class", side),) if side else ()))
            if at < len(cells) and cells[at][1] > cells[at][0]:
                self.paragraph([cells[at]], leaves[at] if at < len(leaves) else None, aside)
            self._end(tag)
        self._end("tr")


_NO_SOURCES = Sources()


def _side(delimiter: str) -> str:
    """Return the class of a column from its delimiter cell: `:--:` centres it."""
    if delimiter.endswith(":"):
        return "to-centre" if delimiter.startswith(":") else "to-end"
    return ""

"""The shown text of one paragraph, heading or cell: statements, styles and chips.

Markup is removed. It is one pass over the places where something changes. Styles that cross each
other or a statement's border are closed and opened again.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from annotate.text.inline import Link, Markup
from annotate.text.leaves import Leaf
from annotate.text.parts import Chip, Part, Placed, Tag, closed, opened
from annotate.text.scripts import is_unspaced

(
    _STYLE_ENDS,
    _CHIPS_AFTER,
    _STATEMENT_ENDS,
    _STATEMENT_STARTS,
    _CHIPS,
    _BREAK,
    _STYLE_STARTS,
) = range(7)
"""The events at one place, in this order."""

_STYLES: dict[str, tuple[Tag, str]] = {
    "cited": ("span", "cited-words"),
    "link": ("span", "linked"),
    "strong": ("strong", ""),
    "em": ("em", ""),
    "s": ("s", ""),
    "sup": ("sup", ""),
    "sub": ("sub", ""),
    "maths": ("span", "maths"),
    "code": ("code", ""),
}
"""The styles from the outermost to the innermost, each with its element and class."""

_AROUND_CHIPS = frozenset({"strong", "em", "s"})
_ESCAPE = re.compile(r"\\(?=[!-'*-/:-@^-`{-~])")
"""Backslashes before punctuation. Those before brackets may belong to a formula."""

_STRUCK = re.compile(r"~~(?=[^\s~])[^~]{1,500}+(?<=\S)~~")
_NO_BREAK = "\u00a0"

Event = tuple[int, int, Any]


@dataclass(frozen=True, slots=True)
class PlacedChips:
    """Chips at their mark, or at the end of the words that they belong to. `start` and `end`
    are places in the raw output. There are no chips if the words continue elsewhere."""

    start: int
    end: int
    chips: Sequence[Chip]


@dataclass(slots=True)
class _State:
    """The open statement and styles."""

    statement: Placed | None = None
    is_open: bool = False
    active: dict[str, int] = field(default_factory=dict)
    link: Link | None = None
    stack: list[tuple[str, Link | None]] = field(default_factory=list)


class Flow:
    """Make the parts of one paragraph. `is_judged` tells that its words are without marks."""

    def __init__(self, raw: str, leaf: Leaf, *, is_judged: bool, keeps_lines: bool = False) -> None:
        self.raw = raw
        self.leaf = leaf
        self.is_judged = is_judged
        self.keeps_lines = keeps_lines
        self.parts: list[Part] = []
        self.words: list[str] = []
        self.glued: set[int] = set()
        self.struck = self._struck()
        self.state = _State()
        self.reached = 0

    def run(self, statements: Sequence[Placed], cited: Sequence[PlacedChips]) -> list[Part]:
        """Return the parts, with the statements and chips within this paragraph."""
        events = [
            *self._statements(statements),
            *self._styles(),
            *self._chips(cited),
            *self._breaks(),
        ]
        kept = self._kept({place for place, kind, _ in events if kind == _CHIPS})
        events.sort(key=itemgetter(0, 1))
        at = 0
        for place, kind, payload in events:
            at = self._text_until(place, kept, at)
            self._apply(kind, payload)
        self._text_until(len(self.leaf.text), kept, at)
        self._end_statement()
        return self.parts

    # Events and their places ----------------------------------------------------------------------

    def _place(self, raw_place: int) -> int:
        """Return the place in the paragraph for a place in the raw output."""
        leaf = self.leaf
        if raw_place <= leaf.lines[0][0]:
            return 0
        if raw_place >= leaf.lines[-1][1]:
            return len(leaf.text)
        return leaf.place_of(raw_place)

    def _statements(self, statements: Sequence[Placed]) -> Iterator[Event]:
        for placed in statements:
            start, end = self._place(placed.start), self._place(placed.end)
            if end > start:
                yield start, _STATEMENT_STARTS, placed
                yield end, _STATEMENT_ENDS, None

    def _styles(self) -> Iterator[Event]:
        inline = self.leaf.inline
        links = {link.label_start: link for link in inline.links if not link.bare}
        for styled in inline.styled:
            if styled.end > styled.start:
                link = links.get(styled.start) if styled.look == "link" else None
                yield styled.start, _STYLE_STARTS, (styled.look, link)
                yield styled.end, _STYLE_ENDS, styled.look
        for start, end in self.struck:
            yield start, _STYLE_STARTS, ("s", None)
            yield end, _STYLE_ENDS, "s"

    def _struck(self) -> list[tuple[int, int]]:
        """Return the text between pairs of tildes, which statements keep unchanged."""
        text = self.leaf.text
        if "~~" not in text:
            return []
        found = (match.span() for match in _STRUCK.finditer(text))
        return list(_outside(found, sorted(self.leaf.inline.opaque)))

    def _chips(self, cited: Sequence[PlacedChips]) -> Iterator[Event]:
        leaf = self.leaf
        marks = {leaf.raw_span(mark.start, mark.end): mark for mark in leaf.marks}
        for each in cited:
            mark = marks.get((each.start, each.end))
            if mark and not mark.wording:
                yield mark.start, _CHIPS, each.chips
            elif mark:
                yield mark.end, _CHIPS_AFTER, each.chips
            else:
                start, end = self._place(each.start), self._place(each.end)
                if end > start:
                    yield start, _STYLE_STARTS, ("cited", None)
                    yield end, _STYLE_ENDS, "cited"
                yield end, _CHIPS_AFTER, each.chips

    def _breaks(self) -> Iterator[Event]:
        leaf = self.leaf
        for markup in leaf.inline.markup:
            if markup.replacement:
                yield markup.start, _BREAK, None
        for (_, end), start in zip(leaf.lines, leaf.line_starts[1:], strict=False):
            if self.keeps_lines or self._is_hard(end, start - 1):
                yield start - 1, _BREAK, None

    def _is_hard(self, raw_end: int, end: int) -> bool:
        """Return whether a line ends in two spaces or a backslash."""
        return self.raw.startswith("  ", raw_end) or self.leaf.text[end - 1 : end] == "\\"

    # The shown text -------------------------------------------------------------------------------

    def _kept(self, shown: set[int]) -> list[tuple[int, int]]:
        """Return the shown stretches: without markup, and without marks that have chips. `shown`
        lists the places of chips."""
        leaf = self.leaf
        if self.is_judged:
            kept = [(start, end) for start, end in leaf.kept if end > start]
            kept += self._with_marks(kept, shown)
            kept.sort()
        else:
            kept = list(_without([(0, len(leaf.text))], [(m.start, m.end) for m in self._markup()]))
        if hidden := self._hidden():
            return list(_without(kept, hidden))
        return kept

    def _with_marks(
        self, kept: Sequence[tuple[int, int]], shown: set[int]
    ) -> Iterator[tuple[int, int]]:
        """Yield stretches that belong to marks and are still shown. These are the non-breaking
        white space before chips, and marks without a chip."""
        text = self.leaf.text
        ends = [0, *(end for _, end in kept)]
        at = marked = 0
        for mark in self.leaf.marks:
            while at + 1 < len(ends) and ends[at + 1] <= mark.start:
                at += 1
            if mark.start not in shown:
                if not mark.wording:
                    yield mark.start, mark.end
            elif at and ends[at] >= marked:
                spaces = (p for p in range(ends[at], mark.start) if text[p].isspace())
                if (space := next(spaces, None)) is not None:
                    self.glued.add(space)
                    yield space, space + 1
            marked = mark.end

    def _markup(self) -> Iterator[Markup]:
        """Yield the markup to hide; a link without a label is shown completely."""
        leaf = self.leaf
        empty = {
            place
            for link in leaf.inline.links
            if not link.bare and not leaf.text[link.label_start : link.label_end].strip("*_` \n")
            for place in (link.start, link.label_end)
        }
        reached = 0
        for markup in leaf.inline.markup:
            if markup.start >= reached and markup.start not in empty:
                yield markup
                reached = markup.end

    def _hidden(self) -> list[tuple[int, int]]:
        """Return further hidden stretches. These are escapes, brackets of addresses, tildes, and
        line ends in scripts without spaces."""
        text, inline = self.leaf.text, self.leaf.inline
        found = [
            place
            for link in inline.links
            if link.bare
            for place in ((link.start, link.start + 1), (link.end - 1, link.end))
        ]
        for start, end in self.struck:
            found += [(start, start + 2), (end - 2, end)]
        if "\\" in text:
            escapes = ((m.start(), m.end()) for m in _ESCAPE.finditer(text))
            found += _outside(escapes, sorted(inline.opaque))
        for start in self.leaf.line_starts[1:]:
            if text[start - 2 : start - 1] == "\\":
                found.append((start - 2, start - 1))
            elif is_unspaced(text[start - 2 : start - 1]) and is_unspaced(text[start : start + 1]):
                found.append((start - 1, start))
        return sorted(found)

    # Making parts --------------------------------------------------------------------------------

    def _text_until(self, place: int, kept: Sequence[tuple[int, int]], at: int) -> int:
        """Show the kept text before `place`, and return the stretch to continue with."""
        while at < len(kept) and kept[at][0] < place:
            start, end = max(kept[at][0], self.reached), min(kept[at][1], place)
            if end > start:
                words = _NO_BREAK if start in self.glued else self.leaf.text[start:end]
                if self.state.statement is not None or not words.isspace():
                    self._enter(None)
                self.words.append(words)
            if kept[at][1] > place:
                break
            at += 1
        self.reached = max(self.reached, place)
        return at

    def _apply(self, kind: int, payload: Any) -> None:
        state = self.state
        if kind == _STYLE_STARTS:
            look, link = payload
            state.active[look] = state.active.get(look, 0) + 1
            state.link = link or state.link
        elif kind == _STYLE_ENDS:
            state.active[payload] -= 1
        elif kind == _STATEMENT_STARTS:
            self._end_statement()
            state.statement = payload
        elif kind == _STATEMENT_ENDS:
            self._end_statement()
        elif kind == _BREAK:
            self._enter(None)
            self._add(opened("br"))
        else:
            self._enter(_AROUND_CHIPS)
            for chip in payload:
                self._flush()
                follows = bool(self.parts) and self.parts[-1].chip is not None
                self.parts.append(Part(chip=chip, is_next=follows))

    def _enter(self, but: frozenset[str] | None) -> None:
        """Open and close elements to match the active styles (around chips: only some)."""
        state = self.state
        wanted = [
            (look, state.link if look == "link" else None)
            for look in _STYLES
            if state.active.get(look) and (but is None or look in but)
        ]
        if wanted == state.stack and (state.is_open or state.statement is None):
            return
        common = 0
        while common < len(state.stack) and state.stack[common] in wanted:
            common += 1
        self._close_styles(common)
        if state.statement is not None and not state.is_open:
            self._close_styles(0)
            self._add(state.statement.opening)
            state.is_open = True
        for style in wanted:
            if style not in state.stack:
                self._open_style(*style)

    def _open_style(self, look: str, link: Link | None) -> None:
        tag, css = _STYLES[look]
        attributes = [("class", css)] if css else []
        if link is not None:
            attributes.append(("title", f"not loaded: {link.url}" if link.image else link.url))
        self._add(opened(tag, *attributes))
        self.state.stack.append((look, link))

    def _close_styles(self, down_to: int) -> None:
        stack = self.state.stack
        while len(stack) > down_to:
            look, _ = stack.pop()
            self._add(closed(_STYLES[look][0]))

    def _end_statement(self) -> None:
        self._close_styles(0)
        if self.state.is_open:
            self._add(closed("span"))
        self._flush()
        self.state.statement, self.state.is_open = None, False

    def _add(self, part: Part) -> None:
        self._flush()
        self.parts.append(part)

    def _flush(self) -> None:
        if self.words:
            self.parts.append(Part(text="".join(self.words)))
            self.words.clear()


def _without(
    kept: Sequence[tuple[int, int]], hidden: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield the stretches of `kept` outside of `hidden`. Both are sorted."""
    at = 0
    for start, end in kept:
        while at < len(hidden) and hidden[at][1] <= start:
            at += 1
        here = at
        while here < len(hidden) and hidden[here][0] < end:
            if hidden[here][0] > start:
                yield start, hidden[here][0]
            start = max(start, hidden[here][1])
            here += 1
        at = max(at, here - 1)
        if start < end:
            yield start, end


def _outside(
    places: Iterator[tuple[int, int]], closed_places: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield the places that do not start in a closed one. Both are sorted."""
    at = 0
    for start, end in places:
        while at < len(closed_places) and closed_places[at][1] <= start:
            at += 1
        if at == len(closed_places) or start < closed_places[at][0]:
            yield start, end

"""One paragraph of an answer, or one table cell: its words without marks and markup.

`text` is the paragraph's lines joined by line ends; `raw_place` maps it to the raw output. `plain`
is the text without marks and markup; `place_in_text` maps it to `text`.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotate.text.citing import (
    CLOSING,
    OPENING,
    SEPARATORS,
    STOPS,
    MarkCandidate,
    candidates_of,
    marks_of,
    runs_of,
)
from annotate.text.inline import Inline, Markup, read_inline
from annotate.text.scripts import is_unspaced
from annotate.text.sources import Sources

Span = tuple[int, int]


class Leaf:
    """A paragraph before it is divided into sentences."""

    def __init__(
        self,
        raw: str,
        lines: Sequence[Span],
        sources: Sources,
        *,
        is_cell: bool = False,
        rounds: bool = True,
    ) -> None:
        self.lines = lines
        self.text = "\n".join(raw[start:end] for start, end in lines)
        self.line_starts = [0]
        for start, end in lines[:-1]:
            self.line_starts.append(self.line_starts[-1] + end - start + 1)
        self.inline: Inline = read_inline(self.text)
        self.candidates: list[MarkCandidate] = candidates_of(
            self.text, self.inline, sources, is_cell=is_cell, rounds=rounds
        )
        self.marks: list[MarkCandidate] = []
        self.kept_starts: list[int] = []
        """Starts of the stretches of `text` that are kept, their ends (equal to the start for a
        space instead of a tag), and the length of `plain` before them."""

        self.kept_ends: list[int] = []
        self.kept_plain: list[int] = []
        self.mark_places: list[int] = []
        """Places in `plain` of marks that left nothing."""

        self.opened: list[Span] = []
        """Markup that belongs to the text after it."""

        self.plain = ""

    def raw_place(self, place: int) -> int:
        """Return the place in the raw output of a place in `text`."""
        if len(self.lines) == 1:
            return self.lines[0][0] + place
        line = bisect_right(self.line_starts, place) - 1
        return self.lines[line][0] + place - self.line_starts[line]

    def raw_span(self, start: int, end: int) -> Span:
        """Return a stretch of `text` as a span of the raw output."""
        if len(self.lines) == 1:
            shift = self.lines[0][0]
            return start + shift, end + shift
        return self.raw_place(start), self.raw_place(end - 1) + 1

    def place_of(self, raw_place: int) -> int:
        """Return the place in `text` of a raw place, or the nearest one before it."""
        line = max(0, bisect_right(self.lines, (raw_place, len(self.text) + raw_place)) - 1)
        start, end = self.lines[line]
        return self.line_starts[line] + min(max(raw_place, start), end) - start

    def strip(self, sources: Sources) -> None:
        """Find the marks, and remove them and the markup."""
        self.marks = marks_of(self.text, self.candidates, sources)
        markup = self.inline.markup
        if not self.marks and not markup:
            self._keep(0, len(self.text), 0)
            self.plain = self.text
            return
        cuts: list[_Run | Markup] = [*self._runs(), *markup]
        if markup:
            cuts.sort(key=lambda cut: (cut.start, -cut.end))
        pieces: list[str] = []
        reached = length = 0
        for cut in cuts:
            if cut.end <= reached and reached:
                continue
            if cut.start > reached:
                self._keep(reached, cut.start, length)
                pieces.append(self.text[reached : cut.start])
                length += cut.start - reached
            if cut.replacement:
                self._keep(cut.start, cut.start, length)
                pieces.append(cut.replacement)
                length += len(cut.replacement)
            if isinstance(cut, _Run):
                self.mark_places.append(length)
            elif cut.opens:
                self.opened.append((cut.start, cut.end))
            reached = max(reached, cut.end)
        if reached < len(self.text):
            self._keep(reached, len(self.text), length)
            pieces.append(self.text[reached:])
        self.plain = "".join(pieces)

    @property
    def kept(self) -> list[Span]:
        """The stretches of `text` that are kept. An empty one is a space instead of a tag."""
        return list(zip(self.kept_starts, self.kept_ends, strict=True))

    def _keep(self, start: int, end: int, plain: int) -> None:
        self.kept_starts.append(start)
        self.kept_ends.append(end)
        self.kept_plain.append(plain)

    def _runs(self) -> Iterator["_Run"]:
        """Yield each run of marks without wording, with its brackets and separators."""
        opens = {markup.start: markup for markup in self.inline.markup}
        closes = {markup.end: markup for markup in self.inline.markup}
        floor = 0
        for run in runs_of(self.text, self.inline, [m for m in self.marks if not m.wording]):
            start, end = run[0].start, run[-1].end
            following = self.text[end : end + 1]
            if opens or following in _CLOSES or following.isspace():
                start, end = self._wrapped(start, end, opens, closes)
            start, end = self._spaced(max(start, floor), end, floor, closes)
            yield _Run(start, end, self._space_for(start, end) if len(run) > 1 else "")
            floor = end

    def _wrapped(
        self, start: int, end: int, opens: dict[int, Markup], closes: dict[int, Markup]
    ) -> Span:
        """Include the brackets and emphasis around nothing but these marks."""
        text = self.text
        while True:
            left = start - _spaces_before(text, start)
            right = end + _spaces_after(text, end)
            before, after = closes.get(left), opens.get(right)
            if before and after and before.opens and not after.opens:
                start, end = before.start, after.end
            elif left and right < len(text) and OPENING.get(text[left - 1]) == text[right]:
                start, end = left - 1, right + 1
            else:
                return start, end

    def _spaced(self, start: int, end: int, floor: int, closes: dict[int, Markup]) -> Span:
        """Include the white space before, and commas that would separate nothing."""
        text = self.text
        left = start
        while left > floor:
            markup = closes.get(left)
            if markup and markup.opens:
                left = markup.start
            elif text[left - 1].isspace():
                left -= 1
            else:
                break
        left = max(left, floor)
        before = text[left - 1] if left else ""
        after = text[end : end + 1]
        if after in SEPARATORS and (not before or before in OPENING or before in SEPARATORS):
            end += 1
            if before not in SEPARATORS or not before:
                end += _spaces_after(text, end)
            after = text[end : end + 1]
        elif before in SEPARATORS and left > floor and (not after or after in STOPS | CLOSING):
            left -= 1
        if after.isspace() or after in CLOSING or after in _AFTER_MARKS or is_unspaced(after):
            return left, end
        return start, end  # `word [1]word`: the space separates two words

    def _space_for(self, start: int, end: int) -> str:
        """Return the space that must stay in `word[1], [2]word`."""
        before, after = self.text[start - 1 : start], self.text[end : end + 1]
        words = before.isalnum() and after.isalnum() and not is_unspaced(after)
        return " " if words and len(self.text[start:end].split()) > 1 else ""

    def place_in_text(self, plain: int) -> int:
        """Return the place in `text` of a place in `plain`."""
        kept = bisect_right(self.kept_plain, plain) - 1
        return min(self.kept_starts[kept] + plain - self.kept_plain[kept], self.kept_ends[kept])

    def plain_until(self, place: int) -> int:
        """Return the length of `plain` before a place in `text`."""
        kept = bisect_left(self.kept_starts, place) - 1
        if kept < 0:
            return 0
        return self.kept_plain[kept] + min(place, self.kept_ends[kept]) - self.kept_starts[kept]

    def boundary(self, plain: int) -> int:
        """Return where in `text` the statement starts whose words start at `plain`. It is before
        markup that opens right before the words, but after marks and closing markup."""
        place = self.place_in_text(plain)
        at = bisect_left(self.opened, (place, place)) - 1
        while at >= 0 and not self.text[self.opened[at][1] : place].strip():
            place = self.opened[at][0]
            at -= 1
        return place


@dataclass(slots=True)
class _Run:
    start: int
    end: int
    replacement: str = ""


_CLOSES = frozenset(OPENING.values())
_AFTER_MARKS = frozenset(("", *",;:.!?…%、，；：。！？،؛؟۔।॥"))


def _spaces_before(text: str, end: int) -> int:
    start = end
    while start and text[start - 1].isspace():
        start -= 1
    return end - start


def _spaces_after(text: str, start: int) -> int:
    end = start
    while end < len(text) and text[end].isspace():
        end += 1
    return end - start

"""Divide an answer with all its lines: first its blocks, then the sentences in each.

Offsets count code points of the raw output, which stays unchanged.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from annotate.text.citing import MarkCandidate
from annotate.text.languages import splitter_for
from annotate.text.leaves import Leaf
from annotate.text.scripts import is_unspaced
from annotate.text.sources import Sources
from annotate.text.splitters import Splitter, find_splitter
from annotate.text.statement_starts import entity_starts, sentence_starts
from annotate.text.structure import Outline, Paragraph, outline_of
from annotate.text.types import (
    Citation,
    Flood,
    Group,
    Mode,
    NotJudged,
    Reading,
    Segmentation,
    Span,
    Statement,
)
from annotate.text.words import WordsBySign, content_end

CELLS = " | "


@dataclass(slots=True)
class _Cited:
    """A statement's citations at one place: a mark, or a span given with the answer."""

    start: int
    end: int
    position: int
    """Length of the statement's text before it."""

    numbers: tuple[int, ...]
    url: str = ""
    style: str = ""
    quote: str = ""
    span: int | None = None


@dataclass(slots=True)
class _Draft:
    """A statement under construction."""

    start: int
    end: int
    text: str
    cited: list[_Cited]
    before: str = ""
    """Prefix of the text: a list's question."""

    leaf: Leaf | None = None
    """Its paragraph. The statement's words are from `first` to `last` of it."""

    first: int = 0
    last: int = 0

    def position(self, raw_place: int) -> int:
        """Return the length of the statement's text before a place in the raw output. A place
        within a word counts as after the word."""
        if self.leaf is None:
            return len(self.text)
        words = self.leaf.plain[self.first : self.last]
        plain = self.leaf.plain_until(self.leaf.place_of(raw_place)) - self.first
        place = min(max(plain, 0), len(words))
        while 0 < place < len(words) and words[place - 1].isalnum() and words[place].isalnum():
            if is_unspaced(words[place]):
                break
            place += 1
        return len(_collapsed(words[:place]))


def divide_all_lines(
    raw: str,
    sources: Sources,
    *,
    question: str = "",
    mode: Mode = "sentences",
    reading: Reading = "repaired",
    splitter: str,
    language: str = "",
    spans: Sequence[Span] = (),
    cap: int | None,
    most: int | None = None,
    signature: str,
) -> Segmentation:
    """Divide the raw output. `spans` are citations given with it."""
    outline = outline_of(raw, sources)
    drafts: list[_Draft] = []
    for part in outline.paragraphs:
        for leaf in part.cells:
            leaf.strip(sources)
        if part.is_row:
            found = [_row(part)]
        else:
            cuts = _Cuts(part.cells[0], mode, reading, splitter, language)
            found = list(cuts.drafts())
        if reading == "strict":
            drafts += found
            continue
        for draft in found:
            _add_draft(drafts, draft)
    if mode == "list":
        for draft in drafts:
            draft.before = f"{question} ".lstrip()
    _cite_spans(drafts, spans)
    total = sum(len(cited.numbers or (0,)) for draft in drafts for cited in draft.cited)
    if most is not None and total > most:
        raise Flood(total)
    counts: dict[str, int] = {}
    for draft in drafts:
        for cited in draft.cited:
            if cited.style:
                counts[cited.style] = counts.get(cited.style, 0) + 1
    return Segmentation(
        text=raw,
        raw_start=0,
        raw_end=len(raw),
        cut=False,
        signature=signature,
        statements=tuple(_statement(draft, sources, cap) for draft in drafts),
        not_judged=tuple(part for part in outline.parts if isinstance(part, NotJudged)),
        styles=counts,
        plain=_plain(raw, outline),
    )


def _add_draft(drafts: list[_Draft], draft: _Draft) -> None:
    """Add a statement; a paragraph of marks only belongs to the statement before it."""
    if draft.text or not draft.cited or not drafts:
        if draft.text or draft.cited:
            drafts.append(draft)
        return
    last = drafts[-1]
    last.cited += [replace(cited, position=len(last.text)) for cited in draft.cited]
    last.end = draft.end


def _collapsed(text: str) -> str:
    return " ".join(text.split())


def _marks(
    leaf: Leaf, found: Sequence[MarkCandidate], first: int, text: str, shift: int = 0
) -> list[_Cited]:
    """Return marks with their positions in the statement. Its words begin at `first`, and are
    `text` after `shift` other characters."""
    plain = leaf.plain
    as_written = plain.startswith(text, first)  # no white space was collapsed
    reached, length = first, 0
    cited = []
    for mark in found:
        until = max(first, leaf.plain_until(mark.end))
        if as_written:
            length = until - first
            if until > first and plain[until - 1].isspace():
                length -= 1
        elif words := plain[reached:until].split():
            parted = plain[reached].isspace() or plain[reached - 1].isspace()
            length += len(" ".join(words)) + (parted and length > 0)
            reached = until
        length = min(length, len(text))
        start, end = leaf.raw_span(mark.start, mark.end)
        cited.append(_Cited(start, end, shift + length, mark.numbers, mark.url, mark.style))
    return cited


def _row(part: Paragraph) -> _Draft:
    """Return a table's row as one statement, without empty cells."""
    text = ""
    cited: list[_Cited] = []
    for cell in part.cells:
        words = _collapsed(cell.plain)
        before = text + (CELLS if text and words else "")
        cited += _marks(cell, cell.marks, 0, words, len(before))
        text = before + words
    full = [cell for cell in part.cells if cell.text] or part.cells
    start, end = full[0].lines[0][0], full[-1].lines[-1][1]
    return _Draft(start, end, text, cited)


class _Cuts:
    """Divide one paragraph."""

    def __init__(
        self, leaf: Leaf, mode: Mode, reading: Reading, splitter: str, language: str
    ) -> None:
        self.leaf = leaf
        self.mode = mode
        self.reading = reading
        self.splitter = splitter
        self.language = language

    def drafts(self) -> Iterator[_Draft]:
        leaf, written = self.leaf, self.leaf.text
        plain = leaf.plain.replace("\n", " ")
        starts, places = self._starts(plain)
        marks, at = leaf.marks, 0
        for (first, last), (start, end) in zip(
            pairwise([*starts, len(plain)]), pairwise([*places, len(leaf.text)]), strict=True
        ):
            until = at
            while until < len(marks) and marks[until].start < end:
                until += 1
            own, at = marks[at:until], until
            while start < end and written[start].isspace():
                start += 1
            while end > start and (
                written[end - 1].isspace() or written[end - 1 : end + 1] == "\\\n"
            ):
                end -= 1
            if start == end:
                continue
            text = _collapsed(plain[first:last])
            cited = _marks(leaf, own, first, text) if own else []
            if self.mode == "list":
                closing = text.rstrip(" .") if last == len(plain) else text
                text = closing.strip(" ,،、，")
            yield _Draft(*leaf.raw_span(start, end), text, cited, "", leaf, first, last)

    def _starts(self, plain: str) -> tuple[list[int], list[int]]:
        """Return the starts of statements, in the plain words and in the text with marks."""
        leaf = self.leaf
        if self.mode == "list":
            starts = entity_starts(plain)
        elif self.reading == "strict":
            return self._strict_starts()
        else:
            starts = sentence_starts(plain, leaf.mark_places, self._splitter(plain))
        if not starts:
            return [0], [0]
        return [0, *starts[1:]], [0, *(leaf.boundary(start) for start in starts[1:])]

    def _strict_starts(self) -> tuple[list[int], list[int]]:
        """Return starts for the strict reading. A mark belongs to the sentence that contains it
        when the text is divided with its marks."""
        leaf = self.leaf
        inside = [(mark.start, mark.end) for mark in leaf.marks]
        places = [0]
        for start in self._splitter(leaf.plain)(leaf.text.replace("\n", " "))[1:]:
            at = bisect_right(inside, (start, start)) - 1
            if at < 0 or inside[at][1] <= start or inside[at][0] == start:
                places.append(start)
        return [0, *(leaf.plain_until(place) for place in places[1:])], places

    def _splitter(self, plain: str) -> Splitter:
        if self.reading == "strict" and not self.language:
            return find_splitter(self.splitter)
        return splitter_for(plain, self.language, self.splitter)


def _cite_spans(drafts: list[_Draft], spans: Sequence[Span]) -> None:
    """Add to each statement the citations whose spans overlap it, in order."""
    starts = [draft.start for draft in drafts]
    for index, span in enumerate(spans):
        at = max(0, bisect_right(starts, span.start) - 1)
        while at < len(drafts) and drafts[at].start < span.end:
            draft = drafts[at]
            at += 1
            if draft.end <= span.start:
                continue
            start, end = max(span.start, draft.start), min(span.end, draft.end)
            known = {
                n for c in draft.cited if c.style and _touches(c, start, end) for n in c.numbers
            }
            numbers = tuple(n for n in span.passages if n not in known)
            if numbers:
                position = draft.position(end)
                cited = _Cited(start, end, position, numbers, quote=span.quote, span=index)
                draft.cited.append(cited)


def _touches(mark: _Cited, start: int, end: int) -> bool:
    """Return whether a mark already covers a span at this place."""
    return mark.start <= end and mark.end >= start


def _statement(draft: _Draft, sources: Sources, cap: int | None) -> Statement:
    words = WordsBySign(draft.text)
    if not draft.cited:
        return Statement(draft.before + draft.text, draft.start, draft.end, (), (), words.count)
    count = sources.count
    citations: list[Citation] = []
    for cited in draft.cited:
        for number in cited.numbers or (0,):
            in_range = number >= 1 and (count is None or number <= count)
            counted = cap is None or len(citations) < cap
            place = (number, cited.start, cited.end)
            citations.append(
                Citation(*place, in_range, counted, cited.url, cited.quote, cited.span)
            )
    return Statement(
        draft.before + draft.text,
        draft.start,
        draft.end,
        tuple(citations),
        tuple(_groups(draft, words)),
        words.count,
    )


def _groups(draft: _Draft, words: WordsBySign) -> list[Group]:
    """Return the citations at each place of the statement's text, in order."""
    cited = draft.cited
    if len(cited) > 1:
        cited = sorted(cited, key=lambda each: each.position)
    end_of_content = content_end(draft.text)
    groups: list[Group] = []
    at = 0
    while at < len(cited):
        first = at
        position = cited[at].position
        numbers: list[int] = []
        while at < len(cited) and cited[at].position == position:
            numbers += cited[at].numbers or (0,)
            at += 1
        word = words.before(position)
        span = (cited[first].start, cited[at - 1].end)
        at_end = position >= end_of_content
        offset = len(draft.before) + position
        groups.append(Group(tuple(numbers), *span, word, word + len(groups), at_end, offset))
    return groups


def _plain(raw: str, outline: Outline) -> str:
    lines = []
    for part in outline.parts:
        if isinstance(part, Paragraph):
            lines.append(CELLS.join(filter(None, (_collapsed(cell.plain) for cell in part.cells))))
        elif part.kind not in ("reference_list", "rule"):
            lines.append(raw[part.start : part.end])
    return "\n".join(filter(None, lines))


def marked_text(found: Segmentation, statement: Statement) -> str:
    """Return a statement with its marks, for judges that need their places. In an answer with
    all its lines, citations are written `[1][2]`, in any original style."""
    if not found.reads_all_lines:
        return found.text[statement.start : statement.end].strip()
    pieces, reached = [], 0
    for group in statement.groups:
        pieces.append(statement.text[reached : group.offset])
        pieces.append(" " + "".join(f"[{number}]" for number in group.numbers))
        reached = group.offset
    pieces.append(statement.text[reached:])
    return "".join(pieces).strip()


def spans_of(found: Segmentation, statement: Statement) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return a statement's cited stretches from spans, with the numbers they cite."""
    by_span: dict[int, list[Citation]] = {}
    for citation in statement.citations:
        if citation.span is not None:
            by_span.setdefault(citation.span, []).append(citation)
    spans = []
    for citations in by_span.values():
        leaf = Leaf(found.text, [(citations[0].start, citations[0].end)], Sources())
        leaf.strip(Sources())
        spans.append((_collapsed(leaf.plain), tuple(c.number for c in citations)))
    return tuple(spans)

"""Draw a parsed sentence and its claims as SVG: arcs above the words, a row for each claim.

Colours come from the page: everything is drawn in `currentColor`, and claim n is in a group of
class `label-n` (six of them, then again from 1). Without a stylesheet it has one colour and is
still readable, since each row names its claim.
"""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from evaluation.claims.atomic import Claim
from evaluation.claims.sentences import Parse, ParsedSentence

COLOURS = 6

_LETTER, _SMALL_LETTER = 8.2, 6.3
_GAP, _EDGE = 16.0, 12.0
_LEVEL, _TOP = 24.0, 18.0
_ROW, _BAR = 22.0, 10.0
_SIDE, _BEND = 5.0, 6.0


class _Arc(NamedTuple):
    """An edge of the tree, drawn `level` levels above the words."""

    head: int
    word: int
    label: str
    level: int


class _Layout(NamedTuple):
    """Positions: the middle and half width of each word, lines, and the whole size."""

    middles: list[float]
    halves: list[float]
    arcs_end: float
    words: float
    rows: float
    width: float
    height: float


def draw(division: ParsedSentence, *, name: str = "tree") -> str:
    """Return the SVG element; `name` begins its ids, which must be unique on a page."""
    parse, claims = division.parse, division.claims
    arcs = _arcs(parse)
    page = _lay_out(division, arcs)
    owners = _owners(claims, len(parse.words))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="claim-tree" role="img" '
        f'aria-labelledby="{escape(name)}-title {escape(name)}-desc" '
        f'viewBox="0 0 {page.width:.0f} {page.height:.0f}" '
        f'width="{page.width:.0f}" height="{page.height:.0f}" '
        f'font-family="sans-serif" font-size="14" fill="currentColor">',
        f'<title id="{escape(name)}-title">{escape(_title(parse))}</title>',
        f'<desc id="{escape(name)}-desc">{escape(describe(claims))}</desc>',
        *_roots(parse, page),
        *(_arc(arc, page) for arc in arcs),
        *_words(division, page, owners),
        *(_row(number, claim, page) for number, claim in enumerate(claims)),
        "</svg>",
    ]
    return "\n".join(parts)


def describe(claims: Iterable[Claim]) -> str:
    """Describe the claims in words, for readers who cannot see the drawing."""
    said = []
    for number, claim in enumerate(claims, start=1):
        cited = ", ".join(map(str, claim.citations)) or "nothing"
        kind = "the whole sentence, undivided" if claim.fallback else f"“{claim.text}”"
        said.append(f"Claim {number}: {kind}; it cites {cited}.")
    return " ".join(said)


def _title(parse: Parse) -> str:
    return f"Dependency tree of “{' '.join(parse.words)}”" if parse.words else "No words"


def _arcs(parse: Parse) -> list[_Arc]:
    """Return the edges, each one level above the highest between its ends."""
    edges = [(word, head) for word, head in enumerate(parse.heads) if head != word]
    edges.sort(key=lambda edge: abs(edge[0] - edge[1]))
    heights = [0] * max(len(parse.words) - 1, 0)  # between each word and the next
    arcs = []
    for word, head in edges:
        low, high = min(word, head), max(word, head)
        level = 1 + max(heights[low:high])
        heights[low:high] = [level] * (high - low)
        arcs.append(_Arc(head, word, parse.deps[word], level))
    return arcs


def _lay_out(division: ParsedSentence, arcs: Sequence[_Arc]) -> _Layout:
    words = division.parse.words
    widths = [
        max(len(word) * _LETTER, len(_marks(division.marks.get(number, ()))) * _SMALL_LETTER)
        for number, word in enumerate(words)
    ]
    beside = {
        min(arc.head, arc.word): len(arc.label) * _SMALL_LETTER + 2 * _SIDE + 8
        for arc in arcs
        if abs(arc.head - arc.word) == 1
    }
    names = max((len(_row_name(n, c)) for n, c in enumerate(division.claims)), default=0)
    middles: list[float] = []
    middle = _EDGE + names * _SMALL_LETTER + _GAP
    for number, width in enumerate(widths):
        if number:
            apart = (widths[number - 1] + width) / 2 + _GAP
            middle += max(apart, beside.get(number - 1, 0.0))
        else:
            middle += width / 2
        middles.append(middle)
    levels = max((arc.level for arc in arcs), default=0)
    arcs_end = _TOP + (levels + 1) * _LEVEL
    line = arcs_end + 20
    rows = line + (36 if division.marks else 18)
    return _Layout(
        middles=middles,
        halves=[width / 2 for width in widths],
        arcs_end=arcs_end,
        words=line,
        rows=rows,
        width=middle + (widths[-1] / 2 if widths else 0) + _EDGE,
        height=rows + len(division.claims) * _ROW + _EDGE / 2,
    )


def _owners(claims: Sequence[Claim], words: int) -> list[list[int]]:
    """Return the claims that hold each word."""
    owners: list[list[int]] = [[] for _ in range(words)]
    for number, claim in enumerate(claims):
        for word in claim.words:
            owners[word].append(number)
    return owners


def _roots(parse: Parse, page: _Layout) -> Iterator[str]:
    for word, head in enumerate(parse.heads):
        if word == head:
            x = page.middles[word]
            yield (
                f'<g class="root"><path d="M{x:.1f},{_TOP:.1f} V{page.arcs_end - 4:.1f}" '
                f'fill="none" stroke="currentColor" stroke-dasharray="3 3"/>'
                f"{_arrow(x, page.arcs_end)}"
                f"{_label(x, _TOP - 5, parse.deps[word])}</g>"
            )


def _arc(arc: _Arc, page: _Layout) -> str:
    """Draw an edge up from next to the head, over, and down to the word."""
    side = 1 if arc.word > arc.head else -1
    start, end = page.middles[arc.head] + side * _SIDE, page.middles[arc.word]
    foot = page.arcs_end
    top = foot - arc.level * _LEVEL
    bend = side * _BEND
    return (
        f'<g class="arc"><path d="M{start:.1f},{foot:.1f} V{top + _BEND:.1f} '
        f"Q{start:.1f},{top:.1f} {start + bend:.1f},{top:.1f} H{end - bend:.1f} "
        f'Q{end:.1f},{top:.1f} {end:.1f},{top + _BEND:.1f} V{foot - 4:.1f}" '
        f'fill="none" stroke="currentColor"/>'
        f"{_arrow(end, foot)}{_label((start + end) / 2, top - 4, arc.label)}</g>"
    )


def _arrow(x: float, y: float) -> str:
    return f'<path d="M{x - 3:.1f},{y - 6:.1f} h6 l-3,6 z"/>'


def _label(x: float, y: float, text: str) -> str:
    return (
        f'<text class="label" x="{x:.1f}" y="{y:.1f}" font-size="11" text-anchor="middle">'
        f"{escape(text)}</text>"
    )


def _words(
    division: ParsedSentence, page: _Layout, owners: Sequence[Sequence[int]]
) -> Iterator[str]:
    """Draw each word above its marks, in the colour of its claim if it has only one."""
    for number, word in enumerate(division.parse.words):
        held = owners[number]
        kind = f"word {_colour(held[0])}" if len(held) == 1 else "word" if held else "word none"
        x = page.middles[number]
        marks = division.marks.get(number)
        below = _label(x, page.words + 16, _marks(marks)) if marks else ""
        yield (
            f'<g class="{kind}"><text x="{x:.1f}" y="{page.words:.1f}" text-anchor="middle">'
            f"{escape(word)}</text>{below}</g>"
        )


def _row(number: int, claim: Claim, page: _Layout) -> str:
    """Draw the name of a claim and a bar under each run of its words."""
    y = page.rows + number * _ROW
    bars = "".join(
        f'<rect x="{_start(first, page):.1f}" y="{y:.1f}" height="{_BAR:.0f}" rx="3" '
        f'width="{_end(last, page) - _start(first, page):.1f}"/>'
        for first, last in _runs(claim.words)
    )
    return (
        f'<g class="claim {_colour(number)}"><text x="{_EDGE:.1f}" y="{y + 9:.1f}" '
        f'font-size="11">{escape(_row_name(number, claim))}</text>{bars}</g>'
    )


def _start(word: int, page: _Layout) -> float:
    return page.middles[word] - page.halves[word] - 2


def _end(word: int, page: _Layout) -> float:
    return page.middles[word] + page.halves[word] + 2


def _runs(words: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last word of each run of neighbours."""
    first = None
    for place, word in enumerate(words):
        if first is None:
            first = word
        if place + 1 == len(words) or words[place + 1] != word + 1:
            yield first, word
            first = None


def _row_name(number: int, claim: Claim) -> str:
    name = "Sentence" if claim.fallback else f"Claim {number + 1}"
    return f"{name} {_marks(claim.citations)}"


def _marks(numbers: Iterable[int]) -> str:
    return "".join(f"[{number}]" for number in numbers)


def _colour(number: int) -> str:
    return f"label-{number % COLOURS + 1}"

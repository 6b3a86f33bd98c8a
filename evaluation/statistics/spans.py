"""Agreement on marked words: F1 of characters and of whole spans, and unitised alpha.

F1 of two raters' marks with one label is the same with either rater as the reference. It is pooled:
with A and B the marks of a pair of raters in a text,

    F1 = Σ 2 |A ∩ B| / Σ (|A| + |B|)      over texts and the pairs of their raters

G. Hripcsak and A. S. Rothschild (2005), Agreement, the F-measure, and reliability in information
retrieval, Journal of the American Medical Informatics Association 12(3), 296-298. F1 is undefined
where nobody marks anything: it is not corrected for chance, and agreement on unmarked characters
does not count.

Unitised alpha is corrected for chance. With one label each rater divides each text into spans, and
gaps between them. With two raters' parts of one text, of lengths l and l', that begin d and end e
apart:

    δ² = d² + e²     of two spans that overlap
       = l²          of a span within a gap of the other rater
       = 0           of all others

    S = Σ_u 1 / (m_u - 1) Σ_{i ≠ j} Σ δ²       over ordered pairs of the m_u >= 2 raters of text u
    T = Σ_u m_u L_u                            characters read, L_u those of the text
    E = Σ_spans [ (N - 1) (2 l³ - 3 l² + l) / 3 + l² Σ_{gaps with l' >= l} (l' - l + 1) ]
    D_o = S / T,   D_e = 2 E / (T (T - 1) - Σ_spans l (l - 1)),   N spans in all
    α = 1 - D_o / D_e,   and of all labels 1 - Σ D_o / Σ D_e

With the same raters throughout and one text this is αU of K. Krippendorff (1995), On the
reliability of unitizing continuous data, Sociological Methodology 25, 47-76, and of the same
(2004), Measuring the reliability of qualitative text analysis data, Quality and Quantity 38(6),
787-800, whose example is tested. For texts with different raters, every text has the weight of its
characters read, as units have in alpha.

A rater's spans of one label that share a character are one span.

Severities are compared where two raters marked the same place: spans of one label that share a
character, directly or by others between them, are one place. A rater's severity there is the one of
most of their marked characters, of two equally frequent ones the lower. Places are then the units,
and severities, from low to high, the answers of Krippendorff's ordinal alpha (`alpha.py`); raters
without a mark there have no answer. So it says nothing of places that only one rater marked.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.answers import MarkedSpan

Floats = NDArray[np.float64]

Stretch = tuple[int, int]
"""The start, and the end after the last character."""


class MarkedText(NamedTuple):
    """Each rater's marks with one label in one text."""

    length: int
    marked: tuple[tuple[Stretch, ...], ...]


OF_OVERLAP = 4
"""Columns of `overlap`."""


def overlap(raters: Sequence[Sequence[MarkedSpan]], label: str) -> list[float]:
    """Return one unit's sums of F1: parts and wholes of characters, then of whole spans.

    A part is twice the characters that pairs share, a whole the characters that they marked.
    Severities are not compared.
    """
    spans = Counter(place for some in raters for place in {s[:3] for s in some if s.label == label})
    characters = Counter[int]()
    for passage in {passage for passage, _, _ in spans}:
        for marked, length in _depths([_stretches(some, label, passage) for some in raters]):
            characters[marked] += length
    others = len(raters) - 1
    return [
        sum(n * (n - 1) * length for n, length in characters.items()),
        sum(n * others * length for n, length in characters.items()),
        sum(n * (n - 1) for n in spans.values()),
        sum(n * others for n in spans.values()),
    ]


def severities_at(
    raters: Sequence[Sequence[MarkedSpan]], label: str, severities: Sequence[str]
) -> Iterator[list[str]]:
    """Yield each rater's severity at each place of one unit that at least two raters marked.

    `severities` go from low to high.
    """
    every = sorted(
        (span.passage, span.start, span.end, span.severity, rater)
        for rater, some in enumerate(raters)
        for span in some
        if span.label == label
    )
    places: list[dict[int, Counter[str]]] = []
    here, end_of_here = None, 0
    for passage, start, end, severity, rater in every:
        if passage != here or start >= end_of_here:
            places.append({})
            here, end_of_here = passage, end
        end_of_here = max(end_of_here, end)
        places[-1].setdefault(rater, Counter())[severity] += end - start
    for place in places:
        if len(place) > 1:
            yield [max(severities, key=marked.__getitem__) for marked in place.values()]


def texts_of(
    raters: Sequence[Sequence[MarkedSpan]], label: str, lengths: Mapping[int, int]
) -> Iterator[MarkedText]:
    """Yield the marks in each text of one unit; `lengths` as `answers.first_outside` takes them."""
    for passage, length in lengths.items():
        yield MarkedText(length, tuple(_stretches(some, label, passage) for some in raters))


def _stretches(spans: Iterable[MarkedSpan], label: str, passage: int) -> tuple[Stretch, ...]:
    result: list[Stretch] = []
    for _, start, end, *_ in sorted(s for s in spans if s.label == label and s.passage == passage):
        if result and start < result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((start, end))
    return tuple(result)


def _depths(marked: Sequence[Sequence[Stretch]]) -> Iterator[tuple[int, int]]:
    """Yield stretches of marked characters: the number of raters, and of characters."""
    steps = Counter[int]()
    for start, end in (stretch for some in marked for stretch in some):
        steps[start] += 1
        steps[end] -= 1
    depth = 0
    for start, end in pairwise(sorted(steps)):
        depth += steps[start]
        if depth:
            yield depth, end - start


@dataclass(frozen=True, slots=True, eq=False)
class Unitised:
    """The components of unitised alpha of one label, a row for each group of texts.

    `weight` and `room` have a column for each length of spans.
    """

    base: Floats
    """S, T, Σ l (l - 1), N and Σ (2 l³ - 3 l² + l)."""

    weight: Floats
    """Σ l² of the spans of each length."""

    room: Floats
    """Σ (l' - l + 1) over the gaps, for each length."""

    @property
    def columns(self) -> Floats:
        return np.hstack([self.base, self.weight, self.room])


OF_BASE = 5


def unitised(groups: Sequence[Sequence[MarkedText]]) -> Unitised:
    """Return the components of groups of texts, each read by at least two raters."""
    every = [text for texts in groups for text in texts]
    lengths = np.array(
        sorted({end - start for text in every for some in text.marked for start, end in some}),
        dtype=float,
    )
    base = np.zeros((len(groups), OF_BASE))
    weight, room = np.zeros((2, len(groups), len(lengths)))
    for row, texts in enumerate(groups):
        gaps = Counter[int]()
        for text in texts:
            spans = [end - start for some in text.marked for start, end in some]
            size = np.array(spans, dtype=float)
            base[row] += [
                _apart(text) / (len(text.marked) - 1),
                len(text.marked) * text.length,
                (size * (size - 1)).sum(),
                len(size),
                (2 * size**3 - 3 * size**2 + size).sum(),
            ]
            np.add.at(weight[row], np.searchsorted(lengths, size), size**2)
            gaps.update(gap for some in text.marked for gap in _gaps(some, text.length))
        for gap, times in gaps.items():
            room[row] += times * np.maximum(gap - lengths + 1, 0)
    return Unitised(base, weight, room)


def disagreements(drawn: Floats) -> tuple[Floats, Floats]:
    """Return D_o and D_e of each of several sums of `Unitised.columns`, up to a common factor.

    Both are 0 where nobody marked anything.
    """
    seen, read, own, number, cubes = drawn[:, :OF_BASE].T
    weight, room = np.split(drawn[:, OF_BASE:], 2, axis=1)
    expected = np.maximum(number - 1, 0) / 3 * cubes + (weight * room).sum(axis=1)
    pairs = read * (read - 1) - own
    observed = np.divide(seen, read, out=np.zeros_like(seen), where=read > 0)
    chance = np.divide(2 * expected, pairs, out=np.zeros_like(seen), where=pairs > 0)
    return observed, chance


def alphas(observed: Floats, chance: Floats) -> Floats:
    """Return 1 - D_o / D_e; NaN where D_e is 0."""
    missing = np.full(chance.shape, np.nan)
    result: Floats = 1 - np.divide(observed, chance, out=missing, where=chance > 0)
    return result


def _gaps(marked: Sequence[Stretch], length: int) -> Iterator[int]:
    at = 0
    for start, end in [*marked, (length, length)]:
        if start > at:
            yield start - at
        at = end


def _apart(text: MarkedText) -> float:
    """Return Σ δ² over ordered pairs of raters."""
    total = 0
    for one, other in combinations(text.marked, 2):
        touched: set[Stretch] = set()
        for start, end in one:
            over = [each for each in other if each[0] < end and start < each[1]]
            touched.update(over)
            total += sum((start - s) ** 2 + (end - e) ** 2 for s, e in over)
            total += 0 if over else (end - start) ** 2
        total += sum((end - start) ** 2 for start, end in other if (start, end) not in touched)
    return 2.0 * total

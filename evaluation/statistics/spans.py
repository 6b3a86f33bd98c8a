"""Agreement on marked words: how much of them is the same, and unitised alpha.

Two raters' marks with one label are as alike as their F1, of characters or of whole spans, which is
the same whoever of them is taken for right. It is pooled: with A and B what a pair of raters marked
in a text,

    F1 = Σ 2 |A ∩ B| / Σ (|A| + |B|)      over texts and the pairs of their raters

G. Hripcsak and A. S. Rothschild (2005), Agreement, the F-measure, and reliability in information
retrieval, Journal of the American Medical Informatics Association 12(3), 296-298. Where nobody
marks anything there is nothing to agree on: chance does not enter, and agreement on leaving
something unmarked does not count.

Unitised alpha takes it off. Of one label let each rater divide each text into spans, and gaps
between them. With two raters' parts of one text, of lengths l and l', that begin d and end e apart:

    δ² = d² + e²     of two spans that overlap
       = l²          of a span that lies in a gap, either way round
       = 0           of all others

    S = Σ_u 1 / (m_u - 1) Σ_{i ≠ j} Σ δ²       over ordered pairs of the m_u >= 2 raters of text u
    T = Σ_u m_u L_u                            characters that were read, L_u those of the text
    E = Σ_spans [ (N - 1) (2 l³ - 3 l² + l) / 3 + l² Σ_{gaps with l' >= l} (l' - l + 1) ]
    D_o = S / T,   D_e = 2 E / (T (T - 1) - Σ_spans l (l - 1)),   N spans in all
    α = 1 - D_o / D_e,   and of all labels 1 - Σ D_o / Σ D_e

With the same raters throughout and one text this is αU of K. Krippendorff (1995), On the
reliability of unitizing continuous data, Sociological Methodology 25, 47-76, and of the same
(2004), Measuring the reliability of qualitative text analysis data, Quality and Quantity 38(6),
787-800, whose example is tested. For texts with other raters each, every text counts by the
characters that were read of it, as units do in alpha.

A rater's spans of one label that share a character are one span.

How bad two raters take the same mark to be is compared where both marked it: spans of one label
that share a character, directly or by others between them, are one place. A rater's severity there
is the one that most of the characters have that they marked, of two with as many the lower one.
Places are then units, and severities, from low to high, the answers of Krippendorff's ordinal alpha
(`alpha.py`); who marked nothing there has no answer. So it says nothing of what only one marked.
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
"""From where to before where."""


class MarkedText(NamedTuple):
    """What raters marked with one label in one text, by rater."""

    length: int
    marked: tuple[tuple[Stretch, ...], ...]


OF_OVERLAP = 4
"""Columns of `overlap`."""


def overlap(raters: Sequence[Sequence[MarkedSpan]], label: str) -> list[float]:
    """What one unit adds: twice the characters that pairs share, those that they marked, and the
    same of whole spans. Severities are not compared."""
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
    """Of each place of one unit that two raters at least marked: how bad each of them says it is;
    `severities` from low to high."""
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
    """Each text of one unit; `lengths` as `answers.first_outside` takes them."""
    for passage, length in lengths.items():
        yield MarkedText(length, tuple(_stretches(some, label, passage) for some in raters))


def _stretches(spans: Iterable[MarkedSpan], label: str, passage: int) -> tuple[Stretch, ...]:
    found: list[Stretch] = []
    for _, start, end, *_ in sorted(s for s in spans if s.label == label and s.passage == passage):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return tuple(found)


def _depths(marked: Sequence[Sequence[Stretch]]) -> Iterator[tuple[int, int]]:
    """By how many raters so many characters are marked."""
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
    """What unitised alpha of one label is made of: a row for each group of texts. `lengths` are
    those of spans, of which `weight` and `room` are by group and length."""

    base: Floats
    """S, T, Σ l (l - 1), N and Σ (2 l³ - 3 l² + l)."""

    weight: Floats
    """Σ l² of the spans of each length,"""

    room: Floats
    """and Σ (l' - l + 1) over the gaps, for each length."""

    @property
    def columns(self) -> Floats:
        return np.hstack([self.base, self.weight, self.room])


OF_BASE = 5


def unitised(groups: Sequence[Sequence[MarkedText]]) -> Unitised:
    """Of texts, each read by two raters at least, of each of some groups."""
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
    """D_o and D_e of each of several sums of `Unitised.columns`, but for what divides both; 0 where
    nobody marked anything."""
    seen, read, own, number, cubes = drawn[:, :OF_BASE].T
    weight, room = np.split(drawn[:, OF_BASE:], 2, axis=1)
    expected = np.maximum(number - 1, 0) / 3 * cubes + (weight * room).sum(axis=1)
    pairs = read * (read - 1) - own
    observed = np.divide(seen, read, out=np.zeros_like(seen), where=read > 0)
    chance = np.divide(2 * expected, pairs, out=np.zeros_like(seen), where=pairs > 0)
    return observed, chance


def alphas(observed: Floats, chance: Floats) -> Floats:
    """NaN where nothing is to be expected."""
    missing = np.full(chance.shape, np.nan)
    found: Floats = 1 - np.divide(observed, chance, out=missing, where=chance > 0)
    return found


def _gaps(marked: Sequence[Stretch], length: int) -> Iterator[int]:
    at = 0
    for start, end in [*marked, (length, length)]:
        if start > at:
            yield start - at
        at = end


def _apart(text: MarkedText) -> float:
    """Σ δ² over ordered pairs of raters."""
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

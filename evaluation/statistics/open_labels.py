"""One label of the votes on a unit whose answers are not choices, see `labels`.

    number     mean     rounded half to even, to two decimals more than an answer has, at most six
               median   of an even number of votes the lower one in the middle
    several    majority each choice that more than half of the votes name
               any      each that anybody names
    spans      majority each label's characters that more than half of the raters marked with it
               any      each label's characters that any rater marked with it

Whether a choice is named, or anything is marked, has a separate label (`whether`): two raters who
mark different characters both say that something is wrong, though no character has a majority.

Adjacent characters form one span. Its severity is the one of most of the characters that raters
marked there with its label, counted for each rater; of two equally frequent ones the lower. A label
may be outside `least` and `most`, which bind one judge.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import pairwise

from annotate.protocol.answers import (
    NOTHING,
    MarkedSpan,
    format_number,
    format_spans,
    named_values,
    parse_spans,
)
from annotate.protocol.dimensions import NO_TO_YES, Dimension

RULE = (
    "A number’s label is the mean of the answers, rounded to two decimals more than they have. It "
    "can also be their median (of an even number, the lower of the middle two). For several "
    "choices, each that more than half of the raters named counts. For marked words, the "
    "characters that more than half of them marked with the same label count. The dimension can "
    "also count all that any rater named or marked. Texts have no label."
)
"""The rule in words."""


def open_label(dimension: Dimension, votes: Sequence[str]) -> str:
    """Return the label of the votes on one unit; empty for texts."""
    if dimension.answer == "number":
        return _of_numbers(dimension, votes)
    least = _least(dimension, len(votes))
    if dimension.answer == "several":
        times = Counter(name for vote in votes for name in named_values(vote))
        named = [one.value for one in dimension.choices if times[one.value] >= least]
        return "|".join(named) or NOTHING
    if dimension.answer == "spans":
        marked = [parse_spans(vote) for vote in votes]
        return format_spans(
            span
            for one in dimension.choices
            for span in _marked(dimension, one.value, marked, least)
        )
    return ""


def whether(dimension: Dimension, votes: Collection[str]) -> str:
    """Return the yes/no label of votes such as whether raters marked anything.

    “Yes” needs the same number of raters as a label of the dimension itself.
    """
    no, yes = NO_TO_YES
    return yes if [*votes].count(yes) >= _least(dimension, len(votes)) else no


def _least(dimension: Dimension, votes: int) -> int:
    return 1 if dimension.label_by == "any" else votes // 2 + 1


def _of_numbers(dimension: Dimension, votes: Sequence[str]) -> str:
    numbers = sorted(map(Decimal, votes))
    if dimension.label_by == "median":
        return format_number(numbers[(len(numbers) - 1) // 2])
    places = Decimal(1).scaleb(-dimension.of_labels.decimals)
    mean = sum(numbers, Decimal(0)) / len(numbers)
    return format_number(mean.quantize(places, rounding=ROUND_HALF_EVEN))


def _marked(
    dimension: Dimension, label: str, marked: Sequence[Sequence[MarkedSpan]], least: int
) -> Iterator[MarkedSpan]:
    """Yield the spans that at least `least` raters marked with one label."""
    own = [[span for span in spans if span.label == label] for spans in marked]
    every = [span for spans in own for span in spans]
    for passage in sorted({span.passage for span in every}):
        here = [[span for span in spans if span.passage == passage] for spans in own]
        for start, end in _runs(here, least):
            severity = _severity(dimension, [s for spans in here for s in spans], start, end)
            yield MarkedSpan(passage, start, end, label, severity)


def _runs(spans: Sequence[Sequence[MarkedSpan]], least: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches that at least `least` raters marked, from left to right."""
    edges = sorted({edge for some in spans for span in some for edge in (span.start, span.end)})
    first: int | None = None
    for start, end in pairwise([*edges, (edges or [0])[-1] + 1]):
        inside = sum(any(s.start <= start and end <= s.end for s in some) for some in spans)
        if inside >= least and first is None:
            first = start
        elif inside < least and first is not None:
            yield first, start
            first = None


def _severity(dimension: Dimension, spans: Iterable[MarkedSpan], start: int, end: int) -> str:
    characters: Counter[str] = Counter()
    for span in spans:
        characters[span.severity] += max(0, min(end, span.end) - max(start, span.start))
    return max((one.value for one in dimension.severities), key=characters.__getitem__, default="")

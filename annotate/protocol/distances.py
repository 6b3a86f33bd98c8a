"""The distance of two answers to one question, from 0 to 1, by which disputes are sorted.

choice    ordinal: steps between them over all steps; nominal: 1 if they differ
number    their difference over the difference of the bounds
several   1 - |both| / |either| (Jaccard)
spans     1 - F1 of their characters, each with its label and severity
text      not compared: None
"""

from collections.abc import Callable, Iterator
from itertools import product

from annotate.protocol.answers import NOTHING, parse_spans
from annotate.protocol.dimensions import Dimension

Votes = tuple[tuple[str, int], ...]
"""The values that were given, with their counts."""


def disagreement(asked: Dimension, votes: Votes) -> float | None:
    """Return the disagreement from 0 (all agree) to 1 (the most possible); None for texts.

    It is the expected distance of two answers drawn at random with replacement, over the greatest
    possible value:

        D = sum over values a, b of p(a) p(b) d(a, b) / D_max

    with p the shares of the answers. For ordinal scales and numbers, D_max = 1/2 (half of the
    answers at each end); for k nominal choices 1 - 1/k (all values equally often); for sets and
    marked words, which have no limit, 1 - 1/m with m the number of different answers given.
    1 : 1 gives 1, 2 : 1 gives 8/9. On a scale of five, "1, 2" gives 1/4 and "1, 5" gives 1.
    """
    if asked.answer == "text":
        return None
    if len(votes) < 2:
        return 0.0
    apart = _distance(asked)
    total = sum(count for _, count in votes)
    expected = sum(n * m * apart(a, b) for (a, n), (b, m) in product(votes, votes)) / total**2
    return min(1.0, expected / _greatest(asked, len(votes)))


def _greatest(asked: Dimension, different: int) -> float:
    if asked.answer == "number" or asked.scale == "ordinal":
        return 1 / 2
    return 1 - 1 / (len(asked.choices) if asked.is_choice else different)


def _distance(asked: Dimension) -> Callable[[str, str], float]:
    if asked.answer == "number":
        return lambda a, b: abs(float(a) - float(b)) / (asked.high - asked.low)
    if asked.answer == "several":
        return lambda a, b: _apart(a, b, lambda both, a, b: both / (a + b - both))
    if asked.answer == "spans":
        return lambda a, b: _apart(a, b, lambda both, a, b: 2 * both / (a + b))
    ranks = {value: rank for rank, value in enumerate(asked.low_to_high)}

    def of_choices(a: str, b: str) -> float:
        if asked.scale == "ordinal" and a in ranks and b in ranks:
            return abs(ranks[a] - ranks[b]) / (len(asked.choices) - 1)
        return float(a != b)

    return of_choices


def _apart(a: str, b: str, alike: Callable[[int, int, int], float]) -> float:
    if a == b:
        return 0.0
    one, other = {*_parts(a)}, {*_parts(b)}
    return 1 - alike(len(one & other), len(one), len(other))


def _parts(value: str) -> Iterator[object]:
    """Yield the elements of an answer: its choices, or its marked characters with labels."""
    if value == NOTHING:
        return
    if ":" not in value:
        yield from value.split("|")
        return
    for span in parse_spans(value):
        for place in range(span.start, span.end):
            yield span.passage, place, span.label, span.severity


def in_order(asked: Dimension, values: dict[str, int]) -> Votes:
    """Sort answers and their counts: choices and numbers from low to high, others by frequency."""
    if asked.is_choice:
        return tuple((value, values[value]) for value in asked.values if values.get(value))
    if asked.answer == "number":
        return tuple(sorted(values.items(), key=lambda one: float(one[0])))
    return tuple(sorted(values.items(), key=lambda one: (-one[1], one[0])))

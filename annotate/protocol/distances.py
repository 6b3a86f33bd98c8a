"""How far two answers to one question are apart, from 0 to 1: for putting disputes in order.

choice    ordinal: steps between them over all steps; nominal: 1 where they differ
number    their difference over that of the bounds
several   1 - |both| / |either| (Jaccard)
spans     1 - F1 of their characters, each with its label and severity
text      not compared: None
"""

from collections.abc import Callable, Iterator
from itertools import product

from annotate.protocol.answers import NOTHING, spans_of
from annotate.protocol.dimensions import Dimension

Votes = tuple[tuple[str, int], ...]
"""How often each value was given, only values that were given."""


def disagreement(asked: Dimension, votes: Votes) -> float | None:
    """How far answers are apart: 0 where all agree, 1 where they cannot be further apart, None
    where they are not compared.

    The expected distance of two answers that are drawn at random, with replacement, over its
    greatest possible value:

        D = sum over values a, b of p(a) p(b) d(a, b) / D_max

    with p the shares of the answers. On an ordinal scale and of numbers, D_max = 1/2 (one half at
    either end); of k nominal choices 1 - 1/k (all values equally often); of sets and of marked
    words, which may differ without end, 1 - 1/m with m the number of different answers there are.
    So 1 : 1 gives 1, 2 : 1 gives 8/9, and on a scale of five "1, 2" gives 1/4 where "1, 5" gives 1.
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
    """What an answer is made of: its choices, or the characters that it marks as something."""
    if value == NOTHING:
        return
    if ":" not in value:
        yield from value.split("|")
        return
    for span in spans_of(value):
        for place in range(span.start, span.end):
            yield span.passage, place, span.label, span.severity


def in_order(asked: Dimension, values: dict[str, int]) -> Votes:
    """Answers with how often each was given: in the order of the choices, numbers from low to high,
    others the most frequent first."""
    if asked.is_choice:
        return tuple((value, values[value]) for value in asked.values if values.get(value))
    if asked.answer == "number":
        return tuple(sorted(values.items(), key=lambda one: float(one[0])))
    return tuple(sorted(values.items(), key=lambda one: (-one[1], one[0])))

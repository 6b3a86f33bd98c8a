"""The same formulas plainly, one unit and one rater after the other: what fast ways are held to."""

from collections import Counter
from collections.abc import Collection, Container, Hashable, Mapping, Sequence
from typing import TypeVar

from annotate.protocol.shipped import SHIPPED

Judge = TypeVar("Judge", bound=Hashable)


def majority(values: Collection[str], key: str) -> str:
    """The majority of the answers to one question about one unit."""
    dimension = SHIPPED[key]
    choose = lower_median if dimension.is_likert else most_frequent
    return choose(values, dimension.low_to_high)


def most_frequent(values: Collection[str], levels: Sequence[str]) -> str:
    """The lowest of the most frequent values; `levels` run from low to high."""
    counted = Counter(values)
    return max(levels, key=lambda level: (counted[level], -levels.index(level)))


def lower_median(values: Collection[str], levels: Sequence[str]) -> str:
    """The middle one of the sorted values, or the lower one of two."""
    ranked = sorted(values, key=levels.index)
    return ranked[(len(ranked) - 1) // 2]


def same_as_others(
    votes: Mapping[Judge, str], voters: Container[Judge]
) -> dict[Judge, tuple[int, int]]:
    """Of the judges of one unit: how many others said the same, and of how many others."""
    said = Counter(value for judge, value in votes.items() if judge in voters)
    found = {}
    for judge, value in votes.items():
        own = judge in voters
        if said.total() - own:
            found[judge] = (said[value] - own, said.total() - own)
    return found

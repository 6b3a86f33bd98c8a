"""The same formulas plainly, one unit and one rater after the other: what fast ways are held to."""

from collections import Counter
from collections.abc import Collection, Container, Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from statistics import fmean, stdev
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


def masi(one, other):
    one, other = ({*value.split("|")} - {"-"} for value in (one, other))
    if one == other:
        return Fraction(0)
    if not one & other:
        return Fraction(1)
    part = Fraction(2, 3) if one < other or other < one else Fraction(1, 3)
    return 1 - Fraction(len(one & other), len(one | other)) * part


def jaccard(one, other):
    one, other = ({*value.split("|")} - {"-"} for value in (one, other))
    return 1 - Fraction(len(one & other), len(one | other)) if one | other else Fraction(0)


def squared(one, other):
    return Fraction(one - other) ** 2


def alpha(units, distance):
    """Alpha of the answers to each unit, every pair taken by itself."""
    units = [answers for answers in units if len(answers) > 1]
    seen = sum(
        sum(distance(a, b) for a, b in permutations(answers, 2)) / (len(answers) - 1)
        for answers in units
    )
    every = [answer for answers in units for answer in answers]
    chance = sum(distance(a, b) for a, b in permutations(every, 2))
    n = len(every)
    return 1 - Fraction((n - 1) * seen, chance) if chance else None


def pooled_correlation(units):
    """Pearson pooled over every two of five raters; None where it is undefined."""
    compared = [by for by in units if len(by) > 1]
    own = {rater: [by[rater] for by in compared if rater in by] for rater in range(5)}
    across = apart = shared = 0.0
    for one, other in combinations(range(5), 2):
        both = [(by[one], by[other]) for by in compared if one in by and other in by]
        if not both:
            continue
        n, m = len(own[one]), len(own[other])
        shared += len(both)
        x, y = fmean(own[one]), fmean(own[other])
        across += sum((a - x) * (b - y) for a, b in both)
        if min(n, m) > 1:
            joint = len(both) / (n * m)
            scale = (1 - 1 / n - 1 / m + joint) / (1 - 1 / n / 4 - 1 / m / 4 + joint / 2)
            apart += len(both) * scale * stdev(own[one]) * stdev(own[other])
    return max(-1.0, min(1.0, across / apart)) if shared >= 3 and apart else None

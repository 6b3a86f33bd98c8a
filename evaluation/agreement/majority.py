"""The answer of most raters.

The value that more than half of the raters who answered gave. A tie of a yes/no question is "no"
(of useful/not useful: "not useful"); among ordered levels that are given equally often it is the
lower one. Three levels can leave the most frequent one without more than half (2 of 4, 1 and 1):
it counts all the same. On a Likert scale the majority is the median, and with an even number of
answers the lower of the two in the middle.
"""

from collections import Counter
from collections.abc import Collection, Sequence

from evaluation.agreement.scales import LIKERT, LOW_TO_HIGH

RULE = (
    "The majority is the answer of more than half of the raters who answered. A tie counts as "
    "“no” for yes/no questions and as “not useful” for usefulness; for levels of support the most "
    "frequent level counts, and the lower one of those given equally often. For utility it is the "
    "median, with an even number of answers the lower of the two in the middle. Who found an "
    "answer not interpretable counts as “no” to whether it is attributable."
)
"""The rule in words, for every report that uses it."""

SHORT_RULE = "tie:low,likert:lower-median"
"""The rule as a part of a judge's signature."""


def majority(values: Collection[str], dimension: str) -> str:
    """The majority of the answers to one question about one unit; there must be one at least."""
    levels = LOW_TO_HIGH[dimension]
    if dimension in LIKERT:
        return lower_median(values, levels)
    return most_frequent(values, levels)


def most_frequent(values: Collection[str], levels: Sequence[str]) -> str:
    """The most frequent value, the lowest where several are: `levels` run from low to high."""
    if not values:
        raise ValueError("Without an answer there is no majority.")
    counted = Counter(values)
    return max(levels, key=lambda level: (counted[level], -levels.index(level)))


def lower_median(values: Collection[str], levels: Sequence[str]) -> str:
    """The middle one of the sorted values, or the lower one of two."""
    if not values:
        raise ValueError("Without an answer there is no majority.")
    ranked = sorted(values, key=levels.index)
    return ranked[(len(ranked) - 1) // 2]

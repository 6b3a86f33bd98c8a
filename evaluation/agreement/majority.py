"""The answer of most raters.

The value that more than half of the raters who answered gave. A tie of a yes/no question is "no"
(of useful/not useful: "not useful"); among ordered levels that are given equally often it is the
lower one. Three levels can leave the most frequent one without more than half (2 of 4, 1 and 1):
it counts all the same. On a Likert scale the majority is the median, and with an even number of
answers the lower of the two in the middle. With n_k the ratings of a unit with the k-th value from
low to high, n of them in all:

    most frequent = the least k with n_k = max_l n_l
    lower median  = the least k with n_1 + … + n_k > (n - 1) // 2

A question may say that of those given equally often the highest one counts, or that there is none.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.dimensions import Ties

Counts = NDArray[np.signedinteger[Any]]

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


def majorities(table: Counts, *, median: bool, ties: Ties = "low") -> NDArray[np.int64]:
    """The place of each unit's majority, from how often each value was given: units × values; -1
    where `ties` leave none.

    The values run from low to high; `median` is for Likert scales. Every unit needs an answer.
    """
    each = table.sum(axis=1)
    if (each == 0).any():
        raise ValueError("Without an answer there is no majority.")
    if median:
        middle = (each - 1) // 2
        best = (table.cumsum(axis=1) > middle[:, None]).argmax(axis=1)
    else:
        best = table.argmax(axis=1)
        highest = table.shape[1] - 1 - table[:, ::-1].argmax(axis=1)
        if ties == "high":
            best = highest
        elif ties == "none":
            best = np.where(best == highest, best, -1)
    found: NDArray[np.int64] = best.astype(np.int64)
    return found

"""The majority of raters' answers.

It is the value of more than half of the raters who answered. A tie of a yes/no question is "no" (of
useful/not useful: "not useful"); of ordered levels that are given equally often it is the lower
one. With three levels the most frequent one may not have more than half (2 of 4, 1 and 1), and
counts nevertheless. On a Likert scale the majority is the median, and with an even number of
answers the lower of the two in the middle. With n_k the ratings of a unit with the k-th value from
low to high, n of them in all:

    most frequent = the least k with n_k = max_l n_l
    lower median  = the least k with n_1 + … + n_k > (n - 1) // 2

A dimension may say that of equally frequent values the highest one counts, or none.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.dimensions import Dimension, Ties

Counts = NDArray[np.signedinteger[Any]]

SHORT_RULE = "tie:low,likert:lower-median"
"""The rule as a part of a judge's signature."""


def majorities(table: Counts, *, median: bool, ties: Ties = "low") -> NDArray[np.int64]:
    """Return the place of each unit's majority, or -1 where `ties` leave none.

    `table` says how often each value was given, units × values from low to high; `median` is for
    Likert scales. Every unit needs an answer.
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
    result: NDArray[np.int64] = best.astype(np.int64)
    return result


def tied(table: Counts, *, median: bool) -> NDArray[np.bool_]:
    """Return which units have several most frequent answers, or two different middle ones.

    Their majority follows from a rule. Every unit needs an answer.
    """
    if median:
        middle = (table.sum(axis=1) // 2)[:, None]
        upper: NDArray[np.int64] = (table.cumsum(axis=1) > middle).argmax(axis=1)
    else:
        upper = majorities(table, median=False, ties="high")
    result: NDArray[np.bool_] = majorities(table, median=median) != upper
    return result


# The rule in words -------------------------------------------------------------------------------


def rule_of(asked: Iterable[Dimension]) -> str:
    """Return sentences on how votes on these dimensions become a label, if they are choices."""
    return " ".join(_rule([one for one in asked if one.is_choice and one.of_people]))


EQUALLY = {
    "low": "the lower one of those given equally often",
    "high": "the higher one of those given equally often",
    "none": "there is no label where two are given equally often",
}


def _rule(asked: list[Dimension]) -> Iterator[str]:
    most = [one for one in asked if one.label_by == "majority"]
    if most:
        yield "The majority is the answer of more than half of the raters who answered."
    falls_to: dict[str, list[Dimension]] = {}
    for one in most:
        if len(one.low_to_high) == 2 and one.ties != "none":
            to = one.low_to_high[0 if one.ties == "low" else -1]
            falls_to.setdefault(one.label(to), []).append(one)
    for label, some in falls_to.items():
        yield f"A tie counts as “{label}” on {_titles(some)}."
    for ties, words in EQUALLY.items():
        some = [
            one for one in most if one.ties == ties and (len(one.low_to_high) > 2 or ties == "none")
        ]
        if some:
            yield f"On {_titles(some)} the most frequent answer counts; {words}."
    if degrees := [one for one in asked if one.label_by == "median"]:
        yield (
            f"On {_titles(degrees)} the median counts, with an even number of answers the lower "
            "of the two in the middle."
        )
    if anybody := [one for one in asked if one.label_by == "any"]:
        yield f"On {_titles(anybody)} the lowest answer that anybody gave counts."
    yield from unasked_rule(asked)


def unasked_rule(asked: Iterable[Dimension]) -> Iterator[str]:
    """Yield sentences on the votes of raters who were not asked."""
    for one in asked:
        if one.unasked:
            yield (
                f"Who is not asked “{one.title}” because of an answer before counts with "
                f"“{one.label(one.unasked)}”."
            )


def _titles(asked: Iterable[Dimension]) -> str:
    return ", ".join(f"“{one.title}”" for one in asked)

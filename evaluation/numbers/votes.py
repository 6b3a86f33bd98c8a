"""What people answered, as it counts: the one place that says what a vote is.

An answer counts if it is one that people may give, of a rater who is not excluded, in a finished
rating where it was given in a batch (`annotate.models.judging.COUNTS`), and, of one batch, about
what the rater was given there.

A question may be asked only after some answers to another, and say what who gave another one votes
with: an answer that is not interpretable is not attributable either. So for each judge w and unit
u, with "asked if y_uw(first) is one of `wanted`" (`Dimension.shown_when`, `unasked`):

    vote_uw = y_uw(question)     where w answered it
            = unasked            where w has a vote on the first question, none of `wanted`
            = none               otherwise
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.protocol import Protocol
from evaluation.agreement.coded import Coded

Keys = NDArray[np.signedinteger[Any]]
"""What stands for units, judges and responses: places in lists, or keys of a database."""

Places = NDArray[np.signedinteger[Any]]
Kept = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class VoteColumns:
    """Votes on one question, by unit and then judge; `value` is the place from low to high."""

    unit: Keys
    judge: Keys
    value: Places

    def __len__(self) -> int:
        return len(self.unit)

    def where(self, kept: Kept) -> "VoteColumns":
        return VoteColumns(self.unit[kept], self.judge[kept], self.value[kept])

    def by_unit(self, values: Sequence[str]) -> dict[int, dict[int, str]]:
        """Values by unit and judge."""
        found: dict[int, dict[int, str]] = {}
        for unit, judge, value in zip(
            self.unit.tolist(), self.judge.tolist(), self.value.tolist(), strict=True
        ):
            of_unit = found.get(unit)
            if of_unit is None:
                of_unit = found[unit] = {}
            of_unit[judge] = values[value]
        return found

    def coded(self, size: int) -> Coded:
        """For coefficients of agreement; `size` is how many values there are."""
        units, unit = np.unique(self.unit, return_inverse=True)
        judges, judge = np.unique(self.judge, return_inverse=True)
        return Coded(
            tuple(units.tolist()),
            tuple(judges.tolist()),
            size,
            unit.astype(np.int64),
            judge.astype(np.int64),
            self.value.astype(np.int64),
        )


def in_order(unit: Keys, judge: Keys, value: Places) -> VoteColumns:
    """Votes that come in any order."""
    order = np.lexsort((judge, unit))
    return VoteColumns(unit[order], judge[order], value[order])


def joined(parts: Sequence[VoteColumns]) -> VoteColumns:
    """The votes on one question about different units."""
    nothing = np.zeros(0, dtype=np.int64)
    return in_order(
        np.concatenate([nothing, *(part.unit for part in parts)]),
        np.concatenate([nothing, *(part.judge for part in parts)]),
        np.concatenate([nothing, *(part.value for part in parts)]),
    )


def votes_on(
    key: str, given: Callable[[str], VoteColumns], asked: Collection[str], protocol: Protocol
) -> VoteColumns:
    """The votes on a question; `given` has the counted answers on each, `asked` what is asked.

    Where the question itself is not asked, the unasked vote only about what somebody answered.
    """
    own, dimension = given(key), protocol[key]
    if not dimension.unasked:
        return own
    [condition] = dimension.shown_when
    first = condition.dimension
    before = votes_on(first, given, asked, protocol)
    wanted = [protocol.places[first, value] for value in condition.values]
    others = before.where(~np.isin(before.value, wanted))
    if key not in asked:
        others = others.where(np.isin(others.unit, own.unit))
    return _with_unasked(own, others, protocol.places[key, dimension.unasked])


def _with_unasked(own: VoteColumns, others: VoteColumns, value: int) -> VoteColumns:
    """An answer that was given stands; of the others, who have none vote with `value`."""
    new = others.where(~is_among(others.unit, others.judge, own.unit, own.judge))
    if not len(new):
        return own
    return in_order(
        np.concatenate([own.unit, new.unit]),
        np.concatenate([own.judge, new.judge]),
        np.concatenate([own.value, np.full(len(new), value, dtype=own.value.dtype)]),
    )


def is_among(unit: Keys, judge: Keys, units: Keys, judges: Keys) -> Kept:
    """Which pairs of a unit (or response) and a judge are among others: what was given to whom."""
    factor = 1 + max(int(judge.max(initial=0)), int(judges.max(initial=0)))
    found: Kept = np.isin(_pairs(unit, judge, factor), _pairs(units, judges, factor))
    return found


def _pairs(first: Keys, second: Keys, factor: int) -> NDArray[np.int64]:
    """One number for each pair."""
    return first.astype(np.int64) * factor + second


# Answers as they are read ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class AnswerColumns:
    """Answers to any of the questions, a row for each. `dimension` is the place of the question,
    `value` that of the answer from low to high, -1 where it is none that people may give."""

    dimension: Places
    unit: Keys
    response: Keys
    judge: Keys
    value: Places
    protocol: Protocol

    def __len__(self) -> int:
        return len(self.unit)

    def where(self, kept: Kept) -> "AnswerColumns":
        return AnswerColumns(
            self.dimension[kept],
            self.unit[kept],
            self.response[kept],
            self.judge[kept],
            self.value[kept],
            self.protocol,
        )

    def on(self, key: str) -> VoteColumns:
        """The answers to one question that are votes."""
        own = (self.dimension == self.protocol.order[key]) & (self.value >= 0)
        return in_order(self.unit[own], self.judge[own], self.value[own])

    def votes(self, key: str, asked: Collection[str]) -> VoteColumns:
        """The votes on one question, where `asked` is what is asked."""
        return votes_on(key, self.on, asked, self.protocol)


Rows = Iterable[Sequence[Sequence[Any]]]
"""Columns of dimensions, units, responses, judges and values, some rows at a time."""


def answer_columns(rows: Rows, protocol: Protocol) -> AnswerColumns:
    """Columns from what a database gives."""
    order, places = protocol.order, protocol.places
    parts = [
        (
            np.array([order[key] for key in dimension], dtype=np.int8),
            np.array(unit, dtype=np.int64),
            np.array(response, dtype=np.int64),
            np.array(judge, dtype=np.int64),
            np.array([places.get(x, -1) for x in zip(dimension, value, strict=True)], np.int8),
        )
        for dimension, unit, response, judge, value in rows
    ]
    if not parts:
        nothing = np.zeros(0, dtype=np.int64)
        return AnswerColumns(nothing, nothing, nothing, nothing, nothing, protocol)
    dimension, unit, response, judge, value = (np.concatenate(x) for x in zip(*parts, strict=True))
    return AnswerColumns(dimension, unit, response, judge, value, protocol)

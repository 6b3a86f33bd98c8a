"""Votes: people's answers that count. This is the only definition of a vote.

An answer counts if people may give it, if its rater is not excluded, if it is in a finished rating
where it was given in a batch (`annotate.models.judging.COUNTS`), and, in one batch, if it is about
a unit that the rater was given there.

A dimension may be asked only after some answers to another one, and define the vote of raters with
other answers: an answer that is not interpretable is not attributable either. So for each judge w
and unit u, with "asked if y_uw(first) is one of `wanted`" (`Dimension.shown_when`, `unasked`):

    vote_uw = y_uw(question)     where w answered it
            = unasked            where w has a vote on the first question, none of `wanted`
            = none               otherwise

A vote is a place among the `values` of its dimension (`values_of`): choices from low to high, other
answers among all that were given.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.dimensions import Dimension
from annotate.protocol.protocol import Protocol
from evaluation.statistics.coded import Coded

Keys = NDArray[np.signedinteger[Any]]
"""Units, judges and responses, by places in lists or keys of a database."""

Places = NDArray[np.signedinteger[Any]]
Kept = NDArray[np.bool_]


def values_of(dimension: Dimension, given: Iterable[str]) -> tuple[str, ...]:
    """Return the possible votes: choices from low to high, other given answers in order.

    Numbers are sorted by size, other answers as texts.
    """
    if dimension.is_choice:
        return dimension.low_to_high
    return tuple(sorted({*given}, key=Decimal if dimension.answer == "number" else None))


@dataclass(frozen=True, slots=True, eq=False)
class VoteColumns:
    """Votes on one question, by unit and then judge; `value` is the place in `values`."""

    unit: Keys
    judge: Keys
    value: Places
    values: Sequence[str]

    def __len__(self) -> int:
        return len(self.unit)

    def where(self, kept: Kept) -> "VoteColumns":
        return VoteColumns(self.unit[kept], self.judge[kept], self.value[kept], self.values)

    def by_unit(self) -> dict[int, dict[int, str]]:
        """Return the values by unit and judge."""
        values = self.values
        result: dict[int, dict[int, str]] = {}
        for unit, judge, value in zip(
            self.unit.tolist(), self.judge.tolist(), self.value.tolist(), strict=True
        ):
            of_unit = result.get(unit)
            if of_unit is None:
                of_unit = result[unit] = {}
            of_unit[judge] = values[value]
        return result

    def coded(self) -> Coded:
        """Return the votes as arrays for coefficients of agreement."""
        units, unit = np.unique(self.unit, return_inverse=True)
        judges, judge = np.unique(self.judge, return_inverse=True)
        return Coded(
            tuple(units.tolist()),
            tuple(judges.tolist()),
            len(self.values),
            unit.astype(np.int64),
            judge.astype(np.int64),
            self.value.astype(np.int64),
        )


def in_order(unit: Keys, judge: Keys, value: Places, values: Sequence[str]) -> VoteColumns:
    """Return votes sorted by unit and judge."""
    order = np.lexsort((judge, unit))
    return VoteColumns(unit[order], judge[order], value[order], values)


def joined(dimension: Dimension, parts: Sequence[VoteColumns]) -> VoteColumns:
    """Join votes about different units on one dimension of choices."""
    empty = np.zeros(0, dtype=np.int64)
    return in_order(
        np.concatenate([empty, *(part.unit for part in parts)]),
        np.concatenate([empty, *(part.judge for part in parts)]),
        np.concatenate([empty, *(part.value for part in parts)]),
        dimension.low_to_high,
    )


def votes_on(
    key: str, given: Callable[[str], VoteColumns], asked: Collection[str], protocol: Protocol
) -> VoteColumns:
    """Return the votes on a dimension.

    `given` returns the counted answers on each dimension, `asked` has the active dimensions. If the
    dimension is not active, unasked votes are added only about units with an answer.
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
    """Add votes with `value` of the raters among `others` who have no answer."""
    new = others.where(~is_among(others.unit, others.judge, own.unit, own.judge))
    if not len(new):
        return own
    return in_order(
        np.concatenate([own.unit, new.unit]),
        np.concatenate([own.judge, new.judge]),
        np.concatenate([own.value, np.full(len(new), value, dtype=own.value.dtype)]),
        own.values,
    )


def is_among(unit: Keys, judge: Keys, units: Keys, judges: Keys) -> Kept:
    """Return which pairs of a unit (or response) and a judge are among other pairs."""
    factor = 1 + max(int(judge.max(initial=0)), int(judges.max(initial=0)))
    result: Kept = np.isin(_pairs(unit, judge, factor), _pairs(units, judges, factor))
    return result


def _pairs(first: Keys, second: Keys, factor: int) -> NDArray[np.int64]:
    """Return one number for each pair."""
    return first.astype(np.int64) * factor + second


# Answers from a database -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class AnswerColumns:
    """Answers on all dimensions, a row for each.

    `dimension` is the place of the dimension, `value` that of the answer among its `values`, or -1
    for an answer that people may not give.
    """

    dimension: Places
    unit: Keys
    response: Keys
    judge: Keys
    value: Places
    values: Mapping[str, Sequence[str]]
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
            self.values,
            self.protocol,
        )

    def on(self, key: str) -> VoteColumns:
        """Return the answers on one dimension that people may give."""
        own = (self.dimension == self.protocol.order[key]) & (self.value >= 0)
        return in_order(self.unit[own], self.judge[own], self.value[own], self.values[key])

    def votes(self, key: str, asked: Collection[str]) -> VoteColumns:
        """Return the votes on one dimension; `asked` has the active dimensions."""
        return votes_on(key, self.on, asked, self.protocol)


Rows = Iterable[Sequence[Sequence[Any]]]
"""Columns of dimensions, units, responses, judges and values, some rows at a time."""


def answer_columns(rows: Rows, protocol: Protocol) -> AnswerColumns:
    """Return columns of answers from rows of a database."""
    order, seen = protocol.order, _Seen(protocol)
    parts = [
        (
            np.array([order[key] for key in dimension], dtype=np.int8),
            np.array(unit, dtype=np.int64),
            np.array(response, dtype=np.int64),
            np.array(judge, dtype=np.int64),
            np.array([seen[x] for x in zip(dimension, value, strict=True)], dtype=np.int32),
        )
        for dimension, unit, response, judge, value in rows
    ]
    values = {key: values_of(one, seen.given.get(key, ())) for key, one in protocol.items()}
    if not parts:
        empty = np.zeros(0, dtype=np.int64)
        return AnswerColumns(empty, empty, empty, empty, empty, values, protocol)
    dimension, unit, response, judge, value = (np.concatenate(x) for x in zip(*parts, strict=True))
    for key, given in seen.given.items():
        rank = {answer: place for place, answer in enumerate(values[key])}
        own = dimension == order[key]
        value[own] = np.array([rank[answer] for answer in given], dtype=np.int32)[value[own]]
    return AnswerColumns(dimension, unit, response, judge, value, values, protocol)


class _Seen(dict[tuple[str, str], int]):
    """The places of answers by dimension and value.

    Places of choices are known; every other answer gets the next place of its dimension.
    """

    def __init__(self, protocol: Protocol) -> None:
        super().__init__(protocol.places)
        self.given: dict[str, list[str]] = {
            key: [] for key, one in protocol.items() if not one.is_choice
        }

    def __missing__(self, answer: tuple[str, str]) -> int:
        key, value = answer
        given = self.given.get(key)
        self[answer] = -1 if given is None else len(given)
        if given is not None:
            given.append(value)
        return self[answer]

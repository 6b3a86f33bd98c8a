"""One label for each unit, made of the raters' votes on it, and what names the way it was made.

Majority and Dawid-Skene are computed by `evaluation/statistics`, what is no choice by
`open_labels`. Where an adjudicator decided, the
decision stands instead of the majority; of several decisions the last one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import numpy as np

from annotate.protocol.dimensions import Dimension
from evaluation.statistics.dawid_skene import EstimatedLabel, dawid_skene, signature
from evaluation.statistics.majority import SHORT_RULE, Counts, majorities
from evaluation.statistics.open_labels import open_label
from evaluation.statistics.votes import Keys, Places, VoteColumns, values_of

Place = TypeVar("Place")


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumns:
    """The label of each unit that has one: its place in `values`, how many votes there are, and how
    many of them are the same as it."""

    unit: Keys
    value: Places
    votes: Places
    behind: Places
    values: Sequence[str]


def label_columns(dimension: Dimension, votes: VoteColumns) -> LabelColumns:
    """The labels of all units at once, by unit, as the question says that votes become one."""
    if not dimension.is_choice:
        return _open_labels(dimension, votes)
    size = len(dimension.low_to_high)
    units, row = np.unique(votes.unit, return_inverse=True)
    cells = row * size + votes.value
    table = np.bincount(cells, minlength=len(units) * size).reshape(len(units), size)
    value = label_places(dimension, table)
    known = value >= 0
    units, table, value = units[known], table[known], value[known]
    behind = table[np.arange(len(units)), value]
    return LabelColumns(units, value, table.sum(axis=1), behind, dimension.low_to_high)


def label_places(dimension: Dimension, table: Counts) -> Places:
    """The place of the label of units that have votes, from how often each value was given, units ×
    values; -1 where the question has none for a tie."""
    if dimension.label_by == "any":
        lowest: Places = (table > 0).argmax(axis=1)
        return lowest
    return majorities(table, median=dimension.is_likert, ties=dimension.ties)


def _open_labels(dimension: Dimension, votes: VoteColumns) -> LabelColumns:
    given = {unit: [*by.values()] for unit, by in votes.by_unit().items()}
    found = {unit: open_label(dimension, some) for unit, some in given.items()}
    made = [(unit, label, given[unit]) for unit, label in found.items() if label]
    values = values_of(dimension, (label for _, label, _ in made))
    place = {value: number for number, value in enumerate(values)}
    rows = [(unit, place[label], len(some), some.count(label)) for unit, label, some in made]
    unit, value, count, behind = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return LabelColumns(unit, value, count, behind, values)


def label_values(dimension: Dimension, votes: VoteColumns) -> dict[int, str]:
    """The label by unit."""
    if not len(votes):
        return {}
    found = label_columns(dimension, votes)
    return {
        unit: found.values[place]
        for unit, place in zip(found.unit.tolist(), found.value.tolist(), strict=True)
    }


def estimates(dimension: Dimension, votes: VoteColumns) -> dict[int, EstimatedLabel]:
    """What Dawid and Skene's model makes of all votes on a question: it is made of them at once.
    It is one of choices: of other answers it makes nothing."""
    return dawid_skene(votes.by_unit(), dimension.low_to_high) if dimension.is_choice else {}


def label_signature(method: str, batch: int | None = None, slices: Iterable[str] = ()) -> str:
    """The name of the judge that a method makes of people's votes, or of those in a batch, or on
    questions of some slices."""
    if method == "dawid-skene":
        return votes_signature(signature(), batch, slices)
    way = "majority" if method == "majority" else "adjudicated|else:majority"
    return votes_signature(way, batch, slices, rule=f"|rule:{SHORT_RULE}")


def votes_signature(
    way: str, batch: int | None = None, slices: Iterable[str] = (), *, rule: str = ""
) -> str:
    """The name of what is made in some way of people's votes."""
    end = "".join(f"|slice:{one}" for one in slices)
    of = "people" if batch is None else f"people,batch:{batch}"
    return f"{way}|of:{of}{rule}|v:1{end}"


def last_to_decide(decisions: Iterable[tuple[Place, datetime, str]]) -> dict[Place, str]:
    """Whose decision stands about each place: decisions are a place, when, and a judge's name.

    Of two at the same time the one of the judge whose name comes last.
    """
    last: dict[Place, tuple[datetime, str]] = {}
    for place, when, name in decisions:
        last[place] = max(last.get(place, (when, "")), (when, name))
    return {place: name for place, (_, name) in last.items()}

"""One label for each unit from the raters' votes, and the signature of the method.

Choices have a majority or a Dawid-Skene label, other answers one by `open_labels`. The decision of
an adjudicator replaces the majority; of several decisions, the last one does.
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
    """The label of each unit that has one, as its place in `values`.

    `votes` counts the votes on the unit, `behind` the votes that are the same as the label.
    """

    unit: Keys
    value: Places
    votes: Places
    behind: Places
    values: Sequence[str]


def label_columns(dimension: Dimension, votes: VoteColumns) -> LabelColumns:
    """Return the labels of all units, by the rule of the dimension."""
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
    """Return the place of each unit's label, or -1 where a tie has none.

    `table` says how often each value was given: units × values. Each unit has votes.
    """
    if dimension.label_by == "any":
        lowest: Places = (table > 0).argmax(axis=1)
        return lowest
    return majorities(table, median=dimension.is_likert, ties=dimension.ties)


def _open_labels(dimension: Dimension, votes: VoteColumns) -> LabelColumns:
    given = {unit: [*by.values()] for unit, by in votes.by_unit().items()}
    result = {unit: open_label(dimension, some) for unit, some in given.items()}
    made = [(unit, label, given[unit]) for unit, label in result.items() if label]
    values = values_of(dimension, (label for _, label, _ in made))
    place = {value: number for number, value in enumerate(values)}
    rows = [(unit, place[label], len(some), some.count(label)) for unit, label, some in made]
    unit, value, count, behind = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return LabelColumns(unit, value, count, behind, values)


def label_values(dimension: Dimension, votes: VoteColumns) -> dict[int, str]:
    """Return the label by unit."""
    if not len(votes):
        return {}
    result = label_columns(dimension, votes)
    return {
        unit: result.values[place]
        for unit, place in zip(result.unit.tolist(), result.value.tolist(), strict=True)
    }


def estimates(dimension: Dimension, votes: VoteColumns) -> dict[int, EstimatedLabel]:
    """Return labels by Dawid and Skene's model of all votes; only choices have some."""
    return dawid_skene(votes.by_unit(), dimension.low_to_high) if dimension.is_choice else {}


def label_signature(method: str, batch: int | None = None, slices: Iterable[str] = ()) -> str:
    """Return the name of the judge of labels by this method.

    The votes are people's, or those in a batch, or on questions of some slices.
    """
    if method == "dawid-skene":
        return votes_signature(signature(), batch, slices)
    way = "majority" if method == "majority" else "adjudicated|else:majority"
    return votes_signature(way, batch, slices, rule=f"|rule:{SHORT_RULE}")


def votes_signature(
    way: str, batch: int | None = None, slices: Iterable[str] = (), *, rule: str = ""
) -> str:
    """Return the signature of a method that combines people's votes."""
    end = "".join(f"|slice:{one}" for one in slices)
    of = "people" if batch is None else f"people,batch:{batch}"
    return f"{way}|of:{of}{rule}|v:1{end}"


def last_to_decide(decisions: Iterable[tuple[Place, datetime, str]]) -> dict[Place, str]:
    """Return whose decision counts at each place, from places, times and judges' names.

    Of two at the same time, the judge whose name comes last counts.
    """
    last: dict[Place, tuple[datetime, str]] = {}
    for place, when, name in decisions:
        last[place] = max(last.get(place, (when, "")), (when, name))
    return {place: name for place, (_, name) in last.items()}

"""One label for each unit, made of the raters' votes on it, and what names the way it was made.

Majority and Dawid-Skene are computed by `evaluation/agreement`. Where an adjudicator decided, the
decision stands instead of the majority; of several decisions the last one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import numpy as np

from annotate.protocol.dimensions import Dimension
from evaluation.agreement.dawid_skene import EstimatedLabel, dawid_skene, signature
from evaluation.agreement.majority import SHORT_RULE
from evaluation.agreement.majority import majorities as majorities_of_counts
from evaluation.numbers.votes import Keys, Places, VoteColumns

Place = TypeVar("Place")


@dataclass(frozen=True, slots=True, eq=False)
class MajorityColumns:
    """The majority of each unit that has votes: its place from low to high, how many votes there
    are, and how many of them are behind it."""

    unit: Keys
    value: Places
    votes: Places
    behind: Places


def majorities(dimension: Dimension, votes: VoteColumns) -> MajorityColumns:
    """The majority of all units at once, by unit."""
    size = len(dimension.low_to_high)
    units, row = np.unique(votes.unit, return_inverse=True)
    cells = row * size + votes.value
    table = np.bincount(cells, minlength=len(units) * size).reshape(len(units), size)
    value = majorities_of_counts(table, median=dimension.is_likert)
    return MajorityColumns(units, value, table.sum(axis=1), table[np.arange(len(units)), value])


def majority_values(dimension: Dimension, votes: VoteColumns) -> dict[int, str]:
    """The majority by unit."""
    found, values = majorities(dimension, votes), dimension.low_to_high
    return {
        unit: values[place]
        for unit, place in zip(found.unit.tolist(), found.value.tolist(), strict=True)
    }


def estimates(dimension: Dimension, votes: VoteColumns) -> dict[int, EstimatedLabel]:
    """What Dawid and Skene's model makes of all votes on a question: it is made of them at once."""
    values = dimension.low_to_high
    return dawid_skene(votes.by_unit(values), values)


def label_signature(method: str, batch: int | None = None, slices: Iterable[str] = ()) -> str:
    """The name of the judge that a method makes of people's votes, or of those in a batch, or on
    questions of some slices."""
    end = "".join(f"|slice:{one}" for one in slices)
    of = "people" if batch is None else f"people,batch:{batch}"
    if method == "dawid-skene":
        return f"{signature()}|of:{of}|v:1{end}"
    rule = f"of:{of}|rule:{SHORT_RULE}|v:1{end}"
    return f"majority|{rule}" if method == "majority" else f"adjudicated|else:majority|{rule}"


def last_to_decide(decisions: Iterable[tuple[Place, datetime, str]]) -> dict[Place, str]:
    """Whose decision stands about each place: decisions are a place, when, and a judge's name.

    Of two at the same time the one of the judge whose name comes last.
    """
    last: dict[Place, tuple[datetime, str]] = {}
    for place, when, name in decisions:
        last[place] = max(last.get(place, (when, "")), (when, name))
    return {place: name for place, (_, name) in last.items()}

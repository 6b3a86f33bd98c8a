"""One label for each unit, made of the raters' votes, as `evaluation/reading/labels.py` makes them.

Where nobody of the raters voted, a published majority counts. Derived labels are made of labels:
a citation is precise where most people say the statement is supported and by this citation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from evaluation.agreement.dawid_skene import dawid_skene, signature
from evaluation.agreement.majority import SHORT_RULE
from evaluation.agreement.scales import LIKERT, LOW_TO_HIGH
from evaluation.reports.data import BatchRecord, Flags01, Ints, JudgeRecord, Judgments
from evaluation.reports.filters import LabelMethod
from evaluation.reports.scope import Scope, places_of_values
from evaluation.reports.votes import VoteColumns


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels by unit, and what they are made by."""

    values: dict[int, str]
    sources: frozenset[str] = field(default_factory=frozenset)


def label_signature(method: LabelMethod, batch: BatchRecord | None) -> str:
    """The name of the judge that a method makes of people's votes."""
    of = "people" if batch is None else f"people,batch:{batch.id}"
    if method == "dawid-skene":
        return f"{signature()}|of:{of}|v:1"
    rule = f"of:{of}|rule:{SHORT_RULE}|v:1"
    return f"majority|{rule}" if method == "majority" else f"adjudicated|else:majority|{rule}"


def labels_of(scope: Scope, key: str, votes: VoteColumns) -> Labels:
    """The labels on one of the questions that people are asked."""
    method = scope.filters.labels
    if method == "dawid-skene":
        estimates = dawid_skene(votes.by_unit(LOW_TO_HIGH[key]), LOW_TO_HIGH[key])
        made = {unit: estimate.value for unit, estimate in estimates.items()}
    else:
        made = majorities(key, votes)
    if method == "adjudicated":
        made |= _decided(scope, key)
    sources = {label_signature(method, scope.batch)} if made else set()
    for judge, unit, value in _published(scope, key):
        if unit not in made:
            made[unit] = value
            sources.add(scope.data.judges[judge].name)
    return Labels(dict(sorted(made.items())), frozenset(sources))


def majorities(key: str, votes: VoteColumns) -> dict[int, str]:
    """The majority by the rule of `evaluation/agreement/majority`, of all units at once."""
    values = LOW_TO_HIGH[key]
    units, rows = np.unique(votes.unit, return_inverse=True)
    cells = np.bincount(rows * len(values) + votes.value, minlength=len(units) * len(values))
    counts = cells.reshape(len(units), len(values))
    if key in LIKERT:
        middle = (counts.sum(axis=1) - 1) // 2
        best = (counts.cumsum(axis=1) > middle[:, None]).argmax(axis=1)
    else:
        best = counts.argmax(axis=1)
    return {unit: values[value] for unit, value in zip(units.tolist(), best.tolist(), strict=True)}


def _decided(scope: Scope, key: str) -> dict[int, str]:
    """What adjudicators decided last."""
    judgments, rows = scope.data.judgments, scope.rows(key)
    standing = ~judgments.overruled[rows]
    return {unit: value for _, unit, value in _answers(scope, key, "adjudicated", standing)}


def _published(scope: Scope, key: str) -> list[tuple[int, int, str]]:
    return _answers(scope, key, "majority")


def _answers(
    scope: Scope, key: str, kind: str, wanted: Flags01 | None = None
) -> list[tuple[int, int, str]]:
    """Judge, unit and value of the answers of one kind of judge, by unit and then judge."""
    if key not in scope.asked and scope.batch is not None:
        return []
    rows, judgments = scope.rows(key), scope.data.judgments
    unit: Ints = judgments.unit[rows]
    judge: Ints = judgments.judge[rows]
    values = LOW_TO_HIGH[key]
    value = places_of_values(key, values)[judgments.value[rows]]
    some = (value >= 0) & scope.is_kind(kind)[judge] & scope.unit_selected[unit]
    if wanted is not None:
        some &= wanted
    return [
        (one, about, values[place])
        for one, about, place in zip(
            judge[some].tolist(), unit[some].tolist(), value[some].tolist(), strict=True
        )
    ]


def overruled(
    judgments: Judgments,
    judges: Sequence[JudgeRecord],
    times: Mapping[tuple[int, int, int], datetime],
) -> Flags01:
    """Which adjudicated answers another one came after: `times` by dimension, unit and judge.

    Of two at the same time the one of the judge whose name comes last stands.
    """
    last: dict[tuple[int, int], tuple[datetime, str]] = {}
    for (dimension, unit, judge), time in times.items():
        place = (dimension, unit)
        last[place] = max(last.get(place, (time, "")), (time, judges[judge].name))
    found = np.zeros(len(judgments), dtype=bool)
    is_adjudicator = np.array([judge.kind == "adjudicated" for judge in judges], dtype=bool)
    for row in np.flatnonzero(is_adjudicator[judgments.judge]).tolist():
        dimension, unit = int(judgments.dimension[row]), int(judgments.unit[row])
        name = judges[judgments.judge[row]].name
        if judgments.value[row] >= 0 and (dimension, unit) in last:
            found[row] = last[dimension, unit][1] != name
    return found

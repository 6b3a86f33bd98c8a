"""One label for each unit, from the raters' votes (`evaluation/statistics/labels.py`).

Without votes, a published majority counts. Derived labels are made from labels: a citation is
precise if most people say that the statement is supported, and by this citation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from evaluation.reports.data import Flags01, Ints, JudgeRecord, Judgments, places_of_values
from evaluation.reports.scope import ReportScope
from evaluation.statistics.labels import estimates, label_signature, label_values, last_to_decide
from evaluation.statistics.votes import VoteColumns


@dataclass(frozen=True, slots=True)
class UnitLabels:
    """Labels by unit, and their sources."""

    values: dict[int, str]
    sources: frozenset[str] = field(default_factory=frozenset)
    decided: frozenset[int] = frozenset()
    """Units whose label is not made from votes, but adjudicated or published."""


def labels_of(scope: ReportScope, key: str, votes: VoteColumns) -> UnitLabels:
    """Return the labels on a dimension that people answer."""
    method, decided = scope.filters.labels, set[int]()
    if method == "dawid-skene":
        made = {
            unit: estimate.value
            for unit, estimate in estimates(scope.data.protocol[key], votes).items()
        }
    else:
        made = label_values(scope.data.protocol[key], votes)
    if method == "adjudicated":
        made |= (by_head := _decided(scope, key))
        decided.update(by_head)
    sources = {label_signature(method, scope.batch_id)} if made else set()
    for judge, unit, value in _answers(scope, key, "majority"):
        if unit not in made:
            made[unit] = value
            decided.add(unit)
            sources.add(scope.data.judges[judge].name)
    return UnitLabels(dict(sorted(made.items())), frozenset(sources), frozenset(decided))


def _decided(scope: ReportScope, key: str) -> dict[int, str]:
    """Return the adjudicators' last decisions."""
    judgments, rows = scope.data.judgments, scope.rows(key)
    standing = ~judgments.overruled[rows]
    return {unit: value for _, unit, value in _answers(scope, key, "adjudicated", standing)}


def _answers(
    scope: ReportScope, key: str, kind: str, wanted: Flags01 | None = None
) -> list[tuple[int, int, str]]:
    """Return judge, unit and value of the answers of one kind of judge, by unit, then judge."""
    if key not in scope.asked and scope.batch is not None:
        return []
    rows, judgments = scope.rows(key), scope.data.judgments
    unit: Ints = judgments.unit[rows]
    judge: Ints = judgments.judge[rows]
    values = scope.data.votable(key)
    value = places_of_values(scope.data.values(key), values)[judgments.value[rows]]
    some = (value >= 0) & scope.is_kind(kind)[judge] & scope.unit_selected[unit]
    some &= scope.of_its_claims[unit]
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
    """Return which adjudicated answers a later one replaces; `times` by dimension, unit, judge."""
    last = last_to_decide(
        ((dimension, unit), when, judges[judge].name)
        for (dimension, unit, judge), when in times.items()
    )
    found = np.zeros(len(judgments), dtype=bool)
    is_adjudicator = np.array([judge.kind == "adjudicated" for judge in judges], dtype=bool)
    for row in np.flatnonzero(is_adjudicator[judgments.judge]).tolist():
        place = int(judgments.dimension[row]), int(judgments.unit[row])
        if judgments.value[row] >= 0 and place in last:
            found[row] = last[place] != judges[judgments.judge[row]].name
    return found

"""What people answered, as it counts.

Where a question is asked only after one answer to another, who gave another answer votes with the
lowest choice: an answer that is not interpretable is not attributable either.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotate.protocol.dimensions import DIMENSIONS
from evaluation.agreement.derived import citation_precision
from evaluation.agreement.scales import LOW_TO_HIGH
from evaluation.reports.data import KINDS, Bytes, Flags01, Ints, ReportData
from evaluation.reports.items import Item
from evaluation.reports.ordering import place_of
from evaluation.reports.scope import Scope, pairs, places_of_values

Votes = dict[int, dict[int, str]]
"""Values by unit and judge."""


@dataclass(frozen=True, slots=True, eq=False)
class VoteColumns:
    """Votes on one question, by unit and then judge; `value` is the place from low to high."""

    unit: Ints
    judge: Ints
    value: Bytes

    def __len__(self) -> int:
        return len(self.unit)

    def by_unit(self, values: Sequence[str]) -> Votes:
        found: Votes = {}
        for unit, judge, value in zip(
            self.unit.tolist(), self.judge.tolist(), self.value.tolist(), strict=True
        ):
            of_unit = found.get(unit)
            if of_unit is None:
                of_unit = found[unit] = {}
            of_unit[judge] = values[value]
        return found


def vote_columns(scope: Scope, key: str) -> VoteColumns:
    """The votes on one of the questions that people are asked."""
    given = _given(scope, key)
    condition = DIMENSIONS[key].only_if
    return given if condition is None else _with_unasked(scope, key, given, *condition)


def _given(scope: Scope, key: str) -> VoteColumns:
    rows, judgments = scope.rows(key), scope.data.judgments
    unit, judge = judgments.unit[rows], judgments.judge[rows]
    value = places_of_values(key, LOW_TO_HIGH[key])[judgments.value[rows]]
    counted = (value >= 0) & scope.counts[judge] & scope.unit_selected[unit]
    unit, judge, value = unit[counted], judge[counted], value[counted]
    inside: Flags01 = scope.in_batch(key, unit, judge)
    return VoteColumns(unit[inside], judge[inside], value[inside])


def _with_unasked(
    scope: Scope, key: str, given: VoteColumns, first: str, wanted: str
) -> VoteColumns:
    before = _given(scope, first)
    negative = before.value != LOW_TO_HIGH[first].index(wanted)
    unit, judge = before.unit[negative], before.judge[negative]
    judges = len(scope.data.judges)
    new = ~np.isin(pairs(unit, judge, judges), pairs(given.unit, given.judge, judges))
    if key not in scope.asked:
        new &= np.isin(unit, given.unit)
    unit = np.concatenate([given.unit, unit[new]])
    judge = np.concatenate([given.judge, judge[new]])
    value = np.concatenate([given.value, np.zeros(int(new.sum()), dtype=np.int8)])
    order = np.argsort(pairs(unit, judge, judges), kind="stable")
    return VoteColumns(unit[order], judge[order], value[order])


def derived_votes(item: Item, recall: Votes, support: Votes, texts: Mapping[int, int]) -> Votes:
    """Of each judge, what its own answers come to; `texts` as in `text_of`."""
    assert item.rule is not None
    return citation_precision(recall, support, texts, rule=item.rule)


def text_of(data: ReportData, item: Item) -> dict[int, int]:
    """The statement or claim of every citation that an item derived of both is about.

    Appendix E looks at a statement's other citations: at those that count, which have a passage
    and stand within the study's cap.
    """
    units = data.units
    kind = KINDS.index(item.unit_kind.value)
    counts = units.kind == kind
    if item.rule == "appendix-e":
        counts = counts & units.in_range
    found = np.flatnonzero(counts)
    texts = dict(zip(found.tolist(), units.parent[found].tolist(), strict=True))
    cap = data.study.citation_cap
    if item.rule == "appendix-e" and cap is not None:
        return {unit: text for unit, text in texts.items() if place_of(units.key[unit])[2] <= cap}
    return texts

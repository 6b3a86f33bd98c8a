"""People's votes in a selection (`evaluation/statistics/votes.py`), and derived votes."""

from collections.abc import Mapping, Sequence

import numpy as np

from annotate.protocol.dimensions import PARENTS, UnitKind
from annotate.protocol.formulas import tested_answers
from annotate.protocol.steps import OPEN_AGAIN
from evaluation.reports.canonical_order import place_of
from evaluation.reports.data import KINDS, Ints, ReportData, places_of_values
from evaluation.reports.items import ReportItem
from evaluation.reports.scope import ReportScope
from evaluation.statistics.derived import derive
from evaluation.statistics.votes import VoteColumns, votes_on

CITATIONS = (UnitKind.CITATION, UnitKind.CLAIM_CITATION)

Votes = dict[int, dict[int, str]]
"""Values by unit and judge."""


def vote_columns(scope: ReportScope, key: str) -> VoteColumns:
    """Return the votes on a dimension that people answer."""
    return votes_on(key, lambda question: _given(scope, question), scope.asked, scope.data.protocol)


def _given(scope: ReportScope, key: str) -> VoteColumns:
    """Return the answers that count, in the order of units and judges."""
    rows, judgments = scope.rows(key), scope.data.judgments
    unit, judge = judgments.unit[rows], judgments.judge[rows]
    values = scope.data.votable(key)
    value = places_of_values(scope.data.values(key), values)[judgments.value[rows]]
    counted = (value >= 0) & scope.counts[judge] & scope.unit_selected[unit]
    given = VoteColumns(unit[counted], judge[counted], value[counted], values)
    return given.where(scope.in_batch(key, given.unit, given.judge))


def skips(scope: ReportScope, key: str) -> tuple[Ints, Ints]:
    """Return the raters who skipped a dimension, and the places of their reasons."""
    rows, judgments = scope.rows(key), scope.data.judgments
    unit, judge, reason = judgments.unit[rows], judgments.judge[rows], judgments.reason[rows]
    open_again = [n for n, said in enumerate(scope.data.reasons) if said in OPEN_AGAIN]
    counted = (reason >= 0) & ~np.isin(reason, open_again)
    counted &= scope.counts[judge] & scope.unit_selected[unit]
    counted &= scope.in_batch(key, unit, judge)
    return judge[counted], reason[counted]


def derived_votes(
    data: ReportData, item: ReportItem, votes: Sequence[Votes], above: Mapping[int, int]
) -> Votes:
    """Derive each judge's vote from its `votes` on the item's sources; `above` is that of
    `above_of`."""
    assert item.derived is not None
    answers = dict(zip(item.derived_from, votes, strict=True))
    return derive(item.derived, answers, above, data.protocol)


def above_of(data: ReportData, item: ReportItem) -> dict[int, int]:
    """Return the parent of each unit of a derived item, and further ancestors if needed.

    If the item uses sibling citations, only citations with a passage and within the study's cap
    count.
    """
    assert item.derived is not None
    units = data.units
    places = {answer.place for answer in tested_answers(item.derived)}
    counts = units.kind == KINDS.index(item.unit_kind.value)
    if "sibling" in places:
        counts = counts & units.in_range
    found = np.flatnonzero(counts)
    above = dict(zip(found.tolist(), units.parent[found].tolist(), strict=True))
    cap = data.study.citation_cap
    if "sibling" in places and cap is not None and item.unit_kind in CITATIONS:
        above = {u: text for u, text in above.items() if place_of(units.key[u])[-1] <= cap}
    if "child" in places:
        kinds = [KINDS.index(kind) for kind, of in PARENTS.items() if of is item.unit_kind]
        found = np.flatnonzero(np.isin(units.kind, kinds))
        above |= dict(zip(found.tolist(), units.parent[found].tolist(), strict=True))
    while "response" in places and (higher := {*above.values()} - above.keys() - {-1}):
        further = {unit: int(units.parent[unit]) for unit in higher}
        known = {unit: parent for unit, parent in further.items() if parent >= 0}
        if not known:
            break
        above |= known
    return above

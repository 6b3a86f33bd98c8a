"""People's votes on what a report is about, see `evaluation/numbers/votes.py`, and what is derived
of them."""

from collections.abc import Mapping

import numpy as np

from annotate.protocol.dimensions import DIMENSIONS
from evaluation.agreement.derived import citation_precision
from evaluation.numbers.votes import VoteColumns, votes_on
from evaluation.reports.data import KINDS, ReportData
from evaluation.reports.items import ReportItem
from evaluation.reports.ordering import place_of
from evaluation.reports.scope import Scope, places_of_values

Votes = dict[int, dict[int, str]]
"""Values by unit and judge."""


def vote_columns(scope: Scope, key: str) -> VoteColumns:
    """The votes on one of the questions that people are asked."""
    return votes_on(key, lambda question: _given(scope, question), scope.asked)


def _given(scope: Scope, key: str) -> VoteColumns:
    """The answers that count: the data have them in the order of units and judges."""
    rows, judgments = scope.rows(key), scope.data.judgments
    unit, judge = judgments.unit[rows], judgments.judge[rows]
    value = places_of_values(key, DIMENSIONS[key].low_to_high)[judgments.value[rows]]
    counted = (value >= 0) & scope.counts[judge] & scope.unit_selected[unit]
    given = VoteColumns(unit[counted], judge[counted], value[counted])
    return given.where(scope.in_batch(key, given.unit, given.judge))


def derived_votes(
    item: ReportItem, recall: Votes, support: Votes, texts: Mapping[int, int]
) -> Votes:
    """Of each judge, what its own answers come to; `texts` as in `text_of`."""
    assert item.rule is not None
    return citation_precision(recall, support, texts, rule=item.rule)


def text_of(data: ReportData, item: ReportItem) -> dict[int, int]:
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
        return {unit: text for unit, text in texts.items() if place_of(units.key[unit])[-1] <= cap}
    return texts

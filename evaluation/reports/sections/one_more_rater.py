"""A judge and a left-out rater, both against the other raters (`statistics/one_more_rater.py`)."""

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import figure_json, number
from evaluation.reports.sections.within_slices import paired, signed_within, slices_of
from evaluation.reports.selection import Selected
from evaluation.reports.shape.judges import OneMoreRater
from evaluation.reports.shape.values import Number
from evaluation.statistics.bootstrap import per_cluster
from evaluation.statistics.coded import Coded
from evaluation.statistics.means import means
from evaluation.statistics.one_more_rater import COSTS, OneOut, alt_test, left_out
from evaluation.statistics.ratings import undefined
from evaluation.statistics.stratified import by_slice, kappas_within

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

MOST_CELLS = 4_000_000
"""Cells of tables by question and rater in memory at a time: 32 MB."""

UNKNOWN = "no single rater's answers are known"
TOO_FEW = "no unit that the judge answered has 3 raters"
OF = "ratings"


def one_more_rater(
    selected: Selected, item: ReportItem, judge: int, ratings: Coded, said: Whole
) -> OneMoreRater:
    """Compare the judge with each rater. `said` has the place of its value by unit, or -1."""
    rows = left_out(ratings, said)
    unit = np.array(ratings.units, dtype=np.int64)[rows.unit]
    question = selected.unit_question[unit].astype(np.int64)

    def two(each: Sequence[Floats], weights: Floats, n: int, of: str, name: str) -> list[Number]:
        """Return the weighted means of judge and rater, and their difference."""
        pairs = np.stack([np.column_stack([one * weights, weights]) for one in each], axis=1)
        sums = per_cluster(pairs, question, len(selected.questions))
        return paired(selected, sums, means, n, of, name, least=0.0)

    kappas = votes = [number(undefined(TOO_FEW if ratings.judges else UNKNOWN), n=0, of=OF)] * 3
    labels, tied = rows.labels(median=item.is_likert)
    if len(unit):
        kappas = _kappas(selected, item, rows, question, labels)
        away = rows.distances_to_votes(_scores(selected, item, judge, unit))
        votes = two(away, rows.times, len(rows.rater), OF, "brier|votes")
    tested = alt_test(rows, question, item.scale)
    advantage = number(tested.winning[COSTS[0]], n=tested.raters, of="raters")
    if advantage["value"] is not None:
        wins = rows.wins(item.scale)
        advantage = two(wins, tested.weights, tested.raters, "raters", "alt-test")[0]
    return {
        "judge": kappas[0],
        "rater": kappas[1],
        "difference": kappas[2],
        "tied": tied,
        "votes_judge": votes[0],
        "votes_rater": votes[1],
        "advantage": advantage,
        "winning": {str(cost): figure_json(rate) for cost, rate in tested.winning.items()},
        "left_out": tested.left_out,
    }


def _scores(selected: Selected, item: ReportItem, judge: int, unit: Whole) -> Floats:
    """Return the judge's scores of "yes" on these units, NaN if it gives no probability."""
    given = selected.scores(judge, item.key) if item.is_yes_no else {}
    found = np.full(len(selected.unit_question), np.nan)
    if all(0 <= score <= 1 for score in given.values()):
        found[list(given)] = list(given.values())
    return found[unit]


def _kappas(
    selected: Selected, item: ReportItem, rows: OneOut, question: Whole, labels: Floats
) -> list[Number]:
    """Return kappa of judge and rater with the others' majority, and their difference; within
    slices if questions have some."""
    row, label = np.nonzero(labels)
    times = labels[row, label] * rows.times[row]
    shape = len(item.values), len(item.values)
    tables = [
        counted([question[row], label, one[row]], shape, selected, times)
        for one in (rows.judge, rows.said)
    ]
    slices, signature = slices_of(selected), "cohen|leave-one-out"
    if slices is not None:
        signature = f"{signature}|{signed_within(selected)}"

    def both(drawn: Floats) -> Floats:
        return np.stack([kappas_within(drawn[:, :, n], item.scale) for n in (0, 1)], axis=1)

    sums = np.stack(tables, axis=1)
    sums = sums[:, None] if slices is None else by_slice(sums, slices)
    return paired(selected, sums, both, len(rows.rater), OF, signature)


def counted(
    places: Sequence[Whole], shape: tuple[int, ...], selected: Selected, by: Floats | None = None
) -> Floats:
    """Count each combination of places; the first place is the question."""
    whole = (len(selected.questions), *shape)
    flat = np.ravel_multi_index(tuple(places), whole)
    found: Floats = np.bincount(flat, by, prod(whole)).reshape(whole).astype(float)
    return found

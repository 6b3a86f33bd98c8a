"""A judge beside one more rater: both against the other raters (`statistics/one_more_rater.py`)."""

from collections.abc import Sequence
from dataclasses import replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import figure_json, number
from evaluation.reports.sections.scores import bars
from evaluation.reports.sections.within_slices import signed_within, slices_of
from evaluation.reports.selection import Selected
from evaluation.reports.shape.judges import AlternativeAnnotatorTest, OneMoreRater, VotesBy
from evaluation.reports.shape.values import Number
from evaluation.statistics.bootstrap import Interval, per_cluster
from evaluation.statistics.coded import Coded
from evaluation.statistics.cohen import kappas
from evaluation.statistics.error_bars import ErrorBar, OfSums, by_t, by_z, of_sums
from evaluation.statistics.labels import label_places
from evaluation.statistics.majority import Counts, majorities
from evaluation.statistics.means import means
from evaluation.statistics.one_more_rater import (
    LEAST_OTHERS,
    OneOut,
    alt_test,
    distances_to_votes,
    left_out,
)
from evaluation.statistics.ratings import Figure, undefined
from evaluation.statistics.stratified import by_slice, kappas_within

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

MOST_CELLS = 4_000_000
"""Of tables by question and rater that may be held at a time: 32 MB."""

TOO_FEW = f"no unit that the judge answered has {LEAST_OTHERS + 1} raters"
ALL_THE_SAME = "all answers are the same"
UNKNOWN = "no single rater's answers are known"
OF = "ratings"


def one_more_rater(
    selected: Selected, item: ReportItem, judge: int, ratings: Coded, said: Whole
) -> OneMoreRater:
    """`said` has the place of the judge's value for each unit of the ratings, or -1."""
    rows = left_out(ratings, said)
    unit = np.array(ratings.units, dtype=np.int64)[rows.unit]
    question = selected.unit_question[unit].astype(np.int64)
    labels, tied = rows.labels(lambda table: _majority(selected, item, table))
    kappa = _kappas(selected, item, rows, question, labels)
    scores, by = _scores(selected, item, judge, unit)
    votes = _two(
        selected,
        of_sums(_sums(selected, question, distances_to_votes(rows, scores)), means),
        len(unit),
        f"brier|votes|{by}",
        least=0.0,
    )
    return {
        "judge": kappa[0],
        "rater": kappa[1],
        "difference": kappa[2],
        "tied": tied,
        "votes_judge": votes[0],
        "votes_rater": votes[1],
        "votes_by": by,
        "alt_test": _alt_test(selected, item, rows, question),
    }


def _majority(selected: Selected, item: ReportItem, table: Counts) -> Whole:
    """As people's label is made, but that a tie has none."""
    if item.is_derived:
        return majorities(table, median=item.is_likert, ties="none")
    found = label_places(replace(selected.data.protocol[item.key], ties="none"), table)
    return found.astype(np.int64)


def _scores(
    selected: Selected, item: ReportItem, judge: int, unit: Whole
) -> tuple[Floats | None, VotesBy]:
    """The judge's scores of "yes" on these units, where it gives probabilities."""
    given = selected.scores(judge, item.key) if item.is_yes_no else {}
    found = np.full(len(selected.unit_question), np.nan)
    found[list(given)] = list(given.values())
    if not given or np.nanmin(found) < 0 or np.nanmax(found) > 1:
        return None, "answer"
    return found[unit], "score"


def _sums(selected: Selected, question: Whole, each: Sequence[Floats]) -> Floats:
    """By question: the sum and the count of each."""
    rows = np.stack([np.column_stack([one, np.ones(len(one))]) for one in each], axis=1)
    return per_cluster(rows, question, len(selected.questions))


def _kappas(
    selected: Selected, item: ReportItem, rows: OneOut, question: Whole, labels: Floats
) -> list[Number]:
    """Of judge and rater with the others' majority, and their difference; within slices where
    questions have some."""
    row, label = np.nonzero(labels)
    shape, weights = (len(item.values), len(item.values)), labels[row, label]
    tables = np.stack(
        [
            counted([question[row], label, one[row]], shape, selected, weights)
            for one in (rows.judge, rows.said)
        ],
        axis=1,
    )
    slices = slices_of(selected)
    signature = "cohen|leave-one-out"
    if slices is not None:
        tables, signature = by_slice(tables, slices), f"{signature}|{signed_within(selected)}"

    def each(drawn: Floats) -> Floats:
        of = kappas if slices is None else kappas_within
        return np.column_stack([of(drawn[..., place, :, :], item.scale) for place in (0, 1)])

    return _two(selected, of_sums(tables, each), len(labels), signature)


def _two(
    selected: Selected,
    summed: OfSums,
    n: int,
    signature: str,
    *,
    least: float = -1.0,
) -> list[Number]:
    """The judge's number, the rater's and their difference."""
    if not n:
        return [number(undefined(TOO_FEW), n=n, of=OF)] * 3

    def three(drawn: Floats) -> Floats:
        judge, rater = summed.statistic(drawn).T
        return np.column_stack([judge, rater, judge - rater])

    values = three(summed.sums.sum(axis=0)[None])[0]
    questions = int(np.count_nonzero(summed.sums.any(axis=tuple(range(1, summed.sums.ndim)))))

    def shown(value: float, bar: ErrorBar, *, by: str) -> Number:
        figure = Figure(float(value)) if np.isfinite(value) else undefined(ALL_THE_SAME)
        interval: Interval | None = by_z(figure.value, bar, questions, least=least)
        if by == "t":
            interval = None if figure.value is None else by_t(figure.value, bar, questions)
        signed = f"{signature}|interval:{by}"
        return number(figure, n=n, of=OF, bar=bar, interval=interval, signature=signed)

    found = bars(selected, of_sums(summed.sums, three))
    return [shown(*one, by=by) for *one, by in zip(values, found, "zzt", strict=True)]


def _alt_test(
    selected: Selected, item: ReportItem, rows: OneOut, question: Whole
) -> AlternativeAnnotatorTest:
    found = alt_test(rows, question, item.scale)
    bar, interval = None, None
    shape = (len(found.raters), 2)
    fits = len(selected.questions) * prod(shape) <= MOST_CELLS
    if found.advantage.value is not None and fits:
        place = np.searchsorted(found.raters, rows.rater)
        kept = np.isin(rows.rater, found.raters)
        wins = counted(
            [question[kept], place[kept]], shape[:1], selected, rows.wins(item.scale)[0][kept]
        )
        units = counted([question[kept], place[kept]], shape[:1], selected)
        sums = np.stack([wins, units], axis=-1)
        [bar] = bars(selected, of_sums(sums, lambda some: means(some).mean(axis=1)))
        questions = int(np.count_nonzero(units.any(axis=1)))
        interval = by_z(found.advantage.value, bar, questions, least=0.0)
    return {
        "raters": len(found.raters),
        "too_few": found.too_few,
        "advantage": number(
            found.advantage, n=len(found.raters), of="raters", bar=bar, interval=interval,
            signature="alt-test|interval:z",
        ),
        "winning": [
            {"cost": cost, "rate": figure_json(figure)} for cost, figure in found.winning.items()
        ],
    }  # fmt: skip


def counted(
    places: Sequence[Whole],
    shape: tuple[int, ...],
    selected: Selected,
    weights: Floats | None = None,
) -> Floats:
    """How often each combination of places occurs; the first place is that of the question."""
    whole = (len(selected.questions), *shape)
    flat = np.ravel_multi_index(tuple(places), whole)
    found: Floats = np.bincount(flat, weights, prod(whole)).reshape(whole).astype(float)
    return found

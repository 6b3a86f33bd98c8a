"""Compare the numbers of two reports.

If the data of both are available and both share questions, the difference is tested: the questions
of both are drawn together, and shared ones once for both, as for two slices
(`sections/slices.py`). With θ₁ and θ₂ a number in each, and stars for draws:

    difference  d = θ₁ - θ₂, its 95 % interval made of those of both, as they are printed, and of
                how alike θ₁* and θ₂* move (`statistics/error_bars.py`)
    p           two-sided, of d / s by Student's t, s being the standard deviation of θ₁* - θ₂*
    Holm        over all differences of one table

Otherwise nothing is tested, and the interval is that of two independent numbers. If they rest on
the same questions after all, it is usually too wide. Correlations over systems are compared this
way: draws of questions do not show their whole error.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import hypot

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.comparing.drawing import Drawing
from evaluation.reports.comparing.numbers import NumberPlace, numbers_of
from evaluation.reports.numbers import rounded
from evaluation.reports.selection import Selected
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.values import Number
from evaluation.statistics.bootstrap import LEAST_DEFINED, Interval
from evaluation.statistics.comparison import holm, two_sided
from evaluation.statistics.error_bars import (
    ALWAYS_THE_SAME,
    TIED,
    TOO_OFTEN_UNDEFINED,
    Summand,
    difference,
    replicates,
)
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]

FEWEST_SHARED = 2
NOT_PAIRED = "not tested: the two reports are not paired"
NOT_DRAWN = "not tested: draws of questions do not give the error of correlations over systems"
NO_ERROR = "one of the two has no standard error"
UNDEFINED = "one of the two is undefined"


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two reports with its title, and its data where available."""

    title: str
    report: Report
    selected: Selected | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """A number in the one report and in the other; None where a report has no such number."""

    place: NumberPlace
    one: Number | None
    other: Number | None
    difference: Figure
    standard_error: Figure
    interval: Interval
    signature: str
    p: Figure
    p_holm: Figure


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two reports side by side."""

    one: Side
    other: Side
    shared: int | None
    """Questions in both; None if the data are not available."""

    paired: bool
    rows: list[Difference]

    @property
    def tables(self) -> dict[tuple[str, ...], list[Difference]]:
        """Return the rows of each table, in the order of the first report."""
        found: dict[tuple[str, ...], list[Difference]] = {}
        for row in self.rows:
            found.setdefault(row.place.table, []).append(row)
        return found


def compare(one: Side, other: Side, *, paired: bool = True) -> Comparison:
    """Compare all tables of which both reports have a row; test them if they can be paired.

    Without `paired` nothing is: questions of two studies may have the same names by chance.
    """
    first, second = numbers_of(one.report), numbers_of(other.report)
    both = {place.table for place in first if place in second}
    places = [place for place in {**first, **second} if place.table in both]
    shared: int | None = None
    differ: Differ = _from_errors
    if one.selected is not None and other.selected is not None:
        shared = len({*Drawing(one.selected).questions} & {*Drawing(other.selected).questions})
        paired = paired and shared >= FEWEST_SHARED
        if paired:
            differ = _from_draws(Drawing(one.selected), Drawing(other.selected), places)
    else:
        paired = False
    rows = [_difference(place, first.get(place), second.get(place), differ) for place in places]
    found = Comparison(one, other, shared, paired, rows)
    corrected = [row for some in found.tables.values() for row in _corrected(some)]
    return replace(found, rows=corrected)


Found = tuple[Figure, Figure, Interval, str, Figure]
Differ = Callable[[NumberPlace, Number, Number], Found]
"""The difference, its standard error and interval, how they were made, and p."""


def _difference(
    place: NumberPlace, one: Number | None, other: Number | None, differ: Differ
) -> Difference:
    if one is None or other is None or one["value"] is None or other["value"] is None:
        reason = UNDEFINED if one is not None and other is not None else "one report has none"
        nothing = undefined(reason)
        found: Found = nothing, nothing, Interval(None, None, reason), "", nothing
    else:
        found = differ(place, one, other)
    difference, error, interval, signature, p = found
    return Difference(place, one, other, difference, error, interval, signature, p, p)


def _corrected(rows: list[Difference]) -> Iterable[Difference]:
    by_holm = holm([row.p for row in rows])
    return [replace(row, p_holm=p) for row, p in zip(rows, by_holm, strict=True)]


def _from_errors(
    place: NumberPlace, one: Number, other: Number, untested: str = NOT_PAIRED
) -> Found:
    """Return the difference of two independent numbers."""
    signature = "difference|independent|interval:mover|level:0.95|v:2"
    error = undefined(NO_ERROR)
    if one["se"] is not None and other["se"] is not None:
        error = Figure(hypot(one["se"], other["se"]))
    interval = difference(_part(one), _part(other))
    return _less(one, other), error, interval, signature, undefined(untested)


def _less(one: Number, other: Number) -> Figure:
    """Return the difference of the printed numbers."""
    assert one["value"] is not None
    assert other["value"] is not None
    return Figure(rounded(one["value"] - other["value"]))


def _part(number: Number) -> Summand:
    """Return the number with its printed interval."""
    assert number["value"] is not None
    interval = Interval(number["low"], number["high"], number["interval_reason"])
    return Summand(number["value"], interval)


def _from_draws(one: Drawing, other: Drawing, wanted: list[NumberPlace]) -> Differ:
    """Draw the questions of both reports, shared ones once for both."""
    questions = sorted({*one.questions, *other.questions})
    at = {question: place for place, question in enumerate(questions)}
    sides = [
        (
            drawing,
            [at[question] for question in drawing.questions],
            {place: n for n, place in enumerate(drawing.places)},
        )
        for drawing in (one, other)
    ]
    known = [place for place in wanted if all(place in columns for _, _, columns in sides)]
    column = {place: n for n, place in enumerate(known)}

    def statistic(weights: Floats) -> Floats:
        first, second = (
            drawing.numbers(weights[:, own])[:, [columns[place] for place in known]]
            for drawing, own, columns in sides
        )
        found: Floats = np.hstack([first, second])
        return found

    filters, seed = one.selected.filters, one.selected.seed
    value = statistic(np.ones((1, len(questions))))[0]
    drawn = replicates(statistic, len(questions), resamples=filters.resamples, seed=seed)
    signature = (
        f"difference|paired|bootstrap|clusters:{len(questions)}|resamples:{filters.resamples}"
        f"|seed:{seed}|interval:mover|p:t|level:0.95|holm|v:3"
    )

    def differ(place: NumberPlace, first: Number, second: Number) -> Found:
        if place not in column:
            return _from_errors(place, first, second, NOT_DRAWN)
        both = [column[place], column[place] + len(known)]
        d = float(np.subtract(*value[both]))
        shown = _less(first, second)
        error, reason = _errors(d, drawn[:, both])
        if error is None:
            nothing = undefined(reason)
            return shown, nothing, Interval(None, None, reason), signature, nothing
        interval = difference(_part(first), _part(second), error)
        p = two_sided(d / error[2], len(questions) - 1)
        return shown, Figure(error[2]), interval, signature, p

    return differ


def _errors(difference: float, drawn: Floats) -> tuple[tuple[float, float, float] | None, str]:
    """Return the standard errors of both and of their difference, or why there are none."""
    known = drawn[np.isfinite(drawn).all(axis=1)]
    less = known[:, 0] - known[:, 1]
    if len(known) < max(2, LEAST_DEFINED * len(drawn)):
        return None, TOO_OFTEN_UNDEFINED
    if float(np.ptp(less)) <= TIED * max(1.0, abs(difference)):
        return None, ALWAYS_THE_SAME
    first, second, both = (float(one.std(ddof=1)) for one in (*known.T, less))
    return (first, second, both), ""

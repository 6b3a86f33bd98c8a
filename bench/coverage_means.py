"""Coverage of the means of systems, of differences of two systems and of two slices.

Answers are yes or no (*answers*), shares of their statements (*statements*), degrees of three
raters (*degrees*), or numbers without an upper end: penalties and counts. Slices are of other
questions, or share some, which the system answers alike in both.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bench.coverage import Said, Simulation
from evaluation.reports.tables import names
from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.comparison import compare_columns
from evaluation.statistics.error_bars import (
    ErrorBar,
    Summand,
    by_log,
    by_t,
    by_z,
    combined,
    difference,
    error_bar,
    error_bars,
    of_sums,
)
from evaluation.statistics.means import means

Floats = NDArray[np.float64]

Ends = Callable[[float, ErrorBar, int], Interval]

RESAMPLES = 1_000


def mean_of_one(
    kind: str, true: float, questions: int, interval: Ends, draw: np.random.Generator
) -> Said:
    """A system's number: of answers that are yes or no, the share of their statements, or degrees
    from 1 to 5, with the error bar that its table has."""
    each = VALUES[kind](true, questions, draw)
    bar = error_bar(
        of_sums(np.stack([each, np.ones_like(each)], axis=1), means), questions, resamples=RESAMPLES
    )
    value = float(each.mean())
    return _said(true, value, interval(value, bar, questions))


def _answers(true: float, questions: int, draw: np.random.Generator) -> Floats:
    return (draw.random(questions) < true).astype(float)


def _statements(true: float, questions: int, draw: np.random.Generator) -> Floats:
    """Of one to eight statements, those of an answer more alike than by chance."""
    good = draw.beta(2 * true, 2 * (1 - true), questions)
    many = draw.integers(1, 9, questions)
    found: Floats = draw.binomial(many, good) / many
    return found


def _degrees(true: float, questions: int, draw: np.random.Generator) -> Floats:
    """The mean of three raters; `true` is the degree less 1, of 4."""
    good = draw.beta(3 * true, 3 * (1 - true), questions)
    found: Floats = draw.binomial(4, good[:, None], (questions, 3)).mean(axis=1) / 4
    return found


VALUES: dict[str, Callable[[float, int, np.random.Generator], Floats]] = {
    "answers": _answers,
    "statements": _statements,
    "degrees": _degrees,
}


def penalty_of_one(
    kind: str, questions: int, interval: Ends, warns: bool, draw: np.random.Generator
) -> Said:
    """A system's number that has no upper end: a penalty by how bad errors are, or a count."""
    true, of = WITHOUT_END[kind]
    each = of(questions, draw)
    bar = error_bar(
        of_sums(np.stack([each, np.ones_like(each)], axis=1), means), questions, resamples=RESAMPLES
    )
    value = float(each.mean())
    found = _said(true, value, interval(value, bar, questions))
    return replace(found, warned=warns and questions < names.WITHOUT_END)


def _errors(questions: int, draw: np.random.Generator) -> Floats:
    """Of each answer, errors that count 1 and rarer ones that count 5."""
    return draw.poisson(1, questions) + 5.0 * draw.poisson(0.3, questions)


def _critical(questions: int, draw: np.random.Generator) -> Floats:
    """In three of a hundred answers another that counts 25."""
    return _errors(questions, draw) + 25.0 * (draw.random(questions) < 0.03)


def _spans(questions: int, draw: np.random.Generator) -> Floats:
    return draw.poisson(0.5, questions).astype(float)


WITHOUT_END: dict[str, tuple[float, Callable[[int, np.random.Generator], Floats]]] = {
    "penalty": (2.5, _errors),
    "critical": (3.25, _critical),
    "spans": (0.5, _spans),
}


def difference_of_two(
    kind: str,
    true: tuple[float, float],
    questions: int,
    warns: bool,
    draw: np.random.Generator,
) -> Said:
    """One system minus another, both asked the same; percentiles where there are no warnings."""
    table = np.column_stack([VALUES[kind](share, questions, draw) for share in true])
    [found] = compare_columns(["one", "other"], table)
    interval = found.interval
    if not warns:
        bar = error_bar(
            of_sums(table[:, 0] - table[:, 1], lambda sums: sums / questions),
            questions,
            resamples=RESAMPLES,
        )
        interval = bar.percentile
    said = _said(true[0] - true[1], found.difference.value, interval)
    return replace(said, warned=warns and questions < names.DIFFERENCES)


def slices_of_one(
    kind: str,
    slices: tuple[tuple[float, int], ...],
    shared: int,
    what: str,
    draw: np.random.Generator,
) -> Said:
    """A system's true shares in slices of so many questions, the last of one being the first of the
    next (of two alone): the macro mean, or the difference as it is printed, or by percentiles."""
    sizes = [questions for _, questions in slices]
    total, first = sum(sizes) - shared * (len(sizes) - 1), 0
    marks = np.zeros((total, len(slices), 2))
    for place, (true, questions) in enumerate(slices):
        marks[first : first + questions, place, 0] = VALUES[kind](true, questions, draw)
        marks[first : first + questions, place, 1] = 1
        if place and shared:  # what both share is answered alike in both
            marks[first : first + shared, place, 0] = marks[first : first + shared, place - 1, 0]
        first += questions - shared
    factors = np.full(len(slices), 1 / len(slices)) if what == "macro" else np.array([1.0, -1.0])

    def statistic(sums: Floats) -> Floats:
        each = means(sums)
        return np.column_stack([each, each @ factors])

    *values, value = statistic(marks.sum(axis=0)[None])[0].tolist()
    *bars, bar = error_bars(of_sums(marks, statistic), total, resamples=RESAMPLES)
    parts = [
        Summand(one, by_z(one, own, questions, least=0.0))
        for one, own, questions in zip(values, bars, sizes, strict=True)
    ]
    shares = np.array([true for true, _ in slices])
    shares[1:] += shared / np.array(sizes[1:]) * (shares[:-1] - shares[1:])
    true = float(shares @ factors)
    errors = [own.standard_error.value or 0.0 for own in (*bars, bar)]
    interval = bar.percentile
    if what == "macro":
        interval = combined([replace(one, factor=1 / len(parts)) for one in parts])
    elif what == "difference":
        (one, other), (first_error, second_error, both) = parts, errors
        interval = difference(one, other, (first_error, second_error, both))
    few = what == "difference" and min(sizes) < names.SLICES
    return replace(_said(true, value, interval), warned=few)


def _said(true: float, value: float | None, interval: Interval) -> Said:
    return Said(true, value, interval.low, interval.high)


INTERVALS: dict[str, Ends] = {
    "": partial(by_z, least=0.0),
    ", percentile": lambda value, bar, questions: bar.percentile,
    ", t": by_t,
}
"""What is printed; and to compare with."""

SIMULATIONS = (
    *(
        Simulation(
            f"Mean of a system, {kind}{way}",
            f"{questions} questions, {true:g}",
            partial(mean_of_one, kind, true, questions, interval),
            # Of few answers that are yes or no there are few means at all: their intervals hold
            # the truth in too many or too few studies, by which share is the true one.
            held=not way and (kind != "answers" or questions > 25),
        )
        for way, interval in INTERVALS.items()
        for kind in VALUES
        for questions in (10, 25, 100, 400)
        for true in (0.5, 0.7, 0.9)
    ),
    *(
        Simulation(
            f"No upper end, {kind}{way}",
            f"{questions} questions",
            partial(penalty_of_one, kind, questions, interval, not way),
            held=not way,
        )
        for way, interval in {"": by_log, ", percentile": INTERVALS[", percentile"]}.items()
        for kind in WITHOUT_END
        for questions in (10, 25, 50, 100, 400)
    ),
    *(
        Simulation(
            f"Difference, {kind}{way}",
            f"{questions} questions, {one:g} and {other:g}",
            partial(difference_of_two, kind, (one, other), questions, not way),
            held=not way,
        )
        for way in ("", ", percentile")
        for kind in ("answers", "statements")
        for questions in (10, 25, 50, 100)
        for one, other in ((0.95, 0.9), (0.9, 0.7), (0.7, 0.65))
    ),
    *(
        Simulation(
            f"{name}, {kind}",
            f"{of} questions, {' and '.join(f'{true:g}' for true in shares)}",
            partial(slices_of_one, kind, tuple(zip(shares, sizes, strict=True)), shared, what),
            held=what != "percentile",
        )
        for name, what in (
            ("Difference of slices", "difference"),
            ("Difference of slices, percentile", "percentile"),
        )
        for kind in VALUES
        for of, sizes, shared in (
            ("25 and 25", (25, 25), 0),
            ("50 and 200", (50, 200), 0),
            ("100 and 100", (100, 100), 0),
            ("100 and 400", (100, 400), 0),
            ("100 and 100, 50 shared,", (100, 100), 50),
        )
        for shares in ((0.9, 0.9), (0.8, 0.6))
    ),
    *(
        Simulation(
            f"Macro mean, {kind}",
            f"{' and '.join(map(str, sizes))} questions, {true:g}",
            partial(slices_of_one, kind, tuple((true, size) for size in sizes), 0, "macro"),
            held=kind != "answers",
        )
        for kind in VALUES
        for sizes in ((25, 25), (25, 100, 400))
        for true in (0.5, 0.9)
    ),
)

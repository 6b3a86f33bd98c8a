"""Differences adjusted for unlike raters, and the size and power of the alternative annotator test.

A vote for a system's answer is a yes with a chance that is the sum of system, question, answer and
rater, so that the true difference of two systems is known. In *blocks*, half of the raters rate
mostly one half of the systems.

In the alternative annotator test raters give the true answer, of two, or err. Two answers to one
question are alike with the chance `ALIKE`. A judge *at the border* errs so often that it wins just
ε less often than each rater: then every rejection is false. The row counts studies without one.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from bench.coverage import Said, Simulation
from evaluation.statistics.coded import Coded
from evaluation.statistics.one_more_rater import COSTS, OneOut, alt_test, left_out
from evaluation.statistics.rater_mix import adjusted

Floats = NDArray[np.float64]

GOOD, STRICT = 0.1, 0.15
"""Systems and raters lie evenly from minus to plus this."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """`each` of the raters rate an answer; in blocks `other` of the raters' answers are of the
    other half's systems."""

    questions: int
    systems: int
    raters: int
    each: int
    other: float | None = None

    def said(self, draw: np.random.Generator) -> Said:
        shape = self.questions, self.systems, self.raters
        good, strict = (
            np.linspace(-most, most, n) for most, n in ((GOOD, self.systems), (STRICT, self.raters))
        )
        chance = 0.5 + good[:, None] + strict + draw.uniform(-0.15, 0.15, (self.questions, 1, 1))
        chance = chance + draw.uniform(-0.1, 0.1, (*shape[:2], 1))
        order = draw.random(shape)
        if self.other is not None:
            system, rater = (np.arange(n) * 2 // n for n in shape[1:])
            away = np.where(draw.random((*shape[:2], 1)) < self.other, -1, 1)
            order = order + away * (system[:, None] != rater)
        kept = order.argsort(axis=2).argsort(axis=2) < self.each
        question, system, rater = np.nonzero(kept)
        votes = (draw.random(shape) < chance)[kept].astype(float)
        weight = np.full(len(votes), 1 / self.each)
        found = adjusted(votes, weight, question, system, rater).get((0, self.systems - 1))
        if found is None:
            return Said(-2 * GOOD, None, None, None)
        interval = found.interval
        return Said(-2 * GOOD, found.difference.value, interval.low, interval.high)


MIXED = (
    Mixed(40, 4, 10, 2, 0.3),
    Mixed(100, 4, 6, 3, 0.2),
    Mixed(25, 4, 30, 3),
    Mixed(40, 4, 60, 1),
    Mixed(100, 4, 60, 1),
)

ALIKE, ERR = 0.3, 0.2


@dataclass(frozen=True, slots=True)
class Raters:
    """`each` of the raters rate each of several answers to a question."""

    questions: int
    answers: int
    raters: int
    each: int

    def rows(self, draw: np.random.Generator, judge: float) -> OneOut:
        units = self.questions * self.answers
        of_question = draw.random(self.questions).repeat(self.answers)
        alike = draw.random(units) < ALIKE
        truth = np.where(alike, of_question, draw.random(units)) < 0.5
        shape = units, self.raters
        rater = draw.permuted(np.broadcast_to(np.arange(self.raters), shape), axis=1)[
            :, : self.each
        ]
        said = truth[:, None] ^ (draw.random(rater.shape) < ERR)
        own = truth ^ (draw.random(units) < judge)
        unit = np.arange(units).repeat(self.each)
        places = tuple(range(units)), tuple(range(self.raters)), 2
        ratings = Coded(
            *places, unit, rater.ravel().astype(np.int64), said.ravel().astype(np.int64)
        )
        return left_out(ratings, own.astype(np.int64))

    def winning(self, draw: np.random.Generator, judge: float, cost: float) -> float:
        rows = self.rows(draw, judge)
        found = alt_test(rows, rows.unit // self.answers, "nominal").winning[cost]
        return found.value or 0.0


def at_border(raters: Raters, cost: float) -> float:
    """How often a judge errs that wins just this less often than each rater: as often as the
    others' majority is right, less as often as it is wrong, what the judge errs more counts."""
    others = raters.each - 1
    right = binom.pmf(np.arange(others + 1), others, 1 - ERR)
    sign = np.sign(2 * np.arange(others + 1) - others)
    return float(ERR + cost / (right @ sign))


def false_rejections(raters: Raters, cost: float, draw: np.random.Generator) -> Said:
    """The winning rate of a judge at the border; 0 is meant."""
    found = raters.winning(draw, at_border(raters, cost), cost)
    return Said(0.0, found, found, found)


def passes(raters: Raters, cost: float, draw: np.random.Generator) -> Said:
    """Whether a judge that is exactly one more rater passes."""
    found = float(raters.winning(draw, ERR, cost) >= 0.5)
    return Said(1.0, found, found, found)


TESTED = (
    Raters(40, 3, 3, 3),
    Raters(100, 1, 3, 3),
    Raters(100, 3, 5, 5),
    Raters(100, 3, 10, 5),
    Raters(200, 3, 10, 5),
)


def _rows() -> Iterator[Simulation]:
    for mixed in MIXED:
        blocks = "" if mixed.other is None else f", blocks, {mixed.other:g} other"
        design = f"{mixed.questions} q., {mixed.systems} systems, {mixed.each} of {mixed.raters}"
        yield Simulation("Difference adjusted for raters", design + blocks, mixed.said)
    for number, cost, say, held in KINDS:
        for one in TESTED:
            design = f"{one.questions} × {one.answers} answers, {one.each} of {one.raters} raters"
            study = partial(say, one, cost)
            yield Simulation(f"{number}, ε {cost:g}", design, study, held, most=1.0)


KINDS: tuple[tuple[str, float, Callable[..., Said], bool], ...] = (
    *(("No false rejection", cost, false_rejections, True) for cost in COSTS),
    *(("One more rater passes", cost, passes, False) for cost in COSTS),
)
SIMULATIONS = tuple(_rows())

"""The held-out kappa of a chosen threshold, and its gain over 0.5: do the intervals hold the truth?

The truth is what the threshold that is best on all of a study's answers is worth on very many
others. Questions differ in how often people say yes, and a judge's scores of one question have an
error in common.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bench.coverage import Said, Simulation, row
from evaluation.statistics.ranking import scored
from evaluation.statistics.threshold import kappa_by_threshold, worth_held_out

Floats = NDArray[np.float64]
RESAMPLES, MANY, FIXED = 400, 200_000, 50


@dataclass(frozen=True, slots=True)
class ScoresDesign:
    """A judge's scores: log-odds about `shift`, higher by `slope` where people say yes."""

    name: str
    slope: float
    shift: float

    def made(
        self, draw: np.random.Generator, questions: int, each: int
    ) -> tuple[NDArray[np.bool_], Floats, NDArray[np.int64]]:
        """People's answers, scores and the question of each unit."""
        of = np.repeat(np.arange(questions), each)
        labels = draw.random(len(of)) < draw.beta(2, 2, questions)[of]
        error = draw.normal(0, 1, len(of)) + draw.normal(0, 0.5, questions)[of]
        return labels, 1 / (1 + np.exp(-self.slope * labels - self.shift - error)), of

    def elsewhere(self) -> Floats:
        """Kappa on other answers, by hundredths."""
        return _elsewhere(self)


@cache
def _elsewhere(design: ScoresDesign) -> Floats:
    labels, scores, _ = design.made(np.random.default_rng(1), MANY, 1)
    data = scored(dict(enumerate(labels.tolist())), dict(enumerate(scores.tolist())))
    return np.array([cut.kappa.value or 0.0 for cut in kappa_by_threshold(data, 0.5).curve])


HELPS = ScoresDesign("scores far too low", 2.5, -3.5)
USELESS = ScoresDesign("0.5 nearly the best", 1.2, -0.6)
GOOD = ScoresDesign("a good judge", 2.5, -1.2)
WEAK = ScoresDesign("weak scores", 0.5, -0.3)

INTERVALS = tuple(
    (design, questions, each)
    for questions, each in ((40, 3), (50, 1), (100, 3), (200, 3))
    for design in (HELPS, USELESS, GOOD, WEAK)
)


def _study(design: ScoresDesign, questions: int, each: int, is_gain: bool) -> Callable[..., Said]:
    def study(draw: np.random.Generator) -> Said:
        labels, scores, of = design.made(draw, questions, each)
        data = scored(dict(enumerate(labels.tolist())), dict(enumerate(scores.tolist())))
        places = of[list(data.units)]
        best, true = kappa_by_threshold(data, 0.5).best, design.elsewhere()
        chosen = true[FIXED if best is None else round(100 * best.threshold)]
        found = worth_held_out(data, places, 0.5, resamples=RESAMPLES)
        one = found.gain if is_gain else found.kappa
        known = float(chosen - true[FIXED] if is_gain else chosen)
        return Said(known, one.figure.value, one.interval.low, one.interval.high)

    return study


def coverage_of(design: ScoresDesign, questions: int, each: int, *, studies: int) -> float:
    """How often the interval of the held-out kappa holds the truth."""
    return row(Simulation("", "", _study(design, questions, each, False)), studies).coverage


SIMULATIONS = tuple(
    Simulation(
        number, f"{questions} × {each}, {design.name}", _study(design, questions, each, gain)
    )
    for number, gain in (("held-out kappa of a threshold", False), ("gain of a threshold", True))
    for design, questions, each in INTERVALS
)

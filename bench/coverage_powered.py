"""Coverage of people's number with the help of a judge that judged what nobody rated.

Answers are yes or no, and the judge is right about so many of them; or shares of three statements,
about which both err by chance. The judge's rate corrected for its sensitivity and specificity holds
also where people rated other questions than the rest. How often rated questions are said to differ
from the rest stands here as an interval that does not hold.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from bench.coverage import Said, Simulation
from evaluation.statistics.comparison import LEVEL
from evaluation.statistics.prediction_powered import FEW, prediction_powered
from evaluation.statistics.rated_sample import compared
from evaluation.statistics.rogan_gladen import corrected_rate

Floats = NDArray[np.float64]


def _answers(true: float, right: float, many: int, draw: np.random.Generator) -> list[Floats]:
    people = draw.random(many) < true
    judge = np.where(draw.random(many) < right, people, ~people)
    return [people.astype(float), judge.astype(float)]


def _statements(true: float, right: float, many: int, draw: np.random.Generator) -> list[Floats]:
    del right  # both err by chance
    good = draw.beta(6 * true, 6 * (1 - true), many)
    return [draw.binomial(3, good) / 3 for _ in range(2)]


OF = {"answers": _answers, "statements": _statements}


def of_one(
    kind: str, alone: bool, design: tuple[float, float, int, int], draw: np.random.Generator
) -> Said:
    """What is printed of a system that people rated in part: with the judge, or without."""
    true, right, rated, others = design
    people, judge = OF[kind](true, right, rated + others, draw)
    found = prediction_powered(people[:rated], judge[:rated], judge[rated:], ends=(0.0, 1.0))
    one = found.people if alone else found.powered
    return Said(true, one.mean.value, one.interval.low, one.interval.high, rated < FEW)


def best_of(judges: int, rated: int, draw: np.random.Generator) -> Said:
    """People's number with the help of the one of several judges that has the largest weight."""
    people = draw.random(11 * rated) < 0.8
    right = [np.where(draw.random(11 * rated) < 0.7, people, ~people) for _ in range(judges)]
    y = people.astype(float)
    every = [
        prediction_powered(y[:rated], f[:rated], f[rated:], ends=(0.0, 1.0))
        for f in np.array(right, dtype=float)
    ]
    one = max(every, key=lambda found: found.weight).powered
    return Said(0.8, one.mean.value, one.interval.low, one.interval.high, rated < FEW)


def corrected_of_one(
    statements: int, design: tuple[float, float, float, float], rated: int,
    draw: np.random.Generator,
) -> Said:  # fmt: skip
    """The judge's rate corrected, where the shares of rated questions and of others are these."""
    share, of_others, sensitivity, specificity = design
    true = np.where(np.arange(11 * rated) < rated, share, of_others)
    good = true if statements == 1 else draw.beta(6 * true, 6 * (1 - true))
    people = draw.random((statements, len(true))) < good
    chance = draw.random(people.shape)
    judge = np.where(people, chance < sensitivity, chance > specificity)
    y, f = people.mean(axis=0), judge.mean(axis=0)
    found = corrected_rate(y[:rated], f[:rated], f[rated:])
    return Said(
        float(true.mean()), found.mean.value, found.interval.low, found.interval.high, rated < FEW
    )


def alike(skewed: bool, rated: int, draw: np.random.Generator) -> Said:
    """Whether questions drawn by chance are said to be like the rest, by the judge's answers of
    three systems: the interval holds the truth where they are."""
    easy = draw.beta(9, 1, 10 * rated) if skewed else draw.beta(2, 2, 10 * rated)
    judge = (draw.random((10 * rated, 3)) < easy[:, None]).astype(float)
    chosen = np.zeros(judge.shape, dtype=bool)
    chosen[draw.permutation(len(judge))[:rated]] = True
    found = compared(chosen, ~chosen, judge)
    p = 1.0 if found is None else found.p
    return Said(1.0, p, 0.0, 1.0 if p >= LEVEL else 0.0)


SIMULATIONS = (
    *(
        Simulation(
            f"Few ratings, {kind}, {'people alone' if alone else 'with a judge'}",
            f"{rated} and {others} questions, {true:g}, right {right:g}",
            partial(of_one, kind, alone, (true, right, rated, others)),
            # Of few answers that are yes or no there are few means at all.
            held=kind != "answers" or rated >= 100,
        )
        for kind in OF
        for alone in (False, True)
        for true, right in ((0.5, 0.9), (0.9, 0.9))
        for rated, others in ((40, 400), (100, 1_000), (200, 1_000))
    ),
    *(
        Simulation(
            f"Few ratings, best of {judges} judges",
            f"{rated} and {10 * rated} questions, 0.8, right 0.7",
            partial(best_of, judges, rated),
        )
        for judges, rated in ((5, 40), (5, 100), (10, 100))
    ),
    *(
        Simulation(
            f"Judge, corrected, {'answers' if statements == 1 else 'statements'}",
            f"{rated} rated: {share:g}, others: {others:g}, right {right[0]:g} and {right[1]:g}",
            partial(corrected_of_one, statements, (share, others, *right), rated),
            # Of few answers that are no there is hardly a specificity.
            held=rated >= 100,
        )
        for statements in (1, 3)
        for share, others, right in (
            (0.5, 0.5, (0.9, 0.9)),
            (0.9, 0.9, (0.9, 0.9)),
            (0.9, 0.6, (0.85, 0.85)),
            (0.5, 0.5, (0.7, 0.7)),
        )
        for rated in (40, 100, 200)
    ),
    *(
        Simulation(
            f"Rated like the rest, {'nearly all yes' if skewed else 'half yes'}",
            f"{rated} of {10 * rated} questions",
            partial(alike, skewed, rated),
        )
        for skewed in (False, True)
        for rated in (20, 40, 100)
    ),
)

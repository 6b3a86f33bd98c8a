"""Coverage of people's number with the help of a judge that judged what nobody rated.

Answers are yes or no, and the judge is right about so many of them; or shares of three statements,
about which both err by chance.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from bench.coverage import Said, Simulation
from evaluation.statistics.prediction_powered import FEW, prediction_powered

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


SIMULATIONS = tuple(
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
)

"""Coverage of the Bradley-Terry model: strengths, differences, win rates, advantage of the first.

Strengths vary over questions, and in some designs over raters, so that the model is not what made
the answers. The true numbers are those of a study with 20,000 questions and as many raters.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from bench.coverage import Said, Simulation
from bench.made_up_pairs import PairDesign, pair_answers
from evaluation.statistics.bradley_terry import ModelNumber, Preferences, bradley_terry

FOUR = (0.6, 0.2, -0.2, -0.6)
EIGHT = (1.4, 1.0, 0.6, 0.2, -0.2, -0.6, -1.0, -1.4)
DESIGNS = {
    "4 systems, 20 q., 3 votes": PairDesign(FOUR, 20, 3, 3, 6),
    "4 systems, 50 q., 1 vote, 2 pairs": PairDesign(FOUR, 50, 3, 1, 2, first=0.3),
    "4 systems, 100 q., 3 votes": PairDesign(FOUR, 100, 3, 3, 2, first=0.3),
    "8 systems, 100 q., 3 pairs": PairDesign(EIGHT, 100, 3, 1, 3),
    "4 systems, 50 q., 10 raters": PairDesign(FOUR, 50, 10, 1, 3, by_rater=0.5),
    "4 systems, 100 q., 5 raters": PairDesign(FOUR, 100, 5, 1, 3, first=0.3, by_rater=0.3),
    "4 systems, 100 q., 30 raters": PairDesign(FOUR, 100, 30, 1, 3, first=0.3, by_rater=0.5),
    "4 systems, 50 q., 10 alike raters": PairDesign(FOUR, 50, 10, 1, 3),
}
NUMBERS: dict[str, Callable[[Preferences], ModelNumber]] = {
    "Bradley-Terry, strength": lambda fitted: fitted.strength(0),
    "Bradley-Terry, difference": lambda fitted: fitted.tests()[0][2],
    "Bradley-Terry, win rate": lambda fitted: fitted.rate(0),
    "Bradley-Terry, shown first": lambda fitted: fitted.first_shown(),
}


def _fitted(draw: np.random.Generator, design: PairDesign) -> Preferences:
    return bradley_terry(pair_answers(draw, design), len(design.strengths))


@lru_cache(maxsize=1)
def _true(number: Callable[[Preferences], ModelNumber], design: PairDesign) -> float:
    many = replace(design, questions=20_000, raters=20_000, votes=1)
    value = number(_fitted(np.random.default_rng(1), many)).figure.value
    return 0.0 if value is None else value


def _one(
    number: Callable[[Preferences], ModelNumber], design: PairDesign, draw: np.random.Generator
) -> Said:
    found = number(_fitted(draw, design))
    low, high = found.interval.low, found.interval.high
    return Said(_true(number, design), found.figure.value, low, high)


SIMULATIONS = tuple(
    Simulation(name, words, partial(_one, number, design))
    for words, design in DESIGNS.items()
    for name, number in NUMBERS.items()
)

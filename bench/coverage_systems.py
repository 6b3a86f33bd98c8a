"""Coverage of Pearson over systems, as more questions and more systems would tell it.

People and a judge say yes or no to the answer of each system to each question: yes where what the
system is worth to them, how easy the question is and chance come to more than 0. What systems are
worth to people and to the judge goes together, what chance adds to the two as well, and questions
are as easy for both; so each system's share of yes over endless questions is known. `spread` is how
far systems are apart: .35 as in Attributed QA (AIS of 28 to 70 %), .15 where they are much alike.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from bench.coverage import Said, Simulation
from evaluation.statistics.attenuation import Attenuated, attenuated
from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.comparison import compare_columns, ranked
from evaluation.statistics.correlation import correlation, pearsons
from evaluation.statistics.error_bars import error_bar, of_sums
from evaluation.statistics.means import means
from evaluation.statistics.system_order import drawn_means, soft_accuracy, soft_statistic

Floats = NDArray[np.float64]

RESAMPLES = 1_000
DRAWS = {"resamples": RESAMPLES, "seed": 0}
EASY = 0.7
TOGETHER = 0.5
"""Of the chance in one answer: Pearson of what it adds for people and for the judge."""


class Study:
    """What people and a judge say of the answers of so many systems."""

    def __init__(
        self, draw: np.random.Generator, systems: int, questions: int, rho: float, spread: float
    ) -> None:
        self.questions, self.rho, self.spread = questions, rho, spread
        self.draw, self.good = draw, _together(draw, rho, systems) * spread
        shares = norm.cdf(self.good / np.sqrt(1 + EASY**2))
        self.true = float(np.corrcoef(shares)[0, 1])
        self.sums = self.asked()

    def asked(self) -> Floats:
        """Questions × systems × judge and people × (sum, count), of other questions each time."""
        chance = _together(self.draw, TOGETHER, self.questions, self.good.shape[1])
        easy = self.draw.normal(0, EASY, (self.questions, 1))
        marks = np.moveaxis(self.good[:, None, :] + easy + chance > 0, 0, 2).astype(float)
        return np.stack([marks, np.ones_like(marks)], axis=3)

    @property
    def means(self) -> tuple[Floats, Floats]:
        x, y = means(self.sums.sum(axis=0)).T
        return x, y

    def worth(self) -> Attenuated:
        both = drawn_means(self.sums, **DRAWS)
        return attenuated(*self.means, both[..., 0], both[..., 1], self.questions)


def _together(draw: np.random.Generator, rho: float, *shape: int) -> Floats:
    one, other = draw.standard_normal((2, *shape))
    return np.stack([one, rho * one + np.sqrt(1 - rho**2) * other])


def these(study: Study) -> Said:
    """What is printed: of these systems, over endless questions."""
    found = study.worth()
    return _said(study.true, found.these.figure.value, found.these.interval, found.warning)


def others(study: Study) -> Said:
    """What is printed beside it: of all systems that these might have been drawn from."""
    found = study.worth()
    true, said = _of_all_systems(study.rho, study.spread), found.others
    return _said(true, said.figure.value, said.interval, found.warning)


def soft(study: Study) -> Said:
    """Soft pairwise accuracy: of these systems, the mean over other sets of as many questions."""
    value, interval = soft_accuracy(study.sums, **DRAWS)
    all_questions = np.ones((1, study.questions))
    other = [soft_statistic(study.asked())(all_questions) for _ in range(50)]
    return _said(float(np.mean(other)), value.value, interval, study.worth().warning)


@lru_cache
def _of_all_systems(rho: float, spread: float) -> float:
    many = _together(np.random.default_rng(1), rho, 1_000_000) * spread
    return float(np.corrcoef(norm.cdf(many / np.sqrt(1 + EASY**2)))[0, 1])


def pearsons_of_means(summed: Floats) -> Floats:
    """Pearson, over systems, of the means of each draw."""
    return pearsons(*np.moveaxis(means(summed), 2, 0))


def as_it_is(which: str, study: Study) -> Said:
    """Pearson of the means, with the intervals of drawing questions alone."""
    x, y = study.means
    bar = error_bar(
        of_sums(study.sums, pearsons_of_means),
        study.questions,
        resamples=RESAMPLES,
    )
    interval = bar.bca if which == "BCa" else bar.percentile
    return _said(study.true, correlation(x.tolist(), y.tolist()).value, interval)


def drawn_again(study: Study) -> Said:
    """Pearson of the means, systems and questions both drawn again."""
    draw = np.random.default_rng(1)
    wide = study.sums.shape[1]
    found = []
    for _ in range(RESAMPLES // 2):
        systems = draw.integers(0, wide, wide)
        questions = draw.integers(0, study.questions, study.questions)
        x, y = study.sums[..., 0][questions][:, systems].mean(axis=0).T
        found.append(np.corrcoef(x, y)[0, 1] if np.ptp(x) and np.ptp(y) else np.nan)
    x, y = study.means
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return _said(study.rho, float(np.corrcoef(x, y)[0, 1]), Interval(float(low), float(high)))


def warned_or_not(say: Callable[[Study], Said], study: Study) -> Said:
    """As if no warning stood beside it."""
    return replace(say(study), warned=False)


def ranks(studied: tuple[str, int, int], draw: np.random.Generator) -> Said:
    """How many rank intervals miss the ranks that equal systems share: none is meant."""
    which, systems, questions = studied
    good = np.linspace(-0.35, 0.35, systems)
    good[: {"equal": systems, "half equal": systems // 2, "unlike": 0}[which]] = 0
    table = good + draw.normal(0, EASY, (questions, 1)) + draw.normal(size=(questions, systems)) > 0
    pairs = compare_columns(range(systems), table.astype(float))
    missed = sum(
        one.first > 1 + np.count_nonzero(good > good[one.system])
        or one.last < systems - np.count_nonzero(good < good[one.system])
        for one in ranked(range(systems), pairs)
    )
    return Said(0.0, float(missed), float(missed), float(missed))


def _said(true: float, value: float | None, interval: Interval, warning: str = "") -> Said:
    return Said(true, value, interval.low, interval.high, bool(warning))


def _simulation(
    number: str,
    say: Callable[[Study], Said],
    systems: int,
    questions: int,
    rho: float,
    spread: float,
    *,
    held: bool = True,
) -> Simulation:
    return Simulation(
        number,
        f"{systems} systems, {questions} q., ρ {rho}, spread {spread}",
        lambda draw: say(Study(draw, systems, questions, rho, spread)),
        held,
    )


DESIGNS = tuple(
    (systems, questions, rho, spread)
    for rho, spread in ((0.9, 0.35), (0.9, 0.15), (0.5, 0.35))
    for systems in (8, 16)
    for questions in (25, 100, 400)
)
SOFT = (*(design for design in DESIGNS if design[1] >= 100 and design[3] == 0.35),)
ONCE = ((8, 100, 0.9, 0.35), (16, 25, 0.9, 0.35), (16, 100, 0.9, 0.35))

RANKS = tuple(
    (which, systems, questions)
    for which in ("equal", "half equal", "unlike")
    for systems in (2, 4, 16)
    for questions in (25, 100)
)

SIMULATIONS = (
    *(
        Simulation(
            "Ranks, all at once",
            f"{systems} systems, {which}, {questions} q.",
            partial(ranks, (which, systems, questions)),
            most=1.0,
        )
        for which, systems, questions in RANKS
    ),
    *(
        _simulation(f"Pearson, {of}{which}", say, *design)
        for of, what in (("these systems", these), ("other systems", others))
        for which, say in (("", what), (", warned or not", partial(warned_or_not, what)))
        for design in DESIGNS
    ),
    *(_simulation("Soft pairwise accuracy", soft, *design) for design in SOFT),
    *(
        _simulation(f"Pearson as it is, {which}", partial(as_it_is, which), *design, held=False)
        for which in ("percentile", "BCa")
        for design in ONCE
    ),
    *(
        _simulation("Pearson, systems drawn again", drawn_again, *design, held=False)
        for design in ONCE
    ),
)

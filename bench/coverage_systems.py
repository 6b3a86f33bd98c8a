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
from evaluation.reports.tables import few_questions
from evaluation.stats.attenuation import Attenuated, attenuated
from evaluation.stats.bootstrap import Interval
from evaluation.stats.comparison import compare_columns
from evaluation.stats.correlation import correlation, of_means
from evaluation.stats.error_bars import ErrorBar, by_log, by_t, by_z, error_bar, of_sums, replicates
from evaluation.stats.means import means

Floats = NDArray[np.float64]

Ends = Callable[[float, ErrorBar, int], Interval]

RESAMPLES = 1_000
EASY = 0.7
TOGETHER = 0.5
"""Of the chance in one answer: Pearson of what it adds for people and for the judge."""


class Study:
    """What people and a judge say of the answers of so many systems."""

    def __init__(
        self, draw: np.random.Generator, systems: int, questions: int, rho: float, spread: float
    ) -> None:
        self.questions, self.rho, self.spread = questions, rho, spread
        worth = _together(draw, rho, systems) * spread
        chance = _together(draw, TOGETHER, questions, systems)
        easy = draw.normal(0, EASY, (questions, 1))
        yes = worth[:, None, :] + easy + chance > 0
        shares = norm.cdf(worth / np.sqrt(1 + EASY**2))
        self.true = float(np.corrcoef(shares)[0, 1])
        marks = np.moveaxis(yes, 0, 2).astype(float)
        self.sums = np.stack([marks, np.ones_like(marks)], axis=3)
        """Questions × systems × judge and people × (sum, count)."""

    @property
    def means(self) -> tuple[Floats, Floats]:
        x, y = means(self.sums.sum(axis=0)).T
        return x, y

    def worth(self) -> Attenuated:
        wide = self.sums.shape[1]
        statistic = of_sums(self.sums, lambda some: means(some).reshape(len(some), -1))
        drawn = replicates(statistic, self.questions, resamples=RESAMPLES)
        both = drawn.reshape(len(drawn), wide, 2)
        return attenuated(*self.means, both[..., 0], both[..., 1], self.questions)


def _together(draw: np.random.Generator, rho: float, *shape: int) -> Floats:
    one, other = draw.standard_normal((2, *shape))
    return np.stack([one, rho * one + np.sqrt(1 - rho**2) * other])


def these(study: Study) -> Said:
    """What is printed: of these systems, over endless questions."""
    found = study.worth()
    return _said(study.true, found.corrected.value, found.interval, found.warning)


def others(study: Study) -> Said:
    """What is printed beside it: of all systems that these might have been drawn from."""
    found = study.worth()
    true, said = _of_all_systems(study.rho, study.spread), found.of_other_systems
    return _said(true, found.corrected.value, said, found.warning)


@lru_cache
def _of_all_systems(rho: float, spread: float) -> float:
    many = _together(np.random.default_rng(1), rho, 1_000_000) * spread
    return float(np.corrcoef(norm.cdf(many / np.sqrt(1 + EASY**2)))[0, 1])


def as_it_is(which: str, study: Study) -> Said:
    """Pearson of the means, with the intervals of drawing questions alone."""
    x, y = study.means
    bar = error_bar(
        of_sums(study.sums, lambda some: of_means(some, "pearson")),
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


def mean_of_one(
    kind: str, true: float, questions: int, interval: Ends, draw: np.random.Generator
) -> Said:
    """A system's number: of answers that are yes or no, the share of their statements, or degrees
    from 1 to 5, with the error bar that its table has."""
    each = VALUES[kind](true, questions, draw)
    bar = error_bar(
        of_sums(np.stack([each, np.ones_like(each)], axis=1), means), questions, resamples=RESAMPLES
    )
    return _said(true, float(each.mean()), interval(float(each.mean()), bar, questions))


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
    return replace(found, warned=warns and questions < few_questions.WITHOUT_END)


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
    [found] = compare_columns(["one", "other"], table, resamples=RESAMPLES)
    interval = found.interval
    if not warns:
        bar = error_bar(
            of_sums(table[:, 0] - table[:, 1], lambda sums: sums / questions),
            questions,
            resamples=RESAMPLES,
        )
        interval = bar.percentile
    said = _said(true[0] - true[1], found.difference.value, interval)
    return replace(said, warned=warns and questions < few_questions.DIFFERENCES)


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
ONCE = ((8, 100, 0.9, 0.35), (16, 25, 0.9, 0.35), (16, 100, 0.9, 0.35))

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
        _simulation(f"Pearson, {of}{which}", say, *design)
        for of, what in (("these systems", these), ("other systems", others))
        for which, say in (("", what), (", warned or not", partial(warned_or_not, what)))
        for design in DESIGNS
    ),
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

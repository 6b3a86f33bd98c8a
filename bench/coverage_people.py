"""Coverage of what is said of people among each other, and of a judge with each of them.

Each rater gives every statement the true answer, or with a chance of its own another one, so that
the true kappa is known: of two raters who err with chances e and f, when half of the statements
are true, kappa is (1 - 2e)(1 - 2f), and pooled over pairs its mean by what they share. Statements
of one question are alike: with the chance `ALIKE` a statement has the answer of its question.

That is the truth about *these raters* on other questions, and the intervals say that they are about
it. Of unlike raters other ones would have another kappa: rows to compare with count how often the
same interval holds that of all raters from whom these were drawn.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bench.coverage import Said, Simulation
from evaluation.agreement.coded import Coded
from evaluation.agreement.pooled_kappa import Compared, among, with_judge
from evaluation.agreement.rater_pairs import rater_pairs
from evaluation.agreement.ratings import Figure
from evaluation.numbers.coefficients import Coefficient, coefficients
from evaluation.stats.error_bars import ErrorBar, by_t, error_bar

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

RESAMPLES = 1_000
KAPPA = 0.485
ERR = (1 - KAPPA**0.5) / 2
STATEMENTS = 3
ALIKE = 0.3
ERRING = (0.05, 0.3)
"""From where to where unlike raters err."""

OF_ALL = 1 - sum(ERRING)
"""The mean of 1 - 2e over all raters of that kind."""


class Study:
    """So many raters, of whom some judge each statement, drawn by chance."""

    def __init__(
        self, draw: np.random.Generator, raters: int, each: int, questions: int, *, unlike: bool
    ) -> None:
        self.questions, units = questions, questions * STATEMENTS
        self.cluster = np.repeat(np.arange(questions), STATEMENTS)
        of_question = draw.integers(0, 2, questions)[self.cluster]
        own = draw.integers(0, 2, units)
        self.truth = np.where(draw.random(units) < ALIKE, of_question, own)
        self.errors = draw.uniform(*ERRING, raters) if unlike else np.full(raters, ERR)
        who = np.sort(draw.permuted(np.tile(np.arange(raters), (units, 1)), axis=1)[:, :each], 1)
        wrong = draw.random(who.shape) < self.errors[who]
        said = self.truth[:, None] ^ wrong
        self.ratings = Coded(
            tuple(range(units)),
            tuple(range(raters)),
            2,
            np.repeat(np.arange(units), each),
            who.ravel(),
            said.ravel().astype(np.int64),
        )
        self.judge = (self.truth ^ (draw.random(units) < ERR)).astype(np.int64)

    def true(self, compared: Compared, errors: Floats) -> float:
        return float(np.mean((1 - 2 * errors[compared.one]) * (1 - 2 * errors[compared.other])))


def made(raters: int, each: int, questions: int, *, unlike: bool) -> Callable[..., Study]:
    return lambda draw: Study(draw, raters, each, questions, unlike=unlike)


def pooled(study: Study) -> Said:
    compared = among(study.ratings)
    return _said(study, compared, study.true(compared, study.errors))


def with_each(study: Study) -> Said:
    compared = with_judge(study.ratings, study.judge)
    return _said(study, compared, study.true(compared, np.append(study.errors, ERR)))


def pooled_of_others(study: Study) -> Said:
    return _said(study, among(study.ratings), OF_ALL**2)


def with_others(study: Study) -> Said:
    return _said(study, with_judge(study.ratings, study.judge), OF_ALL * (1 - 2 * ERR))


def _said(study: Study, compared: Compared, true: float) -> Said:
    statistic = compared.kappas(study.cluster, study.questions, "nominal")
    bar = error_bar(statistic, study.questions, resamples=RESAMPLES)
    value = compared.kappa("nominal").value
    if value is None:
        return Said(true, None, None, None)
    shown = by_t(value, bar, study.questions, most=1.0)
    return Said(true, value, shown.low, shown.high)


def mean(study: Study) -> Said:
    """The number that was printed first before: the mean of the pairs' kappas."""
    pairs = rater_pairs(study.ratings)
    statistic = pairs.mean_kappas(study.cluster, study.questions, "nominal")
    value = Figure(float(statistic(np.ones((1, study.questions)))[0]))
    return said(KAPPA, value, error_bar(statistic, study.questions, resamples=RESAMPLES))


def coefficient(key: str) -> Callable[[Study], Said]:
    def found(study: Study) -> Said:
        every = coefficients(
            study.ratings, "nominal", study.cluster, study.questions, resamples=RESAMPLES
        )
        one: Coefficient = every.by_name[key]
        return said(KAPPA, one.figure, one.bar)

    return found


def said(true: float, figure: Figure, bar: ErrorBar) -> Said:
    return Said(true, figure.value, bar.percentile.low, bar.percentile.high)


def _simulation(
    number: str, of: Callable[[Study], Said], design: str, make: Callable[..., Study], held: bool
) -> Simulation:
    return Simulation(number, design, lambda draw: of(make(draw)), held)


DESIGNS = {
    "30 raters, 3 each, 40 questions": made(30, 3, 40, unlike=False),
    "3 raters, all of 40 questions": made(3, 3, 40, unlike=False),
    "60 raters, 5 each, 100 questions": made(60, 5, 100, unlike=False),
}
UNLIKE = {
    f"{raters} unlike raters, {questions} questions": made(raters, 3, questions, unlike=True)
    for raters in (5, 10, 30)
    for questions in (40, 100, 400)
}
"""Three of them to a statement."""

SIMULATIONS = (
    *(_simulation("pooled kappa", pooled, *one, True) for one in (DESIGNS | UNLIKE).items()),
    *(
        _simulation("judge with raters, pooled", with_each, *one, True)
        for one in (DESIGNS | UNLIKE).items()
    ),
    *(_simulation("pooled, other raters", pooled_of_others, *o, False) for o in UNLIKE.items()),
    *(_simulation("judge with other raters", with_others, *one, False) for one in UNLIKE.items()),
    *(
        _simulation("mean of pairs' kappas", mean, d, DESIGNS[d], False)
        for d in ("30 raters, 3 each, 40 questions", "3 raters, all of 40 questions")
    ),
    *(
        _simulation("Krippendorff's alpha", coefficient("alpha"), d, DESIGNS[d], True)
        for d in ("30 raters, 3 each, 40 questions", "60 raters, 5 each, 100 questions")
    ),
)

"""Coverage of what is said of people among each other, and of a judge with each of them.

Each rater gives every statement the true answer, or with a chance of its own another one, so that
the true kappa is known: of two raters who err with chances e and f, when half of the statements
are true, kappa is (1 - 2e)(1 - 2f), and pooled over pairs its mean by what they share. Statements
of one question are alike: with the chance `ALIKE` a statement has the answer of its question. Since
half of the statements are true, alpha, Fleiss' kappa and AC1 of alike raters have that value, too.

That is the truth about *these raters* on other questions, and the intervals say that they are about
it. Of unlike raters other ones would have another kappa: rows to compare with count how often the
same interval holds that of all raters from whom these were drawn.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.coverage import Said, Simulation
from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.coded import Coded
from evaluation.statistics.coefficients import coefficients
from evaluation.statistics.error_bars import by_z, error_bar
from evaluation.statistics.pooled_kappa import AnswerPairs, among, with_judge
from evaluation.statistics.ratings import Figure

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

RESAMPLES = 1_000
KAPPA = 0.485
STATEMENTS = 3
ALIKE = 0.3
ERRING = (0.05, 0.3)
"""From where to where unlike raters err."""

OF_ALL = 1 - sum(ERRING)
"""The mean of 1 - 2e over all raters of that kind."""


class Study:
    """So many raters, of whom some judge each statement, drawn by chance."""

    def __init__(
        self,
        draw: np.random.Generator,
        raters: int,
        each: int,
        questions: int,
        *,
        unlike: bool = False,
        kappa: float = KAPPA,
    ) -> None:
        self.questions, units = questions, questions * STATEMENTS
        self.kappa, self.err = kappa, _erring(kappa)
        self.cluster = np.repeat(np.arange(questions), STATEMENTS)
        of_question = draw.integers(0, 2, questions)[self.cluster]
        own = draw.integers(0, 2, units)
        self.truth = np.where(draw.random(units) < ALIKE, of_question, own)
        self.errors = draw.uniform(*ERRING, raters) if unlike else np.full(raters, self.err)
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
        self.judge = (self.truth ^ (draw.random(units) < self.err)).astype(np.int64)

    def true(self, compared: AnswerPairs, errors: Floats) -> float:
        return float(np.mean((1 - 2 * errors[compared.one]) * (1 - 2 * errors[compared.other])))


def _erring(kappa: float) -> float:
    """The chance of a mistake with which two raters have this kappa."""
    return float((1 - kappa**0.5) / 2)


def made(raters: int, each: int, questions: int, **kind: Any) -> Callable[..., Study]:
    return lambda draw: Study(draw, raters, each, questions, **kind)


def pooled(study: Study) -> Said:
    compared = among(study.ratings)
    return _said(study, compared, study.true(compared, study.errors))


def with_each(study: Study) -> Said:
    compared = with_judge(study.ratings, study.judge)
    return _said(study, compared, study.true(compared, np.append(study.errors, study.err)))


def pooled_of_others(study: Study) -> Said:
    return _said(study, among(study.ratings), OF_ALL**2)


def with_others(study: Study) -> Said:
    return _said(study, with_judge(study.ratings, study.judge), OF_ALL * KAPPA**0.5)


def _said(study: Study, compared: AnswerPairs, true: float) -> Said:
    statistic = compared.kappas(study.cluster, study.questions, "nominal")
    bar = error_bar(statistic, study.questions, resamples=RESAMPLES)
    figure = compared.kappa("nominal")
    return said(true, figure, by_z(figure.value, bar, study.questions))


def mean(study: Study) -> Said:
    """The number that was printed first before: the mean of the pairs' kappas."""
    pairs = among(study.ratings)
    statistic = pairs.mean_kappas(study.cluster, study.questions, "nominal")
    value = Figure(float(statistic(np.ones((1, study.questions)))[0]))
    bar = error_bar(statistic, study.questions, resamples=RESAMPLES)
    return said(study.kappa, value, by_z(value.value, bar, study.questions))


def coefficient(key: str) -> Callable[[Study], Said]:
    def found(study: Study) -> Said:
        every = coefficients(
            study.ratings, "nominal", study.cluster, study.questions, resamples=RESAMPLES
        )
        one = every.by_name[key]
        true = (1 + study.kappa) / 2 if key == "percent" else study.kappa
        return said(true, one.figure, one.interval)

    return found


def said(true: float, figure: Figure, interval: Interval) -> Said:
    return Said(true, figure.value, interval.low, interval.high)


def _simulation(
    number: str, of: Callable[[Study], Said], design: str, make: Callable[..., Study], held: bool
) -> Simulation:
    return Simulation(number, design, lambda draw: of(make(draw)), held)


DESIGNS = {
    "30 raters, 3 each, 40 questions": made(30, 3, 40),
    "3 raters, all of 40 questions": made(3, 3, 40),
    "60 raters, 5 each, 100 questions": made(60, 5, 100),
}
NEARLY_ONE = {
    f"κ {kappa}: {raters} raters, {questions} questions": made(raters, 3, questions, kappa=kappa)
    for kappa in (0.9, 0.95)
    for raters, questions in ((3, 40), (5, 40), (30, 40), (5, 100))
}
"""Raters who agree in nearly all; three of them to a statement."""

UNLIKE = {
    f"{raters} unlike raters, {questions} questions": made(raters, 3, questions, unlike=True)
    for raters in (5, 10, 30)
    for questions in (40, 100, 400)
}
"""Three of them to a statement."""

EVERY = DESIGNS | NEARLY_ONE | UNLIKE
COEFFICIENTS = {
    "percent": "percent agreement",
    "alpha": "Krippendorff's alpha",
    "fleiss": "Fleiss' kappa",
    "ac1": "Gwet's AC1",
}

SIMULATIONS = (
    *(_simulation("pooled kappa", pooled, *one, True) for one in EVERY.items()),
    *(_simulation("judge with raters, pooled", with_each, *one, True) for one in EVERY.items()),
    *(_simulation("pooled, other raters", pooled_of_others, *o, False) for o in UNLIKE.items()),
    *(_simulation("judge with other raters", with_others, *one, False) for one in UNLIKE.items()),
    *(
        _simulation("mean of pairs' kappas", mean, d, DESIGNS[d], False)
        for d in ("30 raters, 3 each, 40 questions", "3 raters, all of 40 questions")
    ),
    *(
        _simulation(number, coefficient(key), *one, True)
        for key, number in COEFFICIENTS.items()
        for one in (DESIGNS | NEARLY_ONE).items()
    ),
)

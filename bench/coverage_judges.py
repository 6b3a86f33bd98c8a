"""Two judges against each other: do intervals hold the true difference, do tests keep their level?

People and judges see the same quality of an answer: how easy the question is, how good the system,
and chance. Each adds an error of its own, and a judge what it has for or against each system. From
that the true numbers over these systems follow: of correlation and pairwise accuracy by the normal
distribution, of kappa, AUC and Pearson over answers from very many questions.

    equal     both judges have the same for and against each system, and equal errors: nothing
              differs on other questions
    drawn     both have something else for and against each system, drawn anew in each study:
              nothing differs on other systems, but on these
    unlike    one errs more, and has more against some systems

A test is right where it keeps what is true in 95 of 100 studies. It is shown as an interval that
holds 0 where p is not below .05; `mean` is that of p. Intervals that the report warns of, and tests
of another question than the design's, are there to compare.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.signatures import register_titles
from bench.coverage import Said, Simulation
from bench.reports import data_of
from bench.statistics import Study
from evaluation.judges import JUDGES
from evaluation.judges.entailment import SCORERS
from evaluation.reports.filters import Filters
from evaluation.reports.sections.correlations import correlations
from evaluation.reports.sections.judge_pairs import judge_pairs
from evaluation.reports.sections.thresholds import thresholds
from evaluation.reports.selection import select
from evaluation.reports.tables import names
from evaluation.statistics.calibration import calibration
from evaluation.statistics.cohen import kappas
from evaluation.statistics.correlation import pearsons
from evaluation.statistics.pairwise_accuracy import accuracies
from evaluation.statistics.ranking import Scored, auc, auc_by_cluster, average_precision, scored

Floats = NDArray[np.float64]

RESAMPLES = 400
LEVEL = 0.05
OF_PEOPLE = 0.5
"""The standard deviation of people's own error; that of the answer's quality is 1."""

MANY, TIMES = 4_000, 20
"""Questions, and how often so many, for true numbers over answers."""


@dataclass(frozen=True, slots=True)
class Design:
    name: str
    systems: int
    questions: int
    errors: tuple[float, float]
    partial: tuple[float, float]
    """How far the judges are for or against systems."""

    drawn: bool = False
    """Whether that is drawn anew in each study."""

    def __str__(self) -> str:
        return f"{self.systems} × {self.questions}, {self.name}"

    @property
    def skills(self) -> Floats:
        return np.linspace(-0.6, 0.6, self.systems)

    def against(self, draw: np.random.Generator) -> Floats:
        """Judges × systems."""
        if self.drawn:
            return np.stack([draw.normal(0, size, self.systems) for size in self.partial])
        fixed = np.random.default_rng(5).normal(0, 1, self.systems)
        if self.name == "equal":
            return np.stack([size * fixed for size in self.partial])
        other = np.random.default_rng(6).normal(0, 1, self.systems)
        return np.stack([self.partial[0] * fixed, self.partial[1] * other])

    def made(
        self, draw: np.random.Generator, against: Floats, questions: int
    ) -> tuple[NDArray[np.bool_], Floats]:
        """People's answers, and the judges' scores about 0: questions × systems, judges first."""
        shape = (questions, self.systems)
        quality = draw.normal(0, 1, (questions, 1)) + self.skills + draw.normal(0, 1, shape)
        people = quality + draw.normal(0, OF_PEOPLE, shape) > 0
        scores = [
            quality + away + draw.normal(0, error, shape)
            for away, error in zip(against, self.errors, strict=True)
        ]
        return people, np.stack(scores)


EQUAL = tuple(
    Design("equal", systems, questions, (0.7, 0.7), (0.2, 0.2))
    for systems, questions in ((8, 25), (8, 100), (16, 100), (16, 400))
)
UNLIKE = tuple(
    Design("unlike", systems, questions, (0.5, 1.0), (0.1, 0.4))
    for systems, questions in ((8, 25), (16, 100), (16, 400))
)
DRAWN = tuple(
    Design("drawn", systems, 100, (0.7, 0.7), (0.2, 0.2), drawn=True) for systems in (8, 16)
)


@cache
def found(design: Design, seed: int) -> tuple[dict[str, dict[str, Any]], dict[str, float]]:
    """What the report says of one study, by number or test; and the true differences."""
    draw = np.random.default_rng(seed)
    against = design.against(draw)
    people, scores = design.made(draw, against, design.questions)
    answers = people.astype(np.int64)[:, :, None]
    study = Study(answers, answers[:, :, 0], {}, [])
    register_titles(JUDGES, SCORERS)
    data = data_of(study, [1 / (1 + np.exp(-some)) for some in scores])
    [compared] = judge_pairs(select(data, Filters(resamples=RESAMPLES)))
    said: dict[str, dict[str, Any]] = {
        str(by["key"]): {**by["pairs"][0]} for by in compared["numbers"]
    }
    said |= {
        key: {"p": each["value"]}
        for key, each in compared["correlation_tests"][0].items()
        if isinstance(each, dict)
    }
    return said, over_systems(design, against) | over_answers(design)


def over_systems(design: Design, against: Floats) -> dict[str, float]:
    """The true differences over these systems, of ever so many questions."""
    from scipy.special import ndtr

    people = ndtr(design.skills / np.sqrt(2 + OF_PEOPLE**2))[None]
    errors = np.array(design.errors)[:, None]
    judges = ndtr((design.skills + against) / np.sqrt(2 + errors**2))
    correlated, accurate = pearsons(judges, people), accuracies(judges, people)
    return {
        "pearson_systems": float(correlated[0] - correlated[1]),
        "pairwise_accuracy": float(accurate[0] - accurate[1]),
    }


@cache
def over_answers(design: Design) -> dict[str, float]:
    """The true differences over answers; none where the judges are equal."""
    keys = ("kappa", "auc", "pearson_answers")
    if design.name != "unlike":
        return dict.fromkeys(keys, 0.0)
    each = [_of_many(design, seed) for seed in range(TIMES)]
    return {key: float(np.mean([one[n] for one in each])) for n, key in enumerate(keys)}


def _of_many(design: Design, seed: int) -> tuple[float, ...]:
    draw = np.random.default_rng([1, seed])
    people, scores = design.made(draw, design.against(draw), MANY)
    labels = people.ravel().astype(float)
    numbers = []
    for some in scores.reshape(2, -1):
        table = np.histogram2d(labels, some > 0, bins=2)[0]
        order = np.argsort(some)
        of_scores = Scored((), labels[order], some[order])
        auc, _ = auc_by_cluster(of_scores, np.zeros(len(some), dtype=np.int64), 1)
        together = float(np.corrcoef(labels, some > 0)[0, 1])
        numbers.append((float(kappas(table[None], "nominal")[0]), auc, together))
    return tuple(one - other for one, other in zip(*numbers, strict=True))


def _interval(design: Design, key: str) -> Callable[[np.random.Generator], Said]:
    def study(draw: np.random.Generator) -> Said:
        said, true = found(design, int(draw.integers(2**62)))
        shown = said[key]["difference"]
        return Said(true[key], shown["value"], shown["low"], shown["high"])

    return study


def _test(design: Design, key: str) -> Callable[[np.random.Generator], Said]:
    def study(draw: np.random.Generator) -> Said:
        p = found(design, int(draw.integers(2**62)))[0][key]["p"]
        if p is None:
            return Said(0.0, None, None, None)
        return Said(0.0, p, 0.0 if p >= LEVEL else LEVEL, 1.0)

    return study


MANY_SCORED = 20_000
SCORED = {
    "auc": "AUC",
    "average_precision": "average precision",
    "brier": "Brier score",
    "ece_corrected": "calibration error",
}
CALIBRATED = tuple(
    Design("calibrated", 3, questions, (0.0, 0.0), (0.0, 0.0)) for questions in (10, 25, 50, 100)
)
SHIFTED = tuple(
    Design("scores too high", 3, questions, (0.0, 0.0), (0.0, 0.0))
    for questions in (10, 25, 50, 100)
)


def scored_by_one(
    design: Design, draw: np.random.Generator, questions: int
) -> tuple[NDArray[np.bool_], Floats]:
    """People's yes and no and one judge's scores; the chance of a yes is the calibrated score."""
    skills = np.linspace(-0.6, 0.6, design.systems)
    worth = draw.normal(0, 0.7, (questions, 1)) + skills
    worth = worth + draw.normal(0, 1, (questions, design.systems))
    people = draw.random(worth.shape) < 1 / (1 + np.exp(-worth))
    return people, 1 / (1 + np.exp(-worth - 0.7 * (design.name != "calibrated")))


@cache
def of_scores(design: Design, seed: int) -> dict[str, Any]:
    """What the report says of one judge's scores."""
    people, scores = scored_by_one(design, np.random.default_rng(seed), design.questions)
    answers = people.astype(np.int64)[:, :, None]
    register_titles(JUDGES, SCORERS)
    data = data_of(Study(answers, answers[:, :, 0], {}, []), [scores])
    selected = select(data, Filters(resamples=RESAMPLES))
    found: dict[str, Any] = {**rows[0]} if (rows := thresholds(selected)) else {}
    for one in correlations(selected)["instances"]:
        found[OVER_ANSWERS] = next(row for row in one["rows"] if row["system"] == "all")["pearson"]
    return found


@cache
def over_scores(name: str) -> dict[str, float]:
    """The true numbers, of very many answers."""
    design = Design(name, 3, MANY_SCORED, (0.0, 0.0), (0.0, 0.0))
    people, scores = scored_by_one(design, np.random.default_rng(1), MANY_SCORED)
    labels, given = people.ravel().tolist(), scores.ravel().tolist()
    data = scored(dict(enumerate(labels)), dict(enumerate(given)))
    calibrated = calibration(data)
    found = {
        "auc": auc(data).value,
        "average_precision": average_precision(data).value,
        "brier": calibrated.brier.value,
        # Of the judge whose scores are right the sample's error is chance.
        "ece_corrected": 0.0 if name == "calibrated" else calibrated.error.value,
    }
    together = float(np.corrcoef(people.ravel(), scores.ravel() >= 0.5)[0, 1])
    return {OVER_ANSWERS: together} | {k: value for k, value in found.items() if value is not None}


def _of_one(design: Design, key: str) -> Callable[[np.random.Generator], Said]:
    def study(draw: np.random.Generator) -> Said:
        said, true = of_scores(design, int(draw.integers(2**62))), over_scores(design.name)[key]
        shown = said.get(key, {"value": None, "low": None, "high": None})
        warned = key != OVER_ANSWERS and design.questions < names.SCORES
        return Said(true, shown["value"], shown["low"], shown["high"], warned)

    return study


OVER_ANSWERS = "over answers"
"""The key of a judge's correlation with people over all answers."""

INTERVALS = {"kappa": "kappa", "auc": "AUC", "pearson_answers": "Pearson over answers"}
WARNED = {"pearson_systems": "Pearson over systems", "pairwise_accuracy": "pairwise accuracy"}
OF_INPUTS = {
    "pearson_systems": "PERM-INPUTS, Pearson",
    "pairwise_accuracy": "PERM-INPUTS, pairwise accuracy",
    "calibrated_accuracy": "PERM-INPUTS, ties calibrated",
    "soft_accuracy": "PERM-INPUTS, soft accuracy",
    "perm_both": "PERM-BOTH, Pearson",
}
OF_SYSTEMS = {"perm_systems": "PERM-SYSTEMS, Pearson", "williams_p": "Williams, Pearson"}


def _rows() -> Iterator[Simulation]:
    for design in CALIBRATED:
        for key, number in SCORED.items():
            # No error is the end of the scale: the interval errs to one side only.
            held = key != "ece_corrected"
            yield Simulation(number, str(design), _of_one(design, key), held)
        yield Simulation("Pearson of answers", str(design), _of_one(design, OVER_ANSWERS))
    for design in SHIFTED:
        for key in ("brier", "ece_corrected"):
            yield Simulation(SCORED[key], str(design), _of_one(design, key))
    for design in (*EQUAL, *UNLIKE):
        for key, number in INTERVALS.items():
            yield Simulation(f"difference, {number}", str(design), _interval(design, key))
        for key, number in WARNED.items():
            yield Simulation(f"difference, {number}", str(design), _interval(design, key), False)
    for design in EQUAL:
        for key, number in INTERVALS.items():
            yield Simulation(f"bootstrap, {number}", str(design), _test(design, key))
    for design in (*EQUAL, *DRAWN):
        for key, number in OF_INPUTS.items():
            yield Simulation(number, str(design), _test(design, key), not design.drawn)
        for key, number in OF_SYSTEMS.items():
            yield Simulation(number, str(design), _test(design, key), design.drawn)


SIMULATIONS = tuple(_rows())

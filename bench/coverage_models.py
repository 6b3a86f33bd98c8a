"""Biases of language models that judge: do intervals hold the truth, are the unbiased accused?

People and a judge see the same quality of an answer: how easy the question is, how good the system,
and chance. Whenever the judge is asked, it errs anew, by something that a question's answers share
and something of each answer. What is varied adds its bias to what it sees; its own system's answers
it sees as better by another one. The true numbers are those of very many questions.

    none      nothing moves it: every test that accuses it is wrong
    biased    what is varied moves it, and it is for its own system

*accused* is shown as an interval that holds 0 where no test of the study, corrected, is below .05.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.signatures import VARIED, register_titles
from bench.coverage import Said, Simulation
from bench.reports import data_of
from bench.statistics import Study
from evaluation.judges import JUDGES
from evaluation.judges.entailment import SCORERS
from evaluation.reports.data import ReportData
from evaluation.reports.filters import Filters
from evaluation.reports.sections.model_biases import model_biases
from evaluation.reports.selection import select

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

RESAMPLES = 400
LEVEL = 0.05
SYSTEMS = 4
FAMILY = "made"
MANY, TIMES = 4_000, 20
"""Questions, and how often so many, for the true numbers."""

SAID = "model|{}family:made|model:m|style:direct|v:1"


@dataclass(frozen=True, slots=True)
class Design:
    name: str
    questions: int
    varied: float
    own: float

    def __str__(self) -> str:
        return f"{SYSTEMS} × {self.questions}, {self.name}"

    def made(self, draw: np.random.Generator, questions: int) -> tuple[Bools, list[Bools]]:
        """People's answers and the judge's: plain, with each thing varied, and again."""
        shape = (questions, SYSTEMS)
        quality = (
            draw.normal(0, 1, (questions, 1))
            + np.linspace(-0.6, 0.6, SYSTEMS)
            + draw.normal(0, 1, shape)
        )
        people = quality + draw.normal(0, 0.5, shape) > 0
        seen = quality + np.eye(SYSTEMS)[0] * self.own
        asked = []
        for moved in (0.0, *[self.varied] * (len(VARIED) - 1), 0.0):
            err = draw.normal(0, 0.3, (questions, 1)) + draw.normal(0, 0.5, shape)
            asked.append(seen + moved + err > 0)
        return people, asked


NONE = tuple(Design("none", questions, 0.0, 0.0) for questions in (25, 60, 200))
BIASED = tuple(Design("biased", questions, 0.3, 0.5) for questions in (25, 60, 200))


def data_made(design: Design, seed: int) -> ReportData:
    people, asked = design.made(np.random.default_rng(seed), design.questions)
    answers = people.astype(np.int64)[:, :, None]
    register_titles(JUDGES, SCORERS)
    data = data_of(Study(answers, answers[:, :, 0], {}, []), [one.astype(float) for one in asked])
    names = {f"autoais|made:{n}|thr:0.5|v:1": name for n, name in enumerate(_names(), 1)}
    judges = tuple(replace(one, name=names.get(one.name, one.name)) for one in data.judges)
    first, *others = data.systems
    return replace(data, judges=judges, systems=(replace(first, family=FAMILY), *others))


def _names() -> list[str]:
    """Of the plain judge, each variant and the repeat, in the order of `VARIED`."""
    parts = ["", *(f"{key}:1|" for key in VARIED)]
    return [SAID.format(part) for part in parts]


@cache
def found(design: Design, seed: int) -> dict[str, Said]:
    """What the report says of one study, beside the truth."""
    [one] = model_biases(select(data_made(design, seed), Filters(resamples=RESAMPLES)))
    effect, again, own = one["variants"][0], one["repeats"], one["own_family"]
    assert again is not None
    assert own is not None
    true = truth(design)
    said = {
        key: Said(true[key], number["value"], number["low"], number["high"])
        for key, number in (
            ("changed", effect["changed"]),
            ("shift", effect["shift"]),
            ("same", again["same"]),
            ("alpha", again["alpha"]),
            ("own", own["shift"]),
        )
    }
    each = [test["p_holm"] for test in (*one["variants"], *one["systems"], own)]
    least = min(p for p in each if p is not None)
    said["accused"] = Said(0.0, least, 0.0 if least >= LEVEL else LEVEL, 1.0)
    return said


@cache
def truth(design: Design) -> dict[str, float]:
    each = [_of_many(design, seed) for seed in range(TIMES)]
    return {key: float(np.mean([one[key] for one in each])) for key in each[0]}


def _of_many(design: Design, seed: int) -> dict[str, float]:
    people, asked = design.made(np.random.default_rng([1, seed]), MANY)
    plain, varied, again = (one.astype(float) for one in (asked[0], asked[1], asked[-1]))
    share = float(np.mean([plain, again]))
    more = (plain - people).mean(axis=0)
    return {
        "changed": float((plain != varied).mean()),
        "shift": float((varied - plain).mean()),
        "same": float((plain == again).mean()),
        "alpha": 1 - float((plain != again).mean()) / (2 * share * (1 - share)),
        "own": float(more[0] - more[1:].mean()),
    }


def _row(design: Design, key: str) -> Callable[[np.random.Generator], Said]:
    return lambda draw: found(design, int(draw.integers(2**62)))[key]


NUMBERS = {
    "changed": "changed answers",
    "shift": "shift of the mean",
    "same": "one answer every time",
    "alpha": "alpha with itself",
    "own": "own family",
}


def _rows() -> Iterator[Simulation]:
    for design in (*NONE, *BIASED):
        for key, number in NUMBERS.items():
            yield Simulation(f"bias, {number}", str(design), _row(design, key))
    for design in NONE:
        yield Simulation("bias, accused", str(design), _row(design, "accused"), False)


SIMULATIONS = tuple(_rows())

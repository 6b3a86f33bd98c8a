"""A judge that abstains: is its agreement on what it keeps as high as guaranteed?

Answers about one question are alike by how hard it is (`questions`) and by how far people see it
otherwise than the judge (`apart`): agreement is clustered. In the flat designs confidence says
nothing, and agreement is just below .9 at each share that may be kept: the hardest case. A study is
right where the printed confidence keeps answers of which at least so many agree, of very many
others, or where none is printed. That must be so in at least .9 of studies. `kept` is the mean
share of answers kept, `none` how often nothing is.

    python -m bench.coverage_selective --studies 400
"""

import argparse
import sys
from dataclasses import dataclass
from functools import cache

import numpy as np

from evaluation.statistics.selective import (
    DELTA,
    SHARES,
    RatedAnswers,
    guaranteed,
    least_confidences,
)

STUDIES = 400
EACH = 3
"""Answers to a question, if a design names no other number."""

OTHERS = 3
"""How many times as many questions nobody rated."""

MANY = 100_000
FLAT = 0.8999
TARGETS = (0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Design:
    name: str
    questions: float
    apart: float
    alike: float | None = None
    """In flat designs, the correlation of agreement within a question."""

    each: int = EACH
    sizes: tuple[int, ...] = (50, 100, 200, 400)
    """How many questions are rated."""

    def drawn(self, draw: np.random.Generator, questions: int) -> RatedAnswers:
        shape = (questions, self.each)
        place = np.repeat(np.arange(questions), self.each)
        if self.alike is not None:
            own = draw.random((questions, 1)) < FLAT
            agrees = np.where(draw.random(shape) < self.alike**0.5, own, draw.random(shape) < FLAT)
            return RatedAnswers(draw.random(questions * self.each), agrees.ravel(), place)
        worth = draw.normal(0, self.questions, (questions, 1)) + draw.normal(0, 1.6, shape)
        seen = 2 * worth + draw.normal(0, self.apart, (questions, 1))
        people = draw.random(shape) < 1 / (1 + np.exp(-seen))
        score = 1 / (1 + np.exp(-worth - 0.3))
        agrees = (people == (score >= 0.5)).ravel()
        return RatedAnswers(np.abs(score - 0.5).ravel(), agrees, place)


DESIGNS = (
    Design("no clusters", 0, 0),
    Design("clusters", 0.7, 0.7),
    Design("strong clusters", 1.2, 1.8),
    Design("flat", 0, 0, 0.0),
    Design("flat, clusters", 0, 0, 0.25),
    Design("flat, strong", 0, 0, 0.6),
    Design("flat, few", 0, 0, 0.25, 20, (5, 12, 20)),
)


@cache
def truth(design: Design) -> RatedAnswers:
    return design.drawn(np.random.default_rng(1), MANY)


def study(design: Design, questions: int, target: float, seed: int) -> tuple[bool, float]:
    """Whether the guarantee holds in one study, and which share is kept."""
    draw = np.random.default_rng([7, seed])
    rated, others = design.drawn(draw, questions), design.drawn(draw, OTHERS * questions)
    cuts = least_confidences(np.concatenate([rated.confidence, others.confidence]))
    place = guaranteed(rated, cuts, target)
    if place is None:
        return True, 0.0
    if design.alike is not None:
        return target <= FLAT, float(SHARES[place])
    every = truth(design)
    kept = every.confidence >= cuts[place]
    return bool(every.agrees[kept].mean() >= target), float(SHARES[place])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=STUDIES, help="studies of each row")
    studies = parser.parse_args().studies
    least = 1 - DELTA - 2 * np.sqrt(DELTA * (1 - DELTA) / studies)
    failed = 0
    print(f"{'design':18} {'questions':>9} {'target':>6} {'held':>6} {'kept':>6} {'none':>6}")
    for design in DESIGNS:
        for questions in design.sizes:
            for target in TARGETS:
                found = [study(design, questions, target, seed) for seed in range(studies)]
                held, kept = (float(np.mean(column)) for column in zip(*found, strict=True))
                none = float(np.mean([share == 0 for _, share in found]))
                failed += held < least
                print(
                    f"{design.name:18} {questions:9} {target:6} {held:6.3f} {kept:6.2f} {none:6.2f}"
                )
    if failed:
        sys.exit(f"{failed} guarantees hold in less than {1 - DELTA:g} of studies.")


if __name__ == "__main__":
    main()

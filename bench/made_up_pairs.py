"""Made-up answers about pairs whose truth is known: for the model, and as a study for a report."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.dimensions import UnitKind
from annotate.protocol.shipped import SHIPPED
from bench.made_up import study
from evaluation.reports.canonical_order import canonical
from evaluation.reports.data import KINDS, Pairs, ReportData, Sides
from evaluation.statistics.bradley_terry import PairAnswers

Floats = NDArray[np.float64]
BETTER = "better_answer"
TIES = 0.4
"""ν of a pair."""

BY_QUESTION = 0.7
"""Standard deviation of a system's strength over questions."""


@dataclass(frozen=True, slots=True)
class PairDesign:
    """Systems with these strengths meet; `votes` of the raters answer each pair of a question."""

    strengths: tuple[float, ...]
    questions: int
    raters: int
    votes: int
    pairs: int
    """Of each question."""

    first: float = 0.0
    """The advantage of being shown first, in log odds."""

    by_rater: float = 0.0
    """Standard deviation over raters of strengths and of the advantage."""


def pair_answers(draw: np.random.Generator, design: PairDesign) -> PairAnswers:
    """Return the answers of a study with this design."""
    systems, questions, size = len(design.strengths), design.questions, design.votes * design.pairs
    two = np.array([*combinations(range(systems), 2)])
    met = [draw.permutation(len(two))[: design.pairs] for _ in range(questions)]
    one, other = two[np.repeat(np.concatenate(met), design.votes)].T
    question = np.repeat(np.arange(questions), size)
    asked = [
        draw.choice(design.raters, design.votes, replace=False)
        for _ in range(questions * design.pairs)
    ]
    rater = np.concatenate(asked)
    of_question = draw.normal(0, BY_QUESTION, (questions, systems)) + design.strengths
    of_rater = draw.normal(0, design.by_rater, (design.raters, systems + 1))
    side = draw.choice(np.array([-1, 1]), len(one))
    apart = of_question[question, one] - of_question[question, other]
    apart += of_rater[rater, one] - of_rater[rater, other]
    apart += side * (design.first + of_rater[rater, -1])
    odds = np.stack([np.exp(-apart / 2), np.full_like(apart, TIES), np.exp(apart / 2)])
    chance = np.cumsum(odds / odds.sum(axis=0), axis=0)
    outcome = (draw.random(len(one)) > chance).sum(axis=0) - 1
    weight = np.full(len(one), 1 / design.votes)
    return PairAnswers(one, other, outcome, side, weight, question, rater)


def counted_answers(
    seen: dict[tuple[int, int], tuple[int, int, int]], *, rater: int = 0
) -> PairAnswers:
    """Return answers that were seen so often, each on a question of its own.

    `seen` has how often the first of two systems won, tied and lost.
    """
    rows = [
        (*pair, outcome)
        for pair, times in seen.items()
        for outcome, many in zip((1, 0, -1), times, strict=True)
        for _ in range(many)
    ]
    one, other, outcome = np.array(rows).T
    every = np.arange(len(rows))
    side = np.where(every % 2, -1, 1)
    return PairAnswers(
        one, other, outcome, side, np.ones(len(rows)), every, np.full(len(rows), rater)
    )


def study_of_pairs(given: PairAnswers, systems: Sequence[str]) -> ReportData:
    """Return a study with these answers; the names of the systems are in alphabetic order."""
    questions, raters = int(given.question.max()) + 1, int(given.rater.max()) + 1
    base = study(np.zeros((questions, len(systems), raters)), systems=systems)
    keys = np.stack([given.one * questions + given.question, given.other], axis=1)
    each, which = np.unique(keys, axis=0, return_inverse=True)
    unit, rows = which.ravel().astype(np.int32), len(given.one)
    other = each[:, 1] * questions + each[:, 0] % questions
    nobody = np.zeros(len(each), dtype=np.int32)
    return canonical(
        replace(
            base,
            study=replace(base.study, dimensions=(BETTER,)),
            units=replace(
                base.units,
                response=each[:, 0].astype(np.int32),
                kind=np.full(len(each), KINDS.index(UnitKind.PAIR.value), dtype=np.int8),
                parent=nobody - 1,
                in_range=np.ones(len(each), dtype=bool),
                number=nobody,
                key=tuple(f"vs{place + 1}" for place in each[:, 1].tolist()),
            ),
            judgments=replace(
                base.judgments,
                dimension=np.full(rows, SHIPPED.order[BETTER], dtype=np.int8),
                unit=unit,
                judge=given.rater.astype(np.int32),
                # The dimension lists "much better" first; 1 is "better", 2 a tie, 3 "worse".
                value=(2 - given.outcome).astype(np.int8),
                score=np.full(rows, np.nan),
                reason=np.full(rows, -1, dtype=np.int32),
                guidelines=np.zeros(rows, dtype=np.int32),
                overruled=np.zeros(rows, dtype=bool),
            ),
            pairs=Pairs(np.arange(len(each), dtype=np.int32), other.astype(np.int32)),
            sides=Sides(unit, given.rater.astype(np.int32), given.side < 0),
        )
    )

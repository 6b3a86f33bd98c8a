"""Coverage of agreement within slices, and of a judge beside one more rater.

Every rater and the judge give the true answer of a response or, each with a chance of its own, the
other one. Responses of one question are alike. Each data set has a share of "yes" of its own. The
true numbers are those of very many responses, computed from their definitions in
`evaluation/statistics/stratified.py` and `one_more_rater.py` without these modules.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.signatures import register_titles
from bench.coverage import Said, Simulation
from bench.made_up import study
from evaluation.judges import JUDGES
from evaluation.judges.entailment import SCORERS
from evaluation.reports.filters import Filters
from evaluation.reports.sections.agreement import agreement
from evaluation.reports.sections.people import people
from evaluation.reports.selection import select
from evaluation.reports.shape.values import Number

Floats = NDArray[np.float64]
Places = NDArray[np.signedinteger[Any]]

RESAMPLES = 400
SYSTEMS, ALIKE = 3, 0.3
MANY = 200_000
UNRATED = np.nan


@dataclass(frozen=True, slots=True)
class Design:
    """`each` raters of `errors` rate a response; `shares` has the share of "yes" by data set."""

    name: str
    questions: int
    each: int
    errors: tuple[float, ...]
    judge: float
    shares: tuple[float, ...] = (0.5,)

    def made(self, draw: np.random.Generator, questions: int) -> tuple[Floats, Floats, Places]:
        """Answers by question, system and rater, NaN where unrated; the judge's; data sets."""
        sets = np.arange(questions) % len(self.shares)
        share = np.array(self.shares)[sets][:, None]
        shape, raters = (questions, SYSTEMS), len(self.errors)
        alike = draw.random(shape) < ALIKE
        truth = np.where(alike, draw.random((questions, 1)) < share, draw.random(shape) < share)
        wrong = draw.random((*shape, raters)) < np.array(self.errors)
        said = (truth[..., None] ^ wrong).astype(float)
        places = draw.permuted(np.broadcast_to(np.arange(raters), said.shape), axis=2)
        said[places >= self.each] = UNRATED
        return said, (truth ^ (draw.random(shape) < self.judge)).astype(float), sets


SAME = (0.2,) * 5
UNLIKE = tuple(np.linspace(0.05, 0.35, 5).tolist())
CROWD = tuple(np.linspace(0.05, 0.35, 30).tolist())
DESIGNS = (
    Design("5 raters, 40 questions", 40, 5, SAME, 0.2),
    Design("5 unlike raters, 100 questions", 100, 5, UNLIKE, 0.1),
    Design("3 raters, 2 × 20 questions", 40, 3, SAME[:3], 0.2, (0.85, 0.25)),
    Design("5 unlike raters, 2 × 50 questions", 100, 5, UNLIKE, 0.3, (0.85, 0.25)),
    Design("30 raters, 5 each, 4 × 50 questions", 200, 5, CROWD, 0.2, (0.9, 0.7, 0.3, 0.1)),
)


@cache
def printed(design: Design, seed: int) -> dict[str, Number]:
    """What the report says of one study."""
    said, judge, sets = design.made(np.random.default_rng(seed), design.questions)
    register_titles(JUDGES, SCORERS)
    data = study(said, {"judge": judge}, data_sets=[f"set {one}" for one in sets])
    selected = select(data, Filters(resamples=RESAMPLES))
    [row], [among] = agreement(selected), people(selected)
    beside = row["one_more_rater"]
    found = {
        "judge": beside["judge"],
        "rater": beside["rater"],
        "difference": beside["difference"],
        "votes_judge": beside["votes_judge"],
        "votes_rater": beside["votes_rater"],
        "advantage": beside["advantage"],
    }
    if len(design.shares) > 1:
        found["kappa"], found["excess"] = row["kappa_within"], row["kappa_excess"]
        found["alpha"], found["pooled"] = among["alpha_within"], among["kappa_pooled_within"]
    return found


@cache
def true(design: Design) -> dict[str, float]:
    """The numbers of very many responses."""
    said, judge, sets = design.made(np.random.default_rng(1), MANY // SYSTEMS)
    votes = said.reshape(-1, said.shape[2])
    own, part = judge.ravel(), np.repeat(sets, SYSTEMS)
    rated = ~np.isnan(votes)
    n, yes = rated.sum(axis=1), np.nansum(votes, axis=1)
    rows, rater = np.nonzero(rated)
    value = votes[rows, rater]
    others = (yes[rows] - value) / (n[rows] - 1)
    label = np.where(others == 0.5, 0.5, others > 0.5)
    found = {
        "judge": _kappa(label, own[rows], part[rows]),
        "rater": _kappa(label, value, part[rows]),
        "votes_judge": float(((own[rows] - others) ** 2).mean()),
        "votes_rater": float(((value - others) ** 2).mean()),
    }
    wins = abs(own[rows] - others) <= abs(value - others)
    each = np.bincount(rater, wins) / np.bincount(rater)
    majority = (yes > n / 2).astype(float)
    within = _kappa(majority, own, part)
    return found | {
        "difference": found["judge"] - found["rater"],
        "advantage": float(each.mean()),
        "kappa": within,
        "excess": _kappa(majority, own, np.zeros_like(part)) - within,
        "alpha": _alpha(yes, n, part),
        "pooled": _pooled(votes, part),
    }


def _kappa(one: Floats, other: Floats, part: Places) -> float:
    """Of chances of a yes, within parts."""
    seen = expected = 0.0
    for place in np.unique(part):
        x, y = one[part == place], other[part == place]
        seen += float((x * (1 - y) + (1 - x) * y).sum())
        expected += len(x) * float(x.mean() * (1 - y.mean()) + (1 - x.mean()) * y.mean())
    return 1 - seen / expected


def _alpha(yes: Floats, n: Floats, part: Places) -> float:
    seen = expected = 0.0
    for place in np.unique(part):
        x, m = yes[part == place], n[part == place]
        seen += float((2 * x * (m - x) / (m - 1)).sum())
        expected += 2 * x.sum() * (m.sum() - x.sum()) / (m.sum() - 1)
    return float(1 - seen / expected)


def _pooled(votes: Floats, part: Places) -> float:
    seen = expected = 0.0
    for place in np.unique(part):
        inside = votes[part == place]
        share = np.nanmean(inside, axis=0)
        for x, y in combinations(range(votes.shape[1]), 2):
            both = inside[:, [x, y]][~np.isnan(inside[:, [x, y]]).any(axis=1)]
            seen += float((both[:, 0] != both[:, 1]).sum())
            apart = share[x] * (1 - share[y]) + (1 - share[x]) * share[y]
            expected += len(both) * float(apart)
    return 1 - seen / expected


def _interval(design: Design, key: str) -> Callable[[np.random.Generator], Said]:
    def one(draw: np.random.Generator) -> Said:
        shown = printed(design, int(draw.integers(2**62)))[key]
        return Said(true(design)[key], shown["value"], shown["low"], shown["high"])

    return one


NUMBERS = {
    "judge": "judge, left-out raters' kappa",
    "rater": "left-out rater's kappa",
    "difference": "judge less left-out rater",
    "votes_judge": "judge, Brier score of votes",
    "votes_rater": "left-out rater, Brier of votes",
    "advantage": "advantage probability",
}
WITHIN = {
    "kappa": "judge's kappa within slices",
    "excess": "kappa less that within slices",
    "alpha": "alpha within slices",
    "pooled": "pooled kappa within slices",
}


def _rows() -> Iterator[Simulation]:
    for design in DESIGNS:
        for key, number in (NUMBERS | (WITHIN if len(design.shares) > 1 else {})).items():
            yield Simulation(number, design.name, _interval(design, key))


SIMULATIONS = tuple(_rows())

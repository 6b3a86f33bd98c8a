"""How well scores tell entailed from not entailed, with intervals; and which scorer is built in."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.stats.bootstrap import numbered, weights
from training.scorer.pairs import Labelled, matches

Numbers = NDArray[np.float64]

DRAWS = 1_000

PARTS: dict[str, tuple[str, ...]] = {
    "ab-*": ("ab-*",),
    "ab-attributedqa": ("ab-attributedqa",),
    "ab-expertqa": ("ab-expertqa",),
    "ab-lfqa": ("ab-lfqa",),
    "ab-stanford-gensearch": ("ab-stanford-gensearch",),
    "wice": ("wice",),
    "fever": ("fever",),
    "xquad-qa": ("xquad-qa",),
    "begin-*": ("begin-*",),
    "fact checks": (
        "fm2*",
        "climate-fever*",
        "vitaminc",
        "fever-symmetric",
        "scifact",
        "covidfact",
    ),
    "edited summaries": ("summedits-*",),
    "one sentence against another": ("snli*", "mnli", "litl", "sanli-*", "rte", "scitail"),
}
"""What is reported: sources that are alike together."""

CLEARLY_BETTER_ON = ("ab-*", "wice")
"""Judged by people: does the cited text support the statement?"""
GOOD_ON = ("fever", "xquad-qa")
GOOD = 0.75
"""Balanced accuracy."""
ERRORS = 2.0
"""How many standard errors make a margin clear."""


class Case(NamedTuple):
    """One question: a pair, or several that are parts of one, with their best score."""

    source: str
    label: int
    score: float
    cluster: str
    """Cases about the same text are drawn together."""


def cases(pairs: Sequence[Labelled], scores: Iterable[float]) -> list[Case]:
    """Pairs of one group become one case; it is entailed where one of them is."""
    best: dict[tuple[str, str], Case] = {}
    for number, (pair, score) in enumerate(zip(pairs, scores, strict=True)):
        key = (pair.source, pair.group or f"#{number}")
        cluster = pair.group or pair.premise
        known = best.get(key, Case(pair.source, 0, -np.inf, cluster))
        best[key] = known._replace(
            label=max(known.label, pair.label), score=max(known.score, score)
        )
    return list(best.values())


def auc(labels: Numbers, scores: Numbers) -> float:
    """The chance that an entailed case has the higher score; a tie counts half."""
    positive = int((labels == 1).sum())
    negative = len(labels) - positive
    if not positive or not negative:
        return float("nan")
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return float((ranks[labels == 1].sum() - positive * (positive + 1) / 2) / (positive * negative))


def mean_auc(pairs: Sequence[Labelled], scores: Sequence[float]) -> float:
    """The mean of the parts' AUC: `ab-*` is one part, every other source its own."""
    parts: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases(pairs, scores):
        parts["ab-*" if matches(case.source, ["ab-*"]) else case.source].append(case)
    found = [auc(*arrays(some)) for some in parts.values()]
    defined = [one for one in found if np.isfinite(one)]
    return float(np.mean(defined)) if defined else 0.0


def arrays(some: Sequence[Case]) -> tuple[Numbers, Numbers]:
    """Labels and scores."""
    return (
        np.array([case.label for case in some], dtype=np.float64),
        np.array([case.score for case in some], dtype=np.float64),
    )


def balanced(labels: Numbers, decided: Numbers) -> float:
    """The mean of the shares that are right among the entailed and among the others."""
    shares = [decided[labels == one] == one for one in (0, 1)]
    return sum(float(one.mean()) for one in shares) / 2 if all(map(len, shares)) else float("nan")


@dataclass(frozen=True, slots=True)
class WithInterval:
    """A number with its standard error and 95 % interval."""

    value: float
    error: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True)
class GateRow:
    """A part of dev, and how a scorer does on it. `margin` is its AUC less that of `coverage`."""

    part: str
    number: int
    entailed: int
    texts: int
    """Cases about the same text hang together: with few texts an interval says little."""
    auc: WithInterval
    balanced: WithInterval
    margin: WithInterval | None = None


def table(
    pairs: Sequence[Labelled],
    scores: Sequence[float],
    threshold: float,
    *,
    against: Sequence[float] | None = None,
    parts: Mapping[str, Sequence[str]] = PARTS,
) -> list[GateRow]:
    """A row for each part that has cases of both labels, with intervals by resampling texts."""
    found = []
    for part, sources in parts.items():
        numbers = [n for n, pair in enumerate(pairs) if matches(pair.source, sources)]
        some = cases([pairs[n] for n in numbers], [scores[n] for n in numbers])
        labels, values = arrays(some)
        if len(set(labels)) < 2:
            continue
        drawn = _draws(some)
        areas = _aucs(labels, values, drawn)
        margin = None
        if against is not None:
            other = arrays(cases([pairs[n] for n in numbers], [against[n] for n in numbers]))[1]
            margin = _figure(
                auc(labels, values) - auc(labels, other), areas - _aucs(labels, other, drawn)
            )
        decided = (values >= threshold).astype(np.float64)
        found.append(
            GateRow(
                part=part,
                number=len(some),
                entailed=int(labels.sum()),
                texts=len({case.cluster for case in some}),
                auc=_figure(auc(labels, values), areas),
                balanced=_figure(balanced(labels, decided), _shares(labels, decided, drawn)),
                margin=margin,
            )
        )
    return found


def _draws(some: Sequence[Case]) -> Numbers:
    """How often each case is drawn, a row for each draw: always the same draws for the same cases,
    so that scorers are compared on them pair by pair."""
    places = numbered(case.cluster for case in some)
    clusters = int(places.max(initial=-1)) + 1
    return np.concatenate(list(weights(clusters, draws=DRAWS)))[:, places]


def _aucs(labels: Numbers, scores: Numbers, drawn: Numbers) -> Numbers:
    yes, no = labels == 1, labels == 0
    above = scores[yes][:, None] - scores[no][None, :]
    wins = (above > 0) + 0.5 * (above == 0)
    won = np.einsum("dp,dp->d", drawn[:, yes], drawn[:, no] @ wins.T)
    return _divided(won, drawn[:, yes].sum(1) * drawn[:, no].sum(1))


def _shares(labels: Numbers, decided: Numbers, drawn: Numbers) -> Numbers:
    found = np.zeros(len(drawn))
    for one in (0, 1):
        those = labels == one
        right = drawn[:, those] @ (decided[those] == one)
        found += _divided(right, drawn[:, those].sum(1)) / 2
    return found


def _divided(over: Numbers, under: Numbers) -> Numbers:
    found: Numbers = np.full(len(over), np.nan)
    np.divide(over, under, out=found, where=under > 0)
    return found


def _figure(value: float, drawn: Numbers) -> WithInterval:
    drawn = drawn[np.isfinite(drawn)]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return WithInterval(value, float(drawn.std(ddof=1)), float(low), float(high))


@dataclass(frozen=True, slots=True)
class Finding:
    """One condition of the gate, and whether it is met."""

    text: str
    met: bool


def findings(rows: Sequence[GateRow]) -> list[Finding]:
    """What a scorer must reach to be built in instead of `coverage`."""
    by_part = {row.part: row for row in rows}
    found = []
    for part in CLEARLY_BETTER_ON:
        row = by_part.get(part)
        if row is None or row.margin is None:
            found.append(Finding(f"AUC on {part}: not measured", met=False))
            continue
        needed = ERRORS * row.margin.error
        found.append(
            Finding(
                f"AUC on {part}: {row.margin.value:+.3f} against coverage; "
                f"needed: more than {needed:.3f}, two standard errors",
                met=row.margin.value > needed,
            )
        )
    for part in GOOD_ON:
        row = by_part.get(part)
        if row is None:
            found.append(Finding(f"Balanced accuracy on {part}: not measured", met=False))
            continue
        found.append(
            Finding(
                f"Balanced accuracy on {part}: {row.balanced.value:.3f}; needed: {GOOD}",
                met=row.balanced.value >= GOOD,
            )
        )
    return found

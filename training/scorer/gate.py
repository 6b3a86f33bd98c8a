"""How well scores tell entailed from not entailed, with intervals; and which scorer is built in."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.stats.bootstrap import numbered, weights
from training.scorer.pairs import LabelledPair, matches

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
    "contradiction": ("fever-symmetric", "fm2*", "scifact", "covidfact"),
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
"""What is reported: sources that are alike together. `contradiction`: collections that know only
supported and refuted, so that every pair that is not entailed is contradicted."""

CLEARLY_BETTER_ON = ("ab-*", "wice")
"""Judged by people: does the cited text support the statement?"""
NOT_BLIND_TO = "contradiction"
SEES = 0.6
"""Balanced accuracy there."""
ERRORS = 2.0
"""How many standard errors make a margin clear."""


class Rival(NamedTuple):
    """What a scorer is compared with: scores of the same pairs, and where their yes begins."""

    scores: Sequence[float]
    threshold: float


class Case(NamedTuple):
    """One question: a pair, or several that are parts of one, with their best score."""

    source: str
    label: int
    score: float
    cluster: str
    """Cases about the same text are drawn together."""


def cases(pairs: Sequence[LabelledPair], scores: Iterable[float]) -> list[Case]:
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


def mean_auc(pairs: Sequence[LabelledPair], scores: Sequence[float]) -> float:
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
    """A part of dev, and how a scorer does on it. The margins are its AUC and its balanced accuracy
    less those of `coverage`."""

    part: str
    number: int
    entailed: int
    texts: int
    """Cases about the same text hang together: with few texts an interval says little."""
    auc: WithInterval
    balanced: WithInterval
    margin: WithInterval | None = None
    balanced_margin: WithInterval | None = None


def table(
    pairs: Sequence[LabelledPair],
    scores: Sequence[float],
    threshold: float,
    *,
    against: Rival | None = None,
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
        one = _measured(labels, values, threshold, drawn)
        margins: tuple[WithInterval | None, WithInterval | None] = (None, None)
        if against is not None:
            rival = cases([pairs[n] for n in numbers], [against.scores[n] for n in numbers])
            other = _measured(labels, arrays(rival)[1], against.threshold, drawn)
            margins = one.auc.less(other.auc), one.balanced.less(other.balanced)
        found.append(
            GateRow(
                part=part,
                number=len(some),
                entailed=int(labels.sum()),
                texts=len({case.cluster for case in some}),
                auc=one.auc.figure(),
                balanced=one.balanced.figure(),
                margin=margins[0],
                balanced_margin=margins[1],
            )
        )
    return found


class _Drawn(NamedTuple):
    """A number, and what it was in each draw."""

    value: float
    draws: Numbers

    def figure(self) -> WithInterval:
        draws = self.draws[np.isfinite(self.draws)]
        low, high = np.percentile(draws, [2.5, 97.5])
        return WithInterval(self.value, float(draws.std(ddof=1)), float(low), float(high))

    def less(self, other: "_Drawn") -> WithInterval:
        """On the same draws."""
        return _Drawn(self.value - other.value, self.draws - other.draws).figure()


class _Measured(NamedTuple):
    auc: _Drawn
    balanced: _Drawn


def _measured(labels: Numbers, values: Numbers, threshold: float, drawn: Numbers) -> _Measured:
    decided = (values >= threshold).astype(np.float64)
    return _Measured(
        _Drawn(auc(labels, values), _aucs(labels, values, drawn)),
        _Drawn(balanced(labels, decided), _shares(labels, decided, drawn)),
    )


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
        found.append(_clear(f"AUC on {part}", row.margin if row else None))
        found.append(_clear(f"Balanced accuracy on {part}", row.balanced_margin if row else None))
    text, row = f"Balanced accuracy on {NOT_BLIND_TO}", by_part.get(NOT_BLIND_TO)
    if row is None:
        return [*found, Finding(f"{text}: not measured", met=False)]
    seen = row.balanced.value
    return [*found, Finding(f"{text}: {seen:.3f}; needed: {SEES}", met=seen >= SEES)]


def _clear(text: str, margin: WithInterval | None) -> Finding:
    if margin is None:
        return Finding(f"{text}: not measured", met=False)
    needed = ERRORS * margin.error
    return Finding(
        f"{text}: {margin.value:+.3f} against coverage; "
        f"needed: more than {needed:.3f}, two standard errors",
        met=margin.value > needed,
    )

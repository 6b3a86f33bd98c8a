"""Kappa as a function of the threshold on a judge's scores, and of learned thresholds.

κ(t) = Cohen's kappa of people's answers with “score >= t”, see `cohen`

The best threshold on some answers flatters the judge on these. So cross-validation over questions
estimates its kappa: they are divided into ten parts, the threshold of each part is the best one on
the nine others, and one table has the resulting answers to all units.

Another sample would choose other thresholds. With s² the variance of that kappa in draws of
questions with the same thresholds, and l² where each draw chooses its thresholds again:

    standard error = √((s² + l²) / 2)

A draw has the chance of the sample and its own, so learning in a draw adds about twice what it adds
to a sample. Half of it counts. (Nested cross-validation needs a loss that is a mean over units.
Kappa of a tenth of a small study is often undefined.)

S. Bates, T. Hastie and R. Tibshirani (2023), Cross-validation: what does it estimate and how well
does it do it?, Journal of the American Statistical Association 119(546), 1434-1445; M. Stone
(1974), Cross-validatory choice and assessment of statistical predictions, Journal of the Royal
Statistical Society B 36(2), 111-147.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.alpha import Metric
from evaluation.statistics.bootstrap import LEAST_DEFINED, Interval, per_cluster, weights
from evaluation.statistics.cohen import ALL_THE_SAME, kappa, kappas
from evaluation.statistics.error_bars import (
    RESAMPLES,
    TOO_FEW,
    ErrorBar,
    by_t,
    by_z,
    error_bars,
    of_sums,
)
from evaluation.statistics.ranking import NOTHING, Scored
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

FOLDS = 10
HUNDREDTHS = tuple(n / 100 for n in range(101))
MOST_LEARNED = 200
"""The most draws in which thresholds are chosen again."""

_DIGITS = 12
"""Kappas that differ after these digits differ only by rounding."""


@dataclass(frozen=True, slots=True)
class Cut:
    threshold: float
    kappa: Figure


@dataclass(frozen=True, slots=True)
class Cuts:
    """Kappa by threshold, the threshold in use among them."""

    curve: tuple[Cut, ...]
    fixed: Cut
    best: Cut | None
    """The middle threshold with the highest kappa. Chosen on the same data, it flatters."""


def kappa_by_threshold(
    data: Scored, fixed: float, *, thresholds: Sequence[float] | None = None
) -> Cuts:
    """Return kappa of people with “score >= threshold”, by default for all hundredths."""
    cuts = np.unique(np.array([*(HUNDREDTHS if thresholds is None else thresholds), fixed]))
    n, values = len(data.labels), kappas(_tables(data, cuts), "nominal")
    result = [Cut(float(cut), _figure(value, n)) for cut, value in zip(cuts, values, strict=True)]
    best = result[int(middle_of_best(values))] if n and np.isfinite(values).any() else None
    return Cuts(tuple(result), result[int(np.searchsorted(cuts, fixed))], best)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The answer to each unit by a threshold that was chosen without its question."""

    said: NDArray[np.bool_]
    thresholds: tuple[float, ...]
    """The thresholds of the parts; empty where there are fewer than two questions."""


@dataclass(frozen=True, slots=True)
class HeldOutNumber:
    figure: Figure
    bar: ErrorBar
    interval: Interval

    @property
    def is_above_zero(self) -> bool:
        return self.interval.low is not None and self.interval.low > 0


@dataclass(frozen=True, slots=True)
class HeldOutKappas:
    """Kappa of thresholds chosen on other questions, and its gain over the present judge."""

    kappa: HeldOutNumber
    gain: HeldOutNumber

    @property
    def is_recommended(self) -> bool:
        """Whether both are above 0: any constant is a gain over a judge that contradicts people."""
        low = self.kappa.interval.low
        least = self.kappa.figure.value if low is None else low  # a kappa of 1 has no interval
        return self.gain.is_above_zero and (least or 0.0) > 0


def held_out(data: Scored, questions: Whole, fixed: float, *, seed: int = 0) -> HeldOut:
    """Return the answers by thresholds chosen without each unit's question.

    `questions` numbers the question of each unit, in the order of `data`. Where no threshold has a
    kappa, `fixed` replaces it.
    """
    if len(np.unique(questions)) < 2:
        return HeldOut(data.scores >= fixed, ())
    learning = _Learning(data, questions, fixed, seed)
    chosen = learning.cuts[learning.places(learning.parts(np.ones((1, len(learning.fold)))))[0]]
    return HeldOut(data.scores >= chosen[learning.fold[questions]], tuple(chosen.tolist()))


def worth_held_out(
    data: Scored,
    questions: Whole,
    fixed: float,
    *,
    clusters: int | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> HeldOutKappas:
    """Return kappa and gain of thresholds chosen as in `held_out`; intervals allow for learning.

    `clusters` counts all questions, where there are more than those of `data`.
    """
    result = held_out(data, questions, fixed, seed=seed)
    wide = int(questions.max(initial=-1)) + 1 if clusters is None else clusters
    said = np.stack([result.said, data.scores >= fixed], axis=1)
    again = None
    if result.thresholds:
        again = _Learning(data, questions, fixed, seed, wide).learned_again(resamples, seed)
    return worth_of(
        data.labels, said, questions, again=again, clusters=wide, resamples=resamples, seed=seed
    )


def worth_of(
    labels: Floats,
    said: NDArray[np.generic],
    questions: Whole,
    *,
    levels: int = 2,
    again: Floats | None = None,
    clusters: int,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> HeldOutKappas:
    """Return kappa with people of the first column of answers, and its gain over the second.

    `again` has both numbers of draws that learned again.
    """
    scale: Metric = "nominal" if levels == 2 else "ordinal"
    cells = np.zeros((len(said), 2, levels * levels))
    place = levels * labels.astype(int)[:, None] + said.astype(int)
    cells[np.arange(len(said))[:, None], [0, 1], place] = 1
    sums = per_cluster(cells.reshape(-1, 2, levels, levels), questions, clusters)

    def statistic(some: Floats) -> Floats:
        both = kappas(some, scale)
        return np.stack([both[:, 0], both[:, 0] - both[:, 1]], axis=1)

    bars = error_bars(of_sums(sums, statistic), clusters, resamples=resamples, seed=seed)
    if again is not None:
        bars = [_widened(bar, again[:, n]) for n, bar in enumerate(bars)]
    if (count := len(np.unique(questions))) < 2:
        nothing = Interval(None, None, TOO_FEW)
        return HeldOutKappas(*(HeldOutNumber(undefined(TOO_FEW), bar, nothing) for bar in bars))
    own, other = (kappa(table, scale) for table in sums.sum(axis=0))
    gain = own if own.value is None else other
    if own.value is not None and other.value is not None:
        gain = Figure(own.value - other.value)
    return HeldOutKappas(
        HeldOutNumber(own, bars[0], by_z(own.value, bars[0], count)),
        HeldOutNumber(gain, bars[1], by_t(gain.value or 0.0, bars[1], count)),
    )


def _widened(bar: ErrorBar, again: Floats) -> ErrorBar:
    """Return an error bar that allows for learning, from draws that learned again."""
    plain, known = bar.standard_error, again[np.isfinite(again)]
    nothing = Interval(None, None, plain.reason)
    if plain.value is not None and len(known) >= LEAST_DEFINED * len(again):
        plain = Figure(float(np.sqrt((plain.value**2 + known.var(ddof=1)) / 2)))
    return replace(bar, standard_error=plain, percentile=nothing, bca=nothing)


class _Learning:
    """Thresholds chosen and tried on weighted questions, each part's on the other parts."""

    def __init__(
        self, data: Scored, questions: Whole, fixed: float, seed: int, clusters: int = 0
    ) -> None:
        self.cuts = np.unique(np.array([*HUNDREDTHS, fixed]))
        self.fixed = int(np.searchsorted(self.cuts, fixed))
        names = np.unique(questions)
        self.fold = np.zeros(clusters or int(names[-1]) + 1, dtype=np.int64)
        self.fold[names] = folds_of(np.arange(len(names)), seed=seed)
        # For each question: units by people's answer and by the number of thresholds reached.
        reached = np.searchsorted(self.cuts, data.scores, side="right")
        shape = (len(self.fold), 2, len(self.cuts) + 1)
        cell = np.ravel_multi_index((questions, data.labels.astype(int), reached), shape)
        self._units = np.bincount(cell, minlength=prod(shape)).reshape(shape).astype(float)

    def parts(self, weights: Floats) -> Floats:
        """Return units below each threshold, and all: draws × parts × answers × thresholds."""
        every = range(int(self.fold.max()) + 1)
        own = [self.fold == part for part in every]
        result = [np.tensordot(weights[:, kept], self._units[kept], axes=1) for kept in own]
        return np.stack(result, axis=1).cumsum(axis=-1)

    def places(self, parts: Floats) -> Whole:
        """Return the place of each part's threshold, chosen on the other parts."""
        result = self._kappas(parts.sum(axis=1, keepdims=True) - parts)
        known = np.isfinite(result).any(axis=-1)
        return np.where(known, middle_of_best(result), self.fixed)

    def learned_again(self, resamples: int, seed: int) -> Floats:
        """Return held-out kappa and its gain in each draw, with thresholds chosen in the draw."""
        result = []
        for some in weights(len(self.fold), draws=min(resamples, MOST_LEARNED), seed=seed):
            parts = self.parts(some)
            chosen = self.places(parts)[:, :, None, None]
            whole = parts.sum(axis=1)
            below = np.take_along_axis(parts, chosen, axis=3).sum(axis=1)
            own = self._kappas(np.concatenate([below, whole[..., -1:]], axis=-1))[:, 0]
            result.append(np.stack([own, own - self._kappas(whole)[:, self.fixed]], axis=1))
        return np.concatenate(result)

    @staticmethod
    def _kappas(below: Floats) -> Floats:
        """Return kappa of two answers in closed form."""
        (no, missed), (all_no, all_yes) = (
            np.moveaxis(some, -2, 0) for some in (below[..., :-1], below[..., -1:])
        )
        false, right = all_no - no, all_yes - missed
        chance = (right + false) * all_no + all_yes * (missed + no)
        with np.errstate(divide="ignore", invalid="ignore"):
            result: Floats = 2 * (right * no - false * missed) / chance
        return result


def middle_of_best(result: Floats) -> Whole:
    """Return the place of the highest number along the last axis; of equals the middle one."""
    known = np.where(np.isfinite(result), result, -np.inf).round(_DIGITS)
    best = known == known.max(axis=-1, keepdims=True)
    rank = best.cumsum(axis=-1)
    return np.asarray((rank >= (rank[..., -1:] + 1) // 2).argmax(axis=-1))


def folds_of(questions: Whole, *, seed: int) -> Whole:
    """Return the part of each unit, the same for all units of a question."""
    count = int(questions.max(initial=-1)) + 1
    folds = max(1, min(FOLDS, count))
    result: Whole = (np.random.default_rng(seed).permutation(count) % folds)[questions]
    return result


def _tables(data: Scored, cuts: Floats) -> Floats:
    """Return a table for each threshold: people's no and yes by score below and at or above."""
    yes_below = np.concatenate([[0.0], data.labels.cumsum()])
    below = np.searchsorted(data.scores, cuts)  # how many scores are under the cut
    missed = yes_below[below]
    yes, n = data.labels.sum(), len(data.labels)
    return np.stack(
        [
            np.column_stack([below - missed, (n - yes) - (below - missed)]),
            np.column_stack([missed, yes - missed]),
        ],
        axis=1,
    )


def _figure(value: float, units: int) -> Figure:
    if not units:
        return undefined(NOTHING)
    return Figure(float(value)) if np.isfinite(value) else undefined(ALL_THE_SAME)

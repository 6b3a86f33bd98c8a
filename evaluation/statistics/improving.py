"""The gain of a judge that learns from labels, on questions that it did not learn from.

Each way is learned on nine tenths of the questions and tried on the rest, ten times, so that every
unit is answered once without its own question (`statistics/threshold.py`). The judge before and
after learning are compared on the same units, by the same draws of questions.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import numbered, per_cluster
from evaluation.statistics.calibrating import CUT, calibrated_elsewhere
from evaluation.statistics.calibration import BINS, bin_of_each
from evaluation.statistics.chosen_threshold import (
    FEWEST_TRIED,
    ONE_LEVEL,
    WAYS,
    NothingToLearnError,
    refuse_no_probabilities,
)
from evaluation.statistics.cohen import kappas
from evaluation.statistics.cut_points import levels_elsewhere
from evaluation.statistics.error_bars import by_t, by_z, error_bars, of_sums
from evaluation.statistics.ranking import Scored, auc_by_cluster, scored
from evaluation.statistics.threshold import held_out, worth_held_out

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]

EXAMPLES = "examples"
"""Not learned here: a language model with labels as examples, whose run is compared."""

CALIBRATION = "calibration"
"""It has no interval: draws raise an error that the chance of the sample has raised already."""

MEASURES = ("kappa", "balanced", "auc", "brier", CALIBRATION)
OF_LEVELS = ("kappa", "balanced")
LOWER_IS_BETTER = ("brier", CALIBRATION)
BLIND = 0.5
"""The AUC of random scores."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its 95 % interval; without a value it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class SaidOfUnits:
    """A judge's answers, yes or no or a level, with scores that are probabilities."""

    values: Flags | Places
    scores: Floats | None = None


@dataclass(frozen=True, slots=True)
class TriedWay:
    """The trial of a way to learn: `more` is `after` minus `before`, on the same units."""

    way: str
    units: int
    questions: int
    before: Mapping[str, Number]
    after: Mapping[str, Number]
    more: Mapping[str, Number]
    levels: int = 2
    """The number of possible answers; more than two have an order."""

    deciding: Number | None = None
    """The gain of kappa that decides whether it is better, where its interval is not shown."""

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures of this trial; levels have no scores that are probabilities."""
        return MEASURES if self.levels == 2 else OF_LEVELS

    @property
    def better(self) -> bool:
        """Whether it agrees more with people, or has better scores and agrees no less.

        Both by more than the chance of the sample. Scores that cannot separate yes from no get
        better by one number for all units: that is no better judge.
        """
        kappa = self.deciding or self.more["kappa"]
        brier, auc = self.more["brier"], self.after["auc"]
        if kappa.low is not None and kappa.low > 0:
            return True
        truer = brier.high is not None and brier.high < 0
        knows = auc.low is not None and auc.low > BLIND
        return truer and knows and (kappa.high is None or kappa.high >= 0)

    def described(self) -> dict[str, Any]:
        result = asdict(self) | {"better": self.better}
        del result["deciding"]
        return result


def tried(
    labels: Mapping[int, int],
    scores: Mapping[int, float],
    questions: Mapping[int, str],
    *,
    fixed: float,
    seed: int,
) -> list[TriedWay]:
    """Try every way with people's labels, the judge's scores and the questions, each by unit.

    `fixed` is the threshold in use.
    """
    data = scored(labels, scores)
    places = numbered(questions[unit] for unit in data.units)
    _refuse_too_few(data, places)
    before = SaidOfUnits(data.scores >= fixed, data.scores)
    result = []
    for way in WAYS:
        if way == "threshold":
            after = SaidOfUnits(held_out(data, places, fixed, seed=seed).said, data.scores)
        else:
            made = calibrated_elsewhere(way, data, places, seed=seed)
            after = SaidOfUnits(made >= CUT, made)
        one = compare(way, data.labels, before, after, places)
        result.append(_allowing_for_learning(one, data, places, fixed, seed))
    return result


def _allowing_for_learning(
    one: TriedWay, data: Scored, places: Places, fixed: float, seed: int
) -> TriedWay:
    """Return the trial with the report's intervals of a threshold's kappa and its gain."""
    if one.way != "threshold":
        return one
    worth = worth_held_out(data, places, fixed, seed=seed)
    after, more = (
        {**numbers, "kappa": Number(kappa.figure.value, kappa.interval.low, kappa.interval.high)}
        for numbers, kappa in ((one.after, worth.kappa), (one.more, worth.gain))
    )
    return replace(one, after=after, more=more)


def tried_levels(
    labels: Mapping[int, int],
    scores: Mapping[int, float],
    questions: Mapping[int, str],
    said: Mapping[int, int],
    *,
    levels: int,
    seed: int,
) -> list[TriedWay]:
    """Try cut points of an ordered dimension, as `tried` does with other ways.

    `labels` and `said` are people's and the judge's level of each unit, from 0. The gain has no
    interval: draws with fixed cut points held a true gain in .76 to .92 of studies. That interval
    decides whether cut points are better: judges without a gain passed in .03 to .04.
    """
    data = scored(labels, scores)
    places = numbered(questions[unit] for unit in data.units)
    refuse_few_questions(places)
    marks = data.labels.astype(np.int64)
    if len(np.unique(marks)) < 2:
        raise NothingToLearnError(f"Nothing can be learned: {ONE_LEVEL}. Have more rated.")
    refuse_no_probabilities(data)
    own = np.array([said[unit] for unit in data.units])
    made = levels_elsewhere(marks, data.scores, own, places, levels, seed=seed)
    sides = SaidOfUnits(own), SaidOfUnits(made)
    result = compare("threshold", data.labels, *sides, places, levels=levels)
    after, more = (
        {name: Number(one.value) for name, one in numbers.items()}
        for numbers in (result.after, result.more)
    )
    return [replace(result, after=after, more=more, deciding=result.more["kappa"])]


def refuse_few_questions(places: Places, who: str = "this judge") -> None:
    """Raise if there are too few questions; `places` has the question of each unit."""
    count = len(np.unique(places))
    if count < FEWEST_TRIED:
        raise NothingToLearnError(
            f"People and {who} have answered about {count} questions in common; at least "
            f"{FEWEST_TRIED} are needed. Have more of them rated."
        )


def _refuse_too_few(data: Scored, places: Places) -> None:
    refuse_few_questions(places)
    if data.reason:
        raise NothingToLearnError(f"Nothing can be learned: {data.reason}. Have more rated.")
    refuse_no_probabilities(data)


def compare(
    way: str,
    labels: Floats,
    before: SaidOfUnits,
    after: SaidOfUnits,
    places: Places,
    *,
    levels: int = 2,
) -> TriedWay:
    """Compare two judges on the same units; `places` has the question of each unit.

    With more than two levels kappa is weighted, and scores have no measures.
    """
    clusters = int(places.max(initial=-1)) + 1
    sides = [_summed(labels, one, places, clusters, levels) for one in (before, after)]
    sums = np.stack(sides, axis=1)
    drawn = of_sums(sums, partial(_numbers, levels=levels))
    values = drawn(np.ones((1, clusters)))[0]
    bars = error_bars(drawn, clusters)

    def number(place: int, name: str, *, is_more: bool = False) -> Number:
        value = float(values[place])
        if not np.isfinite(value):
            return Number(None)
        if name == CALIBRATION:
            return Number(value)
        least = -1.0 if name == "kappa" else 0.0
        on_a_line = is_more or name in LOWER_IS_BETTER
        bar = bars[place]
        span = by_t(value, bar, clusters) if on_a_line else by_z(value, bar, clusters, least=least)
        low = span.low
        if low is not None and not is_more and name in LOWER_IS_BETTER:
            low = max(low, 0.0)
        return Number(value, low, span.high)

    size = len(MEASURES)
    before_it, after_it, more = (
        {
            name: number(part * size + place, name, is_more=part == 2)
            for place, name in enumerate(MEASURES)
        }
        for part in range(3)
    )
    questions = len(np.unique(places))
    return TriedWay(way, len(labels), questions, before_it, after_it, more, levels)


def _summed(
    labels: Floats, said: SaidOfUnits, places: Places, clusters: int, levels: int
) -> Floats:
    """Return each question's sums: table by people and judge, units, squared errors, AUC, bins."""
    n, cells = len(labels), levels * levels
    rows = np.full((n, cells + 3 + BINS), np.nan)
    rows[:, :cells] = 0
    rows[np.arange(n), levels * labels.astype(int) + said.values] = 1
    rows[:, cells] = 1
    if said.scores is None:
        return per_cluster(rows, places, clusters)
    rows[:, cells + 1 :] = 0
    rows[:, cells + 1] = (said.scores - labels) ** 2
    rows[np.arange(n), cells + 3 + bin_of_each(said.scores)] = labels - said.scores
    result = per_cluster(rows, places, clusters)
    if not 0 < labels.sum() < n:
        result[:, cells + 2] = np.nan
        return result
    order = np.argsort(said.scores, kind="stable")
    data = Scored((), labels[order], said.scores[order])
    value, added = auc_by_cluster(data, places[order], clusters)
    # Σ added = 0: with each question once this is the AUC.
    result[:, cells + 2] = added + value / clusters
    return result


def _numbers(sums: Floats, *, levels: int) -> Floats:
    """Return both sides' measures and their difference, from draws × sides × sums."""
    cells = levels * levels
    tables = sums[..., :cells].reshape(*sums.shape[:2], levels, levels)
    with np.errstate(divide="ignore", invalid="ignore"):
        recalls = np.diagonal(tables, axis1=2, axis2=3) / tables.sum(axis=3)
        units = sums[..., cells]
        each = np.stack(
            [
                kappas(tables, "nominal" if levels == 2 else "ordinal"),
                # Levels that nobody gave do not count; of two levels, both are needed.
                recalls.mean(axis=2) if levels == 2 else np.nanmean(recalls, axis=2),
                sums[..., cells + 2],
                sums[..., cells + 1] / units,
                np.abs(sums[..., cells + 3 :]).sum(axis=2) / units,
            ],
            axis=2,
        )
    return np.concatenate([each[:, 0], each[:, 1], each[:, 1] - each[:, 0]], axis=1)

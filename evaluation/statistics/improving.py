"""What a judge gains by learning from labels, told on questions that it did not learn from.

Each way is learned on nine tenths of the questions and tried on the rest, ten times, so that every
unit is answered once by what did not see its question (`statistics/threshold.py`). The judge as it
is and the judge as it would be are compared on the same units, by the same draws of questions.
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
"""Not learned here: a language model that was shown labels, which has judged already."""

CALIBRATION = "calibration"
"""Has no interval: draws of a sample raise the error that chance has raised already."""

MEASURES = ("kappa", "balanced", "auc", "brier", CALIBRATION)
OF_LEVELS = ("kappa", "balanced")
LOWER_IS_BETTER = ("brier", CALIBRATION)
BLIND = 0.5
"""The AUC of scores that tell nothing."""


@dataclass(frozen=True, slots=True)
class Number:
    """With its 95 % interval; without a value, it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class SaidOfUnits:
    """What a judge says of units: yes or no, or the level, and its scores where it has some that
    are probabilities of a yes."""

    values: Flags | Places
    scores: Floats | None = None


@dataclass(frozen=True, slots=True)
class TriedWay:
    """A way, tried: `more` is after less before, of the same units."""

    way: str
    units: int
    questions: int
    before: Mapping[str, Number]
    after: Mapping[str, Number]
    more: Mapping[str, Number]
    levels: int = 2
    """How many answers there are; more than two have an order."""

    deciding: Number | None = None
    """The gain of kappa that decides whether it is better, where its interval is not shown."""

    @property
    def measures(self) -> tuple[str, ...]:
        """Those that are told: of levels no scores are probabilities."""
        return MEASURES if self.levels == 2 else OF_LEVELS

    @property
    def better(self) -> bool:
        """Whether it agrees more with people, or has the truer scores and agrees no less, by more
        than the chance of the sample. Scores that tell yes from no no better than chance are made
        truer by saying one number of everything: that is no better judge."""
        kappa = self.deciding or self.more["kappa"]
        brier, auc = self.more["brier"], self.after["auc"]
        if kappa.low is not None and kappa.low > 0:
            return True
        truer = brier.high is not None and brier.high < 0
        knows = auc.low is not None and auc.low > BLIND
        return truer and knows and (kappa.high is None or kappa.high >= 0)

    def described(self) -> dict[str, Any]:
        found = asdict(self) | {"better": self.better}
        del found["deciding"]
        return found


def tried(
    labels: Mapping[int, int],
    scores: Mapping[int, float],
    questions: Mapping[int, str],
    *,
    fixed: float,
    seed: int,
) -> list[TriedWay]:
    """Every way, by unit: what people say, the judge's score, the question. `fixed` is the
    threshold so far."""
    data = scored(labels, scores)
    places = numbered(questions[unit] for unit in data.units)
    _refuse_too_few(data, places)
    before = SaidOfUnits(data.scores >= fixed, data.scores)
    found = []
    for way in WAYS:
        if way == "threshold":
            after = SaidOfUnits(held_out(data, places, fixed, seed=seed).said, data.scores)
        else:
            made = calibrated_elsewhere(way, data, places, seed=seed)
            after = SaidOfUnits(made >= CUT, made)
        one = compare(way, data.labels, before, after, places)
        found.append(_allowing_for_learning(one, data, places, fixed, seed))
    return found


def _allowing_for_learning(
    one: TriedWay, data: Scored, places: Places, fixed: float, seed: int
) -> TriedWay:
    """With the intervals of a threshold's kappa, and of its gain, that the report has."""
    if one.way != "threshold":
        return one
    worth = worth_held_out(data, places, fixed, seed=seed)
    after, more = (
        {**numbers, "kappa": Number(told.figure.value, told.interval.low, told.interval.high)}
        for numbers, told in ((one.after, worth.kappa), (one.more, worth.gain))
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
    """As `tried`, of an ordered dimension: people's level of each unit, the judge's, counted from
    0, and its score, by which cut points put it on another one.

    What cut points come to has no interval: that of draws with the cut points as they are held a
    true gain in .76 to .92 of studies. It decides whether they are better: judges without a gain
    passed in .03 to .04.
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
    found = compare("threshold", data.labels, *sides, places, levels=levels)
    after, more = (
        {name: Number(one.value) for name, one in numbers.items()}
        for numbers in (found.after, found.more)
    )
    return [replace(found, after=after, more=more, deciding=found.more["kappa"])]


def refuse_few_questions(places: Places, who: str = "this judge") -> None:
    """Nothing is tried on fewer; `places` names the questions of units."""
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
    """Two judges on the same units; `places` names their questions. Of more than two levels kappa
    is weighted, and there are no numbers of scores."""
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
    """What each question adds: the table of people by judge, units, squared errors, the AUC's
    part, and the error of each bin of scores."""
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
    found = per_cluster(rows, places, clusters)
    if not 0 < labels.sum() < n:
        found[:, cells + 2] = np.nan
        return found
    order = np.argsort(said.scores, kind="stable")
    data = Scored((), labels[order], said.scores[order])
    value, added = auc_by_cluster(data, places[order], clusters)
    # Σ added = 0: with each question once this is the AUC.
    found[:, cells + 2] = added + value / clusters
    return found


def _numbers(sums: Floats, *, levels: int) -> Floats:
    """Draws × sides × what was summed, to the measures of both sides, and their difference."""
    cells = levels * levels
    tables = sums[..., :cells].reshape(*sums.shape[:2], levels, levels)
    with np.errstate(divide="ignore", invalid="ignore"):
        recalls = np.diagonal(tables, axis1=2, axis2=3) / tables.sum(axis=3)
        units = sums[..., cells]
        each = np.stack(
            [
                kappas(tables, "nominal" if levels == 2 else "ordinal"),
                # A level that nobody gave is none to be found; of two, both are needed.
                recalls.mean(axis=2) if levels == 2 else np.nanmean(recalls, axis=2),
                sums[..., cells + 2],
                sums[..., cells + 1] / units,
                np.abs(sums[..., cells + 3 :]).sum(axis=2) / units,
            ],
            axis=2,
        )
    return np.concatenate([each[:, 0], each[:, 1], each[:, 1] - each[:, 0]], axis=1)

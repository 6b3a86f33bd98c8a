"""Thresholds and calibrations learned on a study's own labels, and their gain on others.

An ordered dimension has several thresholds (cut points). They are learned on half of the questions
and tried on the other half; or on all, and tried by cross-validation. The study's seed chooses the
half.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.alpha import Metric
from evaluation.statistics.bootstrap import numbered, per_cluster
from evaluation.statistics.calibrating import CUT, Calibrator, calibrated_elsewhere, calibrator
from evaluation.statistics.cohen import ALL_THE_SAME, kappas
from evaluation.statistics.confusion import accuracies
from evaluation.statistics.cut_points import cut_points, levels_elsewhere, levels_of
from evaluation.statistics.error_bars import by_z, error_bars, of_sums
from evaluation.statistics.ranking import Scored, scored
from evaluation.statistics.threshold import (
    HeldOutKappas,
    held_out,
    kappa_by_threshold,
    worth_held_out,
    worth_of,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]
Values = Flags | Places
Part = Literal["half", "all"]
PARTS: tuple[Part, ...] = get_args(Part)
Learning = Literal["threshold", "platt", "isotonic"]
WAYS: tuple[Learning, ...] = get_args(Learning)

FEWEST_QUESTIONS = {"half": 4, "all": 2}
FEWEST_TRIED = 10
"""The least questions for a trial or a calibration: fewer describe only the sample."""

ONE_LEVEL = "people gave the same answer everywhere"


class NothingToLearnError(ValueError):
    """Too few labels to learn from; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Tried:
    """Agreement of a judge with labels that its threshold was not chosen on."""

    number: int
    entailed: int
    said: int
    accuracy: float | None
    accuracy_low: float | None
    accuracy_high: float | None
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    reason: str

    def described(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ChosenThreshold:
    thresholds: tuple[float, ...]
    """One threshold, or the cut points below each level of an ordered dimension but the first."""

    learned: tuple[int, ...]
    """The units with the labels that were used."""

    questions: int
    """The number of questions of these units."""

    before: Tried
    after: Tried
    worth: HeldOutKappas | None = None
    """Kappa of thresholds and its gain on held-out questions, of all units that people rated."""

    calibrated: Calibrator | None = None
    """The function from scores to probabilities, where a calibration was learned."""

    @property
    def threshold(self) -> float:
        """The only threshold of a dimension with two answers."""
        return self.thresholds[0]


def choose(
    labels: Mapping[int, int],
    scores: Mapping[int, float],
    questions: Mapping[int, str],
    *,
    part: Part,
    fixed: float,
    seed: int,
    way: Learning = "threshold",
) -> ChosenThreshold:
    """Learn from people's labels, the judge's scores and the questions, each by unit.

    `fixed` is the threshold in use.
    """
    data = scored(labels, scores)
    named = [questions[unit] for unit in data.units]
    fewest = 0 if way == "threshold" else FEWEST_TRIED
    place, learns = to_learn_from(named, part=part, seed=seed, fewest=fewest)
    here = _some(data, learns)
    if here.reason:
        raise NothingToLearnError(
            f"In the questions to learn from {here.reason}: nothing can be learned by that. "
            "Have more of them rated."
        )
    rest, of = (_some(data, ~learns), place[~learns]) if part == "half" else (data, place)
    made: Calibrator | None = None
    worth: HeldOutKappas | None = None
    if way == "threshold":
        best = kappa_by_threshold(here, fixed).best
        assert best is not None
        threshold = best.threshold
        elsewhere = held_out(data, place, fixed, seed=seed).said if part == "all" else None
        after = rest.scores >= threshold if elsewhere is None else elsewhere
        worth = worth_held_out(data, place, fixed, seed=seed)
    else:
        made, threshold = calibrator(way, here.scores, here.labels), CUT
        probable = (
            calibrated_elsewhere(way, data, place, seed=seed)
            if part == "all"
            else made(rest.scores)
        )
        after = probable >= CUT
    return ChosenThreshold(
        (threshold,),
        tuple(sorted(here.units)),
        len(np.unique(place[learns])),
        _tried(rest.labels, rest.scores >= fixed, of),
        _allowing(_tried(rest.labels, after, of), worth if part == "all" else None),
        worth,
        made,
    )


def choose_levels(
    labels: Mapping[int, int],
    scores: Mapping[int, float],
    questions: Mapping[int, str],
    said: Mapping[int, int],
    *,
    part: Part,
    levels: int,
    positive: int,
    seed: int,
) -> ChosenThreshold:
    """Learn cut points of an ordered dimension, as `choose` does with a threshold.

    `labels` and `said` have people's and the judge's level of each unit, from 0. From the level
    `positive` on, an answer speaks for the response.
    """
    data = scored(labels, scores)
    place, learns = to_learn_from([questions[unit] for unit in data.units], part=part, seed=seed)
    refuse_no_probabilities(data)
    marks, own = data.labels.astype(np.int64), np.array([said[unit] for unit in data.units])
    cuts = cut_points(marks[learns], data.scores[learns], levels)
    if cuts is None:
        raise NothingToLearnError(
            f"In the questions to learn from {ONE_LEVEL}: nothing can be learned by that. "
            "Have more of them rated."
        )
    elsewhere = levels_elsewhere(marks, data.scores, own, place, levels, seed=seed)
    both = np.column_stack([elsewhere, own])
    clusters = int(place.max()) + 1
    worth = worth_of(data.labels, both, place, levels=levels, clusters=clusters, seed=seed)
    rest, after = (~learns, levels_of(data.scores, cuts)) if part == "half" else (learns, elsewhere)
    told = partial(_tried, data.labels[rest], of=place[rest], levels=levels, positive=positive)
    learned = [unit for unit, is_in in zip(data.units, learns, strict=True) if is_in]
    questions_learned = len(np.unique(place[learns]))
    before_it, after_it = told(own[rest]), told(after[rest])
    return ChosenThreshold(
        cuts, tuple(sorted(learned)), questions_learned, before_it, after_it, worth
    )


def refuse_no_probabilities(data: Scored) -> None:
    """Raise if a score is outside 0 to 1; `data` is sorted by score."""
    if data.scores[0] < 0 or data.scores[-1] > 1:
        raise NothingToLearnError("The scores of this judge are no probabilities.")


def to_learn_from(
    questions: Sequence[str], *, part: Part, seed: int, who: str = "this judge", fewest: int = 0
) -> tuple[Places, Flags]:
    """Return the place of each unit's question, and whether the unit is learned from."""
    names = sorted({*questions})
    if len(names) < (needed := max(fewest, FEWEST_QUESTIONS[part])):
        raise NothingToLearnError(
            f"People and {who} have answered about {len(names)} questions in common; "
            f"at least {needed} are needed. Have more of them rated."
        )
    order = np.random.default_rng(seed).permutation(len(names))
    wanted = order[: (len(names) + 1) // 2] if part == "half" else order
    at = {name: number for number, name in enumerate(names)}
    place = np.array([at[question] for question in questions], dtype=np.int64)
    return place, np.isin(place, wanted)


def _some(data: Scored, kept: Flags) -> Scored:
    units = tuple(unit for unit, is_in in zip(data.units, kept, strict=True) if is_in)
    return Scored(units, data.labels[kept], data.scores[kept])


def _tried(
    labels: Floats, said: Values, of: Places, *, levels: int = 2, positive: int = 1
) -> Tried:
    """Compare labels and answers; `of` has the question of each unit."""
    cells = np.zeros((len(said), levels * levels))
    cells[np.arange(len(said)), levels * labels.astype(int) + said] = 1
    sums = per_cluster(cells.reshape(-1, levels, levels), numbered(of.tolist()))
    scale: Metric = "nominal" if levels == 2 else "ordinal"

    def statistic(tables: Floats) -> Floats:
        return np.column_stack([accuracies(tables), kappas(tables, scale)])

    accuracy, kappa = statistic(sums.sum(axis=0)[None])[0].tolist()
    known = bool(np.isfinite(kappa))
    of_accuracy, of_kappa = error_bars(of_sums(sums, statistic), len(sums))
    bars = [
        by_z(accuracy, of_accuracy, len(sums), least=0.0),
        by_z(kappa if known else None, of_kappa, len(sums)),
    ]
    return Tried(
        number=len(said),
        entailed=int((labels >= positive).sum()),
        said=int((said >= positive).sum()),
        accuracy=_rounded(accuracy),
        accuracy_low=_rounded(bars[0].low),
        accuracy_high=_rounded(bars[0].high),
        kappa=_rounded(kappa) if known else None,
        kappa_low=_rounded(bars[1].low) if known else None,
        kappa_high=_rounded(bars[1].high) if known else None,
        reason=bars[1].reason if known else ALL_THE_SAME,
    )


def _allowing(tried: Tried, worth: HeldOutKappas | None) -> Tried:
    """Return the trial with the interval of kappa that allows for learning, if there is one."""
    if worth is None:
        return tried
    result = worth.kappa.interval
    return replace(tried, kappa_low=_rounded(result.low), kappa_high=_rounded(result.high))


def _rounded(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else round(value, 6)

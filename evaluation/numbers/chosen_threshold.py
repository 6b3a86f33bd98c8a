"""A threshold chosen on a study's own labels, or a calibration learned on them, and what it is
worth on others.

It is learned on half of the questions and tried on the other half; or on all, and then tried by
cross-validation. Which questions are the half, the study's seed says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.calibrating import (
    CUT,
    Calibrator,
    calibrated_elsewhere,
    calibrator,
)
from evaluation.agreement.cohen import ALL_THE_SAME, kappas
from evaluation.agreement.confusion import accuracies
from evaluation.agreement.ranking import Scored, scored
from evaluation.agreement.threshold import held_out, kappa_by_threshold
from evaluation.stats.bootstrap import numbered, per_cluster
from evaluation.stats.error_bars import by_z, error_bars, of_sums

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Part = Literal["half", "all"]
PARTS: tuple[Part, ...] = get_args(Part)
Way = Literal["threshold", "platt", "isotonic"]
WAYS: tuple[Way, ...] = get_args(Way)

FEWEST_QUESTIONS = {"half": 4, "all": 2}


class NothingToLearnError(ValueError):
    """Too little to choose a threshold by; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Tried:
    """How far the judge agrees with labels that its threshold was not chosen on."""

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
class Choice:
    threshold: float
    learned: tuple[int, ...]
    """The units whose labels it was chosen on."""

    questions: int
    """How many these are about."""

    before: Tried
    after: Tried
    calibrated: Calibrator | None = None
    """What makes probabilities of scores, where that was learned and not a threshold."""


def choose(
    labels: Mapping[int, bool],
    scores: Mapping[int, float],
    questions: Mapping[int, str],
    *,
    part: Part,
    fixed: float,
    seed: int,
    way: Way = "threshold",
) -> Choice:
    """By unit: what people say, the judge's score, the question. `fixed`: the threshold so far."""
    data = scored(labels, scores)
    place, learns = to_learn_from([questions[unit] for unit in data.units], part=part, seed=seed)
    here = _some(data, learns)
    if here.reason:
        raise NothingToLearnError(
            f"In the questions to learn from {here.reason}: nothing can be learned by that. "
            "Have more of them rated."
        )
    rest, of = (_some(data, ~learns), place[~learns]) if part == "half" else (data, place)
    made: Calibrator | None = None
    if way == "threshold":
        best = kappa_by_threshold(here, fixed).best
        assert best is not None
        threshold = best.threshold
        elsewhere = held_out(data, place, fixed, seed=seed).said if part == "all" else None
        after = rest.scores >= threshold if elsewhere is None else elsewhere
    else:
        made, threshold = calibrator(way, here.scores, here.labels), CUT
        probable = (
            calibrated_elsewhere(way, data, place, seed=seed)
            if part == "all"
            else made(rest.scores)
        )
        after = probable >= CUT
    return Choice(
        threshold,
        tuple(sorted(here.units)),
        len(np.unique(place[learns])),
        _tried(rest, rest.scores >= fixed, of),
        _tried(rest, after, of),
        made,
    )


def to_learn_from(
    questions: Sequence[str], *, part: Part, seed: int, who: str = "this judge"
) -> tuple[NDArray[np.int64], Flags]:
    """Of units with these questions: the place of each unit's question, and whether it is learned
    from."""
    names = sorted({*questions})
    if len(names) < FEWEST_QUESTIONS[part]:
        raise NothingToLearnError(
            f"People and {who} have answered about {len(names)} questions in common; "
            f"at least {FEWEST_QUESTIONS[part]} are needed. Have more of them rated."
        )
    order = np.random.default_rng(seed).permutation(len(names))
    wanted = order[: (len(names) + 1) // 2] if part == "half" else order
    at = {name: number for number, name in enumerate(names)}
    place = np.array([at[question] for question in questions], dtype=np.int64)
    return place, np.isin(place, wanted)


def _some(data: Scored, kept: Flags) -> Scored:
    units = tuple(unit for unit, is_in in zip(data.units, kept, strict=True) if is_in)
    return Scored(units, data.labels[kept], data.scores[kept])


def _tried(data: Scored, said: Flags, questions: NDArray[np.int64]) -> Tried:
    cells = np.zeros((len(said), 4))
    cells[np.arange(len(said)), 2 * data.labels.astype(int) + said] = 1
    sums = per_cluster(cells.reshape(-1, 2, 2), numbered(questions.tolist()))

    def statistic(tables: Floats) -> Floats:
        return np.column_stack([accuracies(tables), kappas(tables, "nominal")])

    accuracy, kappa = statistic(sums.sum(axis=0)[None])[0].tolist()
    known = bool(np.isfinite(kappa))
    of_accuracy, of_kappa = error_bars(of_sums(sums, statistic), len(sums))
    bars = [
        by_z(accuracy, of_accuracy, len(sums), least=0.0),
        by_z(kappa if known else None, of_kappa, len(sums)),
    ]
    return Tried(
        number=len(said),
        entailed=int(data.labels.sum()),
        said=int(said.sum()),
        accuracy=_rounded(accuracy),
        accuracy_low=_rounded(bars[0].low),
        accuracy_high=_rounded(bars[0].high),
        kappa=_rounded(kappa) if known else None,
        kappa_low=_rounded(bars[1].low) if known else None,
        kappa_high=_rounded(bars[1].high) if known else None,
        reason=bars[1].reason if known else ALL_THE_SAME,
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else round(value, 6)

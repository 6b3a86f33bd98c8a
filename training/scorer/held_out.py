"""A study's own pairs: divided by question, and how far a scorer agrees with people on those that
it was not trained on.

Cohen's kappa of the two columns of decisions, with p_o the share of pairs decided alike and p_e the
share expected if both had decided by chance as often as they did:

    κ = (p_o - p_e) / (1 - p_e)

J. Cohen (1960), A coefficient of agreement for nominal scales.
"""

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evaluation.stats.bootstrap import Interval, numbered, per_cluster
from evaluation.stats.error_bars import error_bar, of_sums

Part = Literal["train", "dev", "held out"]
Floats = NDArray[np.float64]

HELD_OUT = 0.3
"""The part of questions on which the trained scorer is compared with people."""
DEV = 0.15
"""The part that says when to stop, and where the threshold lies."""

RESAMPLES = 1_000


def divided(questions: Sequence[str], seed: int) -> dict[str, Part]:
    """The part of each question. The same questions and seed give the same parts."""
    names = sorted(set(questions))
    random.Random(seed).shuffle(names)  # noqa: S311 nothing secret
    held_out, dev = round(HELD_OUT * len(names)), round(DEV * len(names))
    parts: dict[str, Part] = dict.fromkeys(names, "train")
    parts.update(dict.fromkeys(names[:held_out], "held out"))
    parts.update(dict.fromkeys(names[held_out : held_out + dev], "dev"))
    return parts


@dataclass(frozen=True, slots=True)
class HeldOutAgreement:
    """How far decisions agree with labels; None where that is undefined, and why."""

    number: int
    entailed: int
    """How many of the labels say so."""
    said: int
    """How many of the decisions do."""
    accuracy: float | None
    accuracy_low: float | None
    accuracy_high: float | None
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    reason: str = ""
    """Why kappa, or its interval, is undefined."""

    def described(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def agreement(
    labels: Sequence[bool], decisions: Sequence[bool], clusters: Sequence[Hashable]
) -> HeldOutAgreement:
    """Agreement with intervals by resampling clusters: the questions."""
    table = np.zeros((len(labels), 2, 2))
    for number, (label, decision) in enumerate(zip(labels, decisions, strict=True)):
        table[number, int(label), int(decision)] = 1
    sums = per_cluster(table, numbered(clusters))
    summed = sums.sum(axis=0, keepdims=True)
    accuracy, kappa = float(_accuracies(summed)[0]), float(_kappas(summed)[0])
    accuracy_between, kappa_between = _interval(sums, _accuracies), _interval(sums, _kappas)
    defined = bool(np.isfinite(kappa))
    reason = kappa_between.reason if defined else _why(len(labels))
    return HeldOutAgreement(
        number=len(labels),
        entailed=sum(labels),
        said=sum(decisions),
        accuracy=_rounded(accuracy),
        accuracy_low=_rounded(accuracy_between.low),
        accuracy_high=_rounded(accuracy_between.high),
        kappa=_rounded(kappa),
        kappa_low=_rounded(kappa_between.low) if defined else None,
        kappa_high=_rounded(kappa_between.high) if defined else None,
        reason=reason,
    )


def _interval(sums: Floats, statistic: Callable[[Floats], Floats]) -> Interval:
    return error_bar(of_sums(sums, statistic), len(sums), resamples=RESAMPLES).percentile


def _why(number: int) -> str:
    return "people and scorer say the same of all" if number else "nothing is held out"


def _accuracies(tables: Floats) -> Floats:
    totals = tables.sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = (tables[:, 0, 0] + tables[:, 1, 1]) / totals
    return found


def _kappas(tables: Floats) -> Floats:
    totals = tables.sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        alike = (tables[:, 0, 0] + tables[:, 1, 1]) / totals
        chance = (tables.sum(axis=2) * tables.sum(axis=1)).sum(axis=1) / totals**2
        found: Floats = np.where(chance < 1, (alike - chance) / (1 - chance), np.nan)
    return found


def _rounded(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else round(value, 4)

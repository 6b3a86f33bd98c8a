"""Studies in which a threshold learned from people's labels helps, or only seems to."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.coverage_thresholds import HELPS, INTERVALS, USELESS, ScoresDesign, coverage_of
from bench.made_up import study
from bench.misleading import Case, report_of, sentence
from evaluation.reports.shape.judges import ThresholdRow
from evaluation.reports.shape.report import Report

Floats = NDArray[np.float64]
STUDIES, LABELS = 40, 50


@dataclass(frozen=True, slots=True)
class RecommendedOften:
    """Of `STUDIES` studies, in how many another threshold is recommended, and in how many the best
    one here is worse than 0.5 on other answers."""

    recommended: int
    worse: int
    both: int


def row_of(people: NDArray[np.bool_], scores: Floats) -> tuple[Report, ThresholdRow]:
    report = report_of(study(people[:, None, None], {"judge": scores[:, None]}))
    [row] = report["thresholds"]
    return report, row


def recommended(design: ScoresDesign) -> RecommendedOften:
    found, elsewhere = [], design.elsewhere()
    for seed in range(STUDIES):
        labels, scores, _ = design.made(np.random.default_rng([3, seed]), LABELS, 1)
        _, row = row_of(labels, scores)
        best = row["best"]["threshold"] if row["best"] else 0.5
        is_worse = elsewhere[round(100 * best)] < elsewhere[50]
        found.append((row["held_out"]["recommended"] != 0.5, is_worse))
    return RecommendedOften(
        recommended=sum(is_offered for is_offered, _ in found),
        worse=sum(is_worse for _, is_worse in found),
        both=sum(map(all, found)),
    )


def no_gain() -> tuple[str, bool]:
    found = recommended(USELESS)
    text = f"recommended in {found.recommended} of {STUDIES} (the best one is worse in "
    return f"{text}{found.worse})", found.recommended <= STUDIES // 20


def a_gain() -> tuple[str, bool]:
    labels, scores, _ = HELPS.made(np.random.default_rng([3, 0]), LABELS, 1)
    report, row = row_of(labels, scores)
    found = recommended(HELPS)
    text = f"{sentence(report, 'thresholds')} Recommended in {found.recommended} of {STUDIES}"
    right = found.recommended > STUDIES // 2 and not found.both
    return text, right and row["held_out"]["recommended"] != 0.5


def reverse() -> tuple[str, bool]:
    """A judge that says the reverse: a threshold that calls everything a yes is a gain."""
    labels = np.random.default_rng(1).random(100) < 0.5
    report, row = row_of(labels, np.where(labels, 0.1, 0.9))
    return sentence(report, "thresholds"), row["held_out"]["recommended"] == 0.5


def plateau() -> tuple[str, bool]:
    draw = np.random.default_rng(1)
    labels = draw.random(100) < 0.5
    scores = np.where(labels ^ (draw.random(100) < 0.2), 0.9, 0.1)
    _, row = row_of(labels, scores)
    best = row["best"]["threshold"] if row["best"] else None
    return f"best threshold {best}", best == 0.5


def interval() -> tuple[str, bool]:
    shares = [coverage_of(*one, studies=100) for one in INTERVALS[:3]]
    text = ", ".join(f".{100 * share:.0f}" for share in shares)
    return f"held in {text} of 100 studies each", min(shares) >= 0.9


CASES = (
    Case(
        13,
        "threshold-no-gain",
        f"{LABELS} labels, a judge whose threshold of 0.5 is nearly the best one",
        f"“Use the threshold that fits best” in {STUDIES} of {STUDIES}",
        "recommended in at most 2 studies",
        no_gain,
    ),
    Case(
        13,
        "threshold-gain",
        f"{LABELS} labels, a judge whose scores are far too low",
        "“Use the threshold that fits best”, without a gain or its interval",
        "recommended in more than 20 studies, never for the worse",
        a_gain,
    ),
    Case(
        13,
        "threshold-reverse",
        "a judge that says the reverse of people",
        "AutoAIS agrees more with people on “Attributable” at a threshold of 0 than at 0.5: "
        "held-out kappa is higher by 0.81 [0.76, 0.86].",
        "not recommended",
        reverse,
    ),
    Case(
        13,
        "threshold-plateau",
        "scores of .1 and .9 alone: all thresholds from .11 to .90 are equally good",
        "best threshold 0.11",
        "0.5, the middle",
        plateau,
    ),
    Case(
        10,
        "threshold-interval",
        "held-out kappa of a chosen threshold, 40 questions, three judges",
        "held in .885, .895 and .905 of 200 studies each",
        "held in at least .9",
        interval,
    ),
)

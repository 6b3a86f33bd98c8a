"""A judge's scores against people's yes and no: how much hangs on where the scores are cut.

Curves are thinned for drawing (their ends stay); the numbers beside them are of all units.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.calibration import BINS, Calibration, calibration
from evaluation.agreement.ranking import (
    Curve,
    Scored,
    auc,
    average_precision,
    precision_recall,
    roc,
    scored,
)
from evaluation.agreement.ratings import Figure
from evaluation.agreement.threshold import Cut, kappa_by_threshold
from evaluation.reports.items import Item
from evaluation.reports.numbers import number, rounded
from evaluation.reports.sections.drawn_rankings import rankings
from evaluation.reports.sections.scores import bars
from evaluation.reports.sections.words import UNITS
from evaluation.reports.selection import Selected
from evaluation.stats.error_bars import of_sums

Floats = NDArray[np.float64]

POINTS = 200
"""Of a curve, at most."""

FALLBACK = 0.5
"""The threshold of a judge whose signature names none."""


def thresholds(selected: Selected) -> list[dict[str, Any]]:
    """A row for each judge with scores and each yes/no item that people answered, too."""
    found = []
    for item in selected.items():
        if not item.is_yes_no:
            continue
        labels = selected.labels(item.key)
        if not labels:
            continue
        people = {unit: value in item.positive for unit, value in labels.items()}
        for judge in selected.answering(item.key):
            scores = selected.scores(judge, item.key)
            data = scored(people, scores)
            if len(data.units):
                found.append(_row(selected, item, judge, data))
    return found


def _row(selected: Selected, item: Item, judge: int, data: Scored) -> dict[str, Any]:
    places = selected.unit_question[np.array(data.units, dtype=np.intp)]
    named = selected.data.judges[judge].threshold
    cuts = kappa_by_threshold(data, FALLBACK if named is None else named)
    calibrated = calibration(data)
    ranked = bars(selected, rankings(data, places))
    by_question = _by_question(selected, data)
    meant = bars(selected, of_sums(by_question, _calibration))
    n, of = len(data.units), UNITS[item.unit_kind]
    found = {
        "judge": selected.judge_id(judge),
        "item": item.key,
        "units": n,
        "auc": number(auc(data), n=n, of=of, bar=ranked[0]),
        "average_precision": number(average_precision(data), n=n, of=of, bar=ranked[1]),
        "roc": _thinned(roc(data), with_threshold=True),
        "pr": _thinned(precision_recall(data), with_threshold=False),
        "calibration": _bins(calibrated),
        "kappas": [[rounded(cut.threshold), rounded(cut.kappa.value)] for cut in cuts.curve],
        "fixed": _cut(cuts.fixed),
        "best": _cut(cuts.best) if cuts.best else None,
    }
    for key, figure, bar in (
        ("brier", calibrated.brier, meant[0]),
        ("ece", calibrated.error, meant[1]),
    ):
        # Scores beyond 0 to 1 are no probabilities: no number, hence no bar.
        found[key] = number(figure, n=n, of=of, bar=None if figure.value is None else bar)
    return found


def _by_question(selected: Selected, data: Scored) -> Floats:
    """Of each question: units, squared differences, and label - score in each stretch."""
    away = data.labels - data.scores
    edges = np.array([number / BINS for number in range(BINS + 1)])
    stretch = np.clip(np.searchsorted(edges, data.scores, side="right") - 1, 0, BINS - 1)
    rows = np.zeros((len(away), 2 + BINS))
    rows[:, 0] = 1
    rows[:, 1] = away**2
    rows[np.arange(len(away)), 2 + stretch] = away
    return selected.per_question(rows, data.units)


def _calibration(summed: Floats) -> Floats:
    """Brier score and expected calibration error of each of several sums."""
    units = summed[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.column_stack([summed[:, 1] / units, np.abs(summed[:, 2:]).sum(axis=1) / units])


def _thinned(curve: Curve, *, with_threshold: bool) -> list[list[float | None]]:
    """At most so many points, evenly by number, the first and the last among them."""
    n = len(curve.x)
    kept = np.unique(np.linspace(0, n - 1, min(n, POINTS)).round().astype(int)).tolist()
    found: list[list[float | None]] = []
    for place in kept:
        point = [rounded(float(curve.x[place])), rounded(float(curve.y[place]))]
        if with_threshold:
            # The first point lies above all scores: it has no threshold that could be written.
            cut = float(curve.thresholds[place])
            point.append(rounded(cut) if np.isfinite(cut) else None)
        found.append(point)
    return found


def _bins(calibrated: Calibration) -> list[dict[str, Any]]:
    return [
        {
            "low": rounded(one.low),
            "high": rounded(one.high),
            "n": one.units,
            "score": rounded(one.score.value),
            "share": rounded(one.share.value),
        }
        for one in calibrated.bins
    ]


def _cut(cut: Cut) -> dict[str, Any]:
    kappa: Figure = cut.kappa
    return {
        "threshold": rounded(cut.threshold),
        "kappa": rounded(kappa.value),
        "reason": kappa.reason,
    }

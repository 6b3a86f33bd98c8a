"""A judge's scores against people's yes and no: how much depends on the threshold.

Curves are thinned for drawing (their ends stay); the numbers are of all units.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.charts.thresholds import threshold_charts
from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import figure_json, number, rounded
from evaluation.reports.sections.scores import bars
from evaluation.reports.sections.section import Charts, Panel, Section, Tables
from evaluation.reports.sections.words import UNITS
from evaluation.reports.selection import Selected
from evaluation.reports.shape.judges import (
    MOST_POINTS,
    AtThreshold,
    CalibrationBin,
    HeldOutKappa,
    ThresholdRow,
)
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import thresholds as tables
from evaluation.statistics.calibration import (
    Calibration,
    bin_of_each,
    calibration,
    corrected_error,
)
from evaluation.statistics.error_bars import ErrorBar, by_z, of_sums
from evaluation.statistics.means import means
from evaluation.statistics.ranking import (
    Curve,
    Scored,
    auc,
    average_precision,
    precision_recall,
    roc,
    scored,
)
from evaluation.statistics.ranking_without import rankings_without_each
from evaluation.statistics.ratings import Figure
from evaluation.statistics.threshold import (
    Cut,
    Cuts,
    HeldOutNumber,
    held_out,
    kappa_by_threshold,
    worth_held_out,
)

Floats = NDArray[np.float64]

FALLBACK = 0.5
"""The threshold of a judge whose signature names none."""


def thresholds(selected: Selected) -> list[ThresholdRow]:
    """Return a row for each judge with scores and each yes/no item that people also answered."""
    found: list[ThresholdRow] = []
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


def _row(selected: Selected, item: ReportItem, judge: int, data: Scored) -> ThresholdRow:
    places = selected.unit_question[np.array(data.units, dtype=np.intp)]
    named = selected.data.judges[judge].threshold
    fixed = FALLBACK if named is None else named
    cuts = kappa_by_threshold(data, fixed)
    calibrated = calibration(data)
    ranked = bars(selected, Rankings(data, places))
    meant = bars(selected, of_sums(_by_question(selected, data), means))
    n, of, questions = len(data.units), UNITS[item.unit_kind], len(np.unique(places))

    def share(figure: Figure, bar: ErrorBar) -> Number:
        """Return a share. Scores outside 0 to 1 have no Brier score, and so no error bar."""
        if figure.value is None:
            return number(figure, n=n, of=of)
        interval = by_z(figure.value, bar, questions, least=0.0)
        return number(figure, n=n, of=of, bar=bar, interval=interval, signature="interval:z")

    away = _away_by_bin(selected, data)
    error = corrected_error(
        calibrated, away, questions, resamples=selected.filters.resamples, seed=selected.seed
    )
    made = f"calibration|equal-mass|bins:{len(calibrated.bins)}"
    return {
        "judge": selected.judge_id(judge),
        "item": item.key,
        "units": n,
        "questions": questions,
        "auc": share(auc(data), ranked[0]),
        "average_precision": share(average_precision(data), ranked[1]),
        "roc": _points_and_thresholds(roc(data)),
        "pr": _points(precision_recall(data)),
        "calibration": _bins(selected, calibrated, data, of),
        "kappas": [[rounded(cut.threshold), rounded(cut.kappa.value)] for cut in cuts.curve],
        "fixed": _cut(cuts.fixed),
        "best": _cut(cuts.best) if cuts.best else None,
        "held_out": _held_out(selected, item, data, cuts),
        "brier": share(calibrated.brier, meant[0]),
        "ece": number(calibrated.error, n=n, of=of, signature=made),
        "ece_by_chance": figure_json(error.by_chance),
        "ece_corrected": number(
            error.figure,
            n=n,
            of=of,
            interval=error.interval,
            signature=f"{made}|corrected|seed:{selected.seed}|level:0.95|v:1",
        ),
    }


def _held_out(selected: Selected, item: ReportItem, data: Scored, cuts: Cuts) -> HeldOutKappa:
    """Return kappa with each question's threshold chosen on other questions, and its gain."""
    places = selected.unit_question[np.array(data.units, dtype=np.intp)].astype(np.int64)
    fixed, seed = cuts.fixed.threshold, selected.seed
    chosen = held_out(data, places, fixed, seed=seed).thresholds
    found = worth_held_out(
        data,
        places,
        fixed,
        clusters=len(selected.questions),
        resamples=selected.filters.resamples,
        seed=seed,
    )
    folds = len(chosen)

    def shown(one: HeldOutNumber, scale: str) -> Number:
        return number(
            one.figure,
            n=len(places),
            of=UNITS[item.unit_kind],
            bar=one.bar if folds else None,
            interval=one.interval if folds else None,
            signature=f"held-out|folds:{folds}|by:question|seed:{seed}|learned-again|{scale}",
        )

    best = cuts.best.threshold if cuts.best is not None and found.is_recommended else fixed
    return {
        "kappa": shown(found.kappa, "interval:z"),
        "gain": shown(found.gain, "interval:t"),
        "recommended": rounded(best),
        "lowest": rounded(min(chosen, default=None)),
        "highest": rounded(max(chosen, default=None)),
    }


def _by_question(selected: Selected, data: Scored) -> Floats:
    """Return, by question, squared differences of label and score, and units."""
    away = data.labels - data.scores
    return selected.per_question(np.column_stack([away**2, np.ones(len(away))]), data.units)


def _thinned(curve: Curve) -> list[int]:
    """Return up to `MOST_POINTS` evenly spaced places, with the first and the last."""
    n = len(curve.x)
    kept: list[int] = np.unique(
        np.linspace(0, n - 1, min(n, MOST_POINTS)).round().astype(int)
    ).tolist()
    return kept


def _points(curve: Curve) -> list[list[float]]:
    return [
        [rounded(float(curve.x[place])), rounded(float(curve.y[place]))]
        for place in _thinned(curve)
    ]


def _points_and_thresholds(curve: Curve) -> list[list[float | None]]:
    """Return the points; the first one is above all scores and has no finite threshold."""
    cuts = (float(curve.thresholds[place]) for place in _thinned(curve))
    return [
        [*point, rounded(cut) if np.isfinite(cut) else None]
        for point, cut in zip(_points(curve), cuts, strict=True)
    ]


def _bins(
    selected: Selected, calibrated: Calibration, data: Scored, of: str
) -> list[CalibrationBin]:
    if not calibrated.bins:
        return []
    rows = np.zeros((len(data.units), len(calibrated.bins), 2))
    places = bin_of_each(data.scores)
    rows[np.arange(len(rows)), places] = np.column_stack([data.labels, np.ones(len(rows))])
    sums = selected.per_question(rows, data.units)
    found = bars(selected, of_sums(sums, means))
    questions = (sums[:, :, 1] > 0).sum(axis=0).tolist()
    return [
        {
            "low": rounded(one.low),
            "high": rounded(one.high),
            "score": rounded(one.score),
            "share": number(
                Figure(one.share),
                n=one.units,
                of=of,
                bar=bar,
                interval=by_z(one.share, bar, count, least=0.0),
                signature="interval:z",
            ),
        }
        for one, bar, count in zip(calibrated.bins, found, questions, strict=True)
    ]


def _away_by_bin(selected: Selected, data: Scored) -> Floats:
    """Return, by question, label minus score of its units in each bin, and units."""
    places = bin_of_each(data.scores)
    rows = np.zeros((len(places), places.max() + 2))
    rows[np.arange(len(places)), places] = data.labels - data.scores
    rows[:, -1] = 1
    return selected.per_question(rows, data.units)


def _cut(cut: Cut) -> AtThreshold:
    kappa: Figure = cut.kappa
    return {
        "threshold": rounded(cut.threshold),
        "kappa": rounded(kappa.value),
        "reason": kappa.reason,
    }


SECTION = Section(
    key="thresholds",
    shape=list[ThresholdRow],
    build=thresholds,
    panel=Panel(
        "thresholds",
        "Scores and thresholds",
        50,
        "No automatic judge gave scores about what people rated.",
        ("thresholds",),
    ),
    tables=tables.thresholds,
    kinds=(
        Tables("thresholds"),
        Tables("calibrated"),
        Tables("calibration", folded="Calibration"),
    ),
    charts=(Charts(("roc", "threshold", "calibration"), threshold_charts),),
)


# AUC and average precision of many draws at once --------------------------------------------------
#
# Units are sorted from the highest score down. With Y and N the weights of “yes” and “no” down to
# the end of a run of equal scores, y and n the weights of “yes” and “no” within it:
#
#     average precision = Σ y Y / (Y + N) / Σ y
#     AUC               = 1 - Σ y (N - n / 2) / (Σ y Σ n)
#
# over the runs with a “yes”: the others add nothing. These are the numbers of `ranking.aucs` and
# `ranking.average_precision`, in a fraction of their time: a study has tens of thousands of scores,
# and every draw weighs all of them. A jackknife has as many rows as there are questions: it uses
# `statistics/ranking_without.py`, which weighs nothing.

Places = NDArray[np.integer[Any]]

CELLS = 250_000
"""Weights of units in memory at a time: 2 MB, which fit into the processor's cache."""


class Rankings:
    """From weights of clusters to AUC and average precision; NaN where a label does not occur.

    Weights must be whole numbers, as those of a bootstrap are. `clusters` names the cluster of each
    unit, in the order of `data`.
    """

    def __init__(self, data: Scored, clusters: Places) -> None:
        self._clusters = np.asarray(clusters)[::-1]
        self._labels, self._scores = data.labels[::-1] > 0, data.scores[::-1]
        starts = np.flatnonzero(np.diff(self._scores, prepend=np.nan) != 0)
        ends = np.append(starts[1:], len(self._scores))
        yes, no = (np.append(0, each.cumsum()) for each in (self._labels, ~self._labels))
        held = yes[ends] > yes[starts]
        self._tied = bool((ends - starts)[held].max(initial=0) > 1)
        self._yes_ends, self._no_starts, self._no_ends = (
            each[held] for each in (yes[ends], no[starts], no[ends])
        )
        self._of_yes = self._clusters[self._labels]
        # The first sum, of none, is that of a cluster without weight.
        self._of_no = np.append(-1, self._clusters[~self._labels])

    def __call__(self, weights: Floats) -> Floats:
        step = max(1, CELLS // max(len(self._scores), 1))
        return np.concatenate(
            [self._block(weights[first : first + step]) for first in range(0, len(weights), step)]
        )

    def without_each(self, clusters: int) -> Floats:
        return rankings_without_each(
            self._labels, self._scores, self._clusters.astype(np.int64), clusters
        )

    def _block(self, weights: Floats) -> Floats:
        # Questions are drawn whole times: integers add up faster, and exactly.
        times = np.zeros((len(weights), weights.shape[1] + 1), dtype=np.int32)
        times[:, :-1] = weights
        within = np.take(times, self._of_yes, axis=1)
        yes_above = within.cumsum(axis=1, dtype=np.int32)
        no_of = np.take(times, self._of_no, axis=1).cumsum(axis=1, dtype=np.int32)
        yes, no = within.sum(axis=1, dtype=float), no_of[:, -1].astype(float)
        no_above = no_to_end = np.take(no_of, self._no_ends, axis=1)
        if self._tied:
            yes_above = np.take(yes_above, self._yes_ends - 1, axis=1)
            within = np.diff(yes_above, axis=1, prepend=0)
            no_above = (no_to_end + np.take(no_of, self._no_starts, axis=1)) / 2
        reached = np.maximum(yes_above + no_to_end, 1)  # nothing reached: 0 of nothing
        own = within.astype(float)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.column_stack(
                [
                    1 - np.einsum("ij,ij->i", own, no_above) / (yes * no),
                    np.einsum("ij,ij->i", own, yes_above / reached) / yes,
                ]
            )

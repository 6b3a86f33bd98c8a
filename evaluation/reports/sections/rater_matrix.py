"""Cohen's kappa of every two raters: their mean, and the matrix of those who fit on a page."""

import numpy as np

from evaluation.agreement.coded import Coded
from evaluation.agreement.cohen import NOTHING_SHARED, kappa, kappas
from evaluation.agreement.rater_pairs import RaterPairs, rater_pairs
from evaluation.agreement.ratings import Figure, undefined
from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import number, rounded
from evaluation.reports.sections.scores import bars
from evaluation.reports.selection import Selected
from evaluation.reports.shape.number import Number
from evaluation.reports.shape.people import PairsOfRaters, RaterMatrix

MOST_RATERS = 60
"""Of the matrix, and of an error bar of the mean."""

ALONE = "fewer than two raters"
NOBODY_SHARES = "no two raters rated the same"


def rater_matrix(selected: Selected, item: ReportItem, ratings: Coded) -> PairsOfRaters:
    """The mean kappa of all pairs who share a unit, what is not in it, and the matrix."""
    pairs = rater_pairs(ratings)
    return {
        "kappa_mean": _mean(selected, item, ratings, pairs),
        "kappa_note": _left_out(item, ratings, pairs),
        "matrix": _matrix(selected, item, ratings, pairs),
    }


def _mean(selected: Selected, item: ReportItem, ratings: Coded, pairs: RaterPairs) -> Number:
    each = kappas(pairs.tables, item.scale)
    known = each[np.isfinite(each)]
    if len(known):
        figure = Figure(float(known.mean()))
    elif len(each):
        same = kappa(pairs.tables[0], item.scale).reason
        figure = undefined(f"no two raters have a kappa: {same}")
    else:
        figure = undefined(ALONE if len(ratings.judges) < 2 else NOBODY_SHARES)
    few = len(ratings.judges) <= MOST_RATERS
    bar = None
    if few:
        clusters = np.asarray(selected.unit_question, dtype=np.int64)[list(ratings.units)]
        number_of = len(selected.questions)
        [bar] = bars(selected, pairs.mean_kappas(clusters, number_of, item.scale))
    found = number(
        figure,
        n=len(known),
        of="pairs of raters",
        bar=bar,
        signature="cohen|mean" if item.scale == "nominal" else "cohen|quadratic|mean",
    )
    if not few:
        found["interval_reason"] = f"more than {MOST_RATERS} raters"
    return found


def _left_out(item: ReportItem, ratings: Coded, pairs: RaterPairs) -> str:
    """Which pairs are not in the mean, in words."""
    raters, shared = len(ratings.judges), len(pairs.ones)
    every = raters * (raters - 1) // 2
    same = int(np.count_nonzero(~np.isfinite(kappas(pairs.tables, item.scale))))
    notes = []
    if every > shared:
        notes.append(f"{every - shared} that share nothing")
    if same:
        notes.append(f"{same} that gave one and the same answer to everything")
    return f"Of {every} pairs of raters left out: {', '.join(notes)}." if notes else ""


def _matrix(selected: Selected, item: ReportItem, ratings: Coded, pairs: RaterPairs) -> RaterMatrix:
    """Kappa of every two raters; of many, only of those who rated most."""
    note = ""
    if len(ratings.judges) > MOST_RATERS:
        note = f"The {MOST_RATERS} of {len(ratings.judges)} raters who rated most."
        most = np.argsort(-ratings.per_judge, kind="stable")[:MOST_RATERS]
        ratings = ratings.of_judges(sorted(most.tolist()))
        pairs = rater_pairs(ratings)
    wide = len(ratings.judges)
    values: list[list[float | None]] = [[None] * wide for _ in range(wide)]
    reasons = [[NOTHING_SHARED if i != j else "" for i in range(wide)] for j in range(wide)]
    units = np.diag(ratings.per_judge)
    places = zip(pairs.ones.tolist(), pairs.others.tolist(), pairs.tables, strict=True)
    for one, other, table in places:
        figure = kappa(table, item.scale)
        values[one][other] = values[other][one] = rounded(figure.value)
        reasons[one][other] = reasons[other][one] = figure.reason
        units[one, other] = units[other, one] = int(table.sum())
    return {
        "raters": [selected.data.judges[judge].name for judge in ratings.judges],
        "kappas": values,
        "units": units.tolist(),
        "reasons": reasons,
        "note": note,
    }

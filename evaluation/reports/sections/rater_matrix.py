"""Cohen's kappa of every two raters: pooled, their mean, and the matrix of those who fit on a
page."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.coded import Coded
from evaluation.agreement.cohen import NOTHING_SHARED, kappa, kappas
from evaluation.agreement.pooled_kappa import ALONE, NOBODY_SHARES, AnswerPairs
from evaluation.agreement.rater_pairs import RaterPairs, rater_pairs
from evaluation.agreement.ratings import Figure, undefined
from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import number, rounded
from evaluation.reports.sections.scores import bars
from evaluation.reports.selection import Selected
from evaluation.reports.shape.people import PairsOfRaters, RaterMatrix
from evaluation.reports.shape.values import Number
from evaluation.stats.bootstrap import Places
from evaluation.stats.error_bars import by_z

Ints = NDArray[np.signedinteger[Any]]

MOST_RATERS = 60
"""Of the matrix, and of an error bar of the mean."""

MOST_PAIRS = 20_000
"""Of an error bar of the pooled kappa."""

FEW = 10
"""Units that a pair shares, below which its kappa says next to nothing."""

INCOMPLETE = "raters share different units, and the mean of pairs is for those who share all"


def rater_matrix(selected: Selected, item: ReportItem, ratings: Coded) -> PairsOfRaters:
    """Kappa pooled over all pairs who share a unit; where all share all, the mean of the pairs'
    kappas; what is in neither, and the matrix."""
    pairs = rater_pairs(ratings)
    clusters = np.asarray(selected.unit_question, dtype=np.int64)[list(ratings.units)]
    return {
        "kappa_pooled": pooled(selected, item, pairs.compared, clusters, of="pairs of raters"),
        "kappa_mean": _mean(selected, item, ratings, pairs, clusters),
        "kappa_note": _left_out(item, ratings, pairs),
        "matrix": _matrix(selected, item, ratings, pairs),
    }


def pooled(
    selected: Selected, item: ReportItem, compared: AnswerPairs, clusters: Places, *, of: str
) -> Number:
    """One kappa of all these pairs, see `agreement/pooled_kappa.py`; `clusters` has the question of
    each unit."""
    number_of, n = len(selected.questions), len(compared.shared)
    figure = compared.kappa(item.scale)
    bar, interval = None, None
    if n and n <= MOST_PAIRS:
        [bar] = bars(selected, compared.kappas(clusters, number_of, item.scale))
        interval = by_z(figure.value, bar, compared.of_clusters(clusters))
    signature = "cohen|pooled" if item.scale == "nominal" else "cohen|quadratic|pooled"
    signature = selected.signed(item.key, f"{signature}|interval:z")
    found = number(figure, n=n, of=of, bar=bar, interval=interval, signature=signature)
    if n > MOST_PAIRS:
        found["interval_reason"] = f"more than {MOST_PAIRS:,} {of}"
    return found


def _mean(
    selected: Selected, item: ReportItem, ratings: Coded, pairs: RaterPairs, clusters: Places
) -> Number:
    each = kappas(pairs.tables, item.scale)
    known = each[np.isfinite(each)]
    if len(each) and not pairs.compared.complete:
        figure = undefined(INCOMPLETE)
    elif len(known):
        figure = Figure(float(known.mean()))
    elif len(each):
        same = kappa(pairs.tables[0], item.scale).reason
        figure = undefined(f"no two raters have a kappa: {same}")
    else:
        figure = undefined(ALONE if len(ratings.judges) < 2 else NOBODY_SHARES)
    few = len(ratings.judges) <= MOST_RATERS
    bar, interval = None, None
    if few and figure.value is not None:
        [bar] = bars(selected, pairs.mean_kappas(clusters, len(selected.questions), item.scale))
        interval = by_z(figure.value, bar, pairs.compared.of_clusters(clusters))
    signature = "cohen|mean" if item.scale == "nominal" else "cohen|quadratic|mean"
    found = number(
        figure,
        n=len(known),
        of="pairs of raters",
        bar=bar,
        interval=interval,
        signature=selected.signed(item.key, f"{signature}|interval:z"),
    )
    if not few:
        found["interval_reason"] = f"more than {MOST_RATERS} raters"
    return found


def few_shared(shared: Ints, of: str) -> str:
    """What is to be said beside a kappa of pairs who share few units."""
    few = int(np.count_nonzero(shared < FEW))
    if not few:
        return ""
    return (
        f"{few:,} of {len(shared):,} {of} share fewer than {FEW} units (half of all share "
        f"{int(np.median(shared))} or fewer): what a single one comes to says next to nothing."
    )


def _left_out(item: ReportItem, ratings: Coded, pairs: RaterPairs) -> str:
    """Which pairs are left out, and that they share little, in words."""
    raters, shared = len(ratings.judges), len(pairs.ones)
    every = raters * (raters - 1) // 2
    same = int(np.count_nonzero(~np.isfinite(kappas(pairs.tables, item.scale))))
    notes = []
    if every > shared:
        notes.append(f"{every - shared} that share nothing")
    if same:
        notes.append(f"{same} that gave one and the same answer to everything")
    left_out = f"Of {every} pairs of raters left out: {', '.join(notes)}." if notes else ""
    little = few_shared(pairs.compared.shared, "pairs of raters that share any")
    return " ".join(filter(None, [left_out, little]))


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

"""How far people agree on one question: every coefficient, and how sure it is.

Answers about one question hang together, so questions are drawn with replacement (see
`evaluation/stats/error_bars.py`): all coefficients from the same draws, of which each only weighs
anew what every question adds to it. The page of a batch and the report show these same numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement import alpha, fleiss, gwet, pairwise
from evaluation.agreement.alpha import Metric
from evaluation.agreement.coded import Coded
from evaluation.agreement.ratings import Figure, undefined
from evaluation.stats.bootstrap import Places, per_cluster
from evaluation.stats.error_bars import RESAMPLES, ErrorBar, error_bars, of_sums

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One coefficient: over how many units, how sure, and what names the way it was computed."""

    figure: Figure
    units: int
    bar: ErrorBar
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Coefficients:
    """All of them. Fleiss' kappa needs as many ratings of each unit: the note says which it is
    of; the others are of the units that two raters at least answered."""

    percent: Coefficient
    alpha: Coefficient
    fleiss: Coefficient
    ac1: Coefficient
    fleiss_note: str

    @property
    def by_name(self) -> Mapping[str, Coefficient]:
        return {
            "percent": self.percent,
            "alpha": self.alpha,
            "fleiss": self.fleiss,
            "ac1": self.ac1,
        }


def coefficients(
    ratings: Coded,
    metric: Metric,
    clusters: Places,
    number: int,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Coefficients:
    """`clusters` has the question of each of the units, by its place among `number` of them."""
    counts, size = ratings.counts, ratings.size
    raters = fleiss.most_frequent_number(ratings.per_unit.tolist())
    same = (ratings.per_unit == raters) & (raters > 0)
    rated = counts[same].astype(np.int64)
    of_fleiss = np.zeros((len(counts), size + 2))
    of_fleiss[same] = fleiss.contributions_of(rated)
    parts = [
        pairwise.pairs_of_counts(counts),
        alpha.coincidences_of(counts).reshape(len(counts), size * size),
        of_fleiss,
        gwet.contributions_of(counts, metric),
    ]
    ends = np.cumsum([part.shape[1] for part in parts])[:-1]
    summed = per_cluster(np.hstack(parts), clusters, number)

    def statistic(drawn: Floats) -> Floats:
        shares, together, of_fleiss, of_gwet = np.split(drawn, ends, axis=1)
        return np.column_stack(
            [
                pairwise.shares(shares),
                alpha.alphas(together.reshape(-1, size, size), metric),
                fleiss.kappas(of_fleiss),
                gwet.coefficients(of_gwet, metric),
            ]
        )

    bars = error_bars(of_sums(summed, statistic), number, resamples=resamples, seed=seed)
    shares, together, _, of_gwet = np.split(summed.sum(axis=0), ends)
    several = int(np.count_nonzero(ratings.per_unit > 1))
    kappa = fleiss.fleiss_of(rated) if len(rated) else undefined("nothing has two ratings yet")
    whole = alpha.alpha(together.reshape(size, size), metric)
    ac = "ac1" if metric == "nominal" else "ac2"
    return Coefficients(
        percent=Coefficient(pairwise.share(shares), several, bars[0], "pairs"),
        alpha=Coefficient(whole, several, bars[1], f"alpha|{metric}"),
        fleiss=Coefficient(kappa, len(rated), bars[2], f"fleiss|raters:{raters}"),
        ac1=Coefficient(gwet.coefficient(of_gwet, metric), several, bars[3], ac),
        fleiss_note=fleiss.words(raters, len(rated), len(counts) - len(rated)),
    )

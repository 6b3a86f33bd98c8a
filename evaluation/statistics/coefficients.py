"""Agreement of people on one dimension: every coefficient, with its interval.

Answers about one question are correlated, so questions are drawn with replacement (see
`evaluation/statistics/error_bars.py`), once for all coefficients: each draw only weighs the sums of
every question. The page of a batch and the report show the same numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics import alpha, fleiss, gwet, pairwise
from evaluation.statistics.alpha import Metric
from evaluation.statistics.bootstrap import Interval, Places, per_cluster
from evaluation.statistics.coded import Coded
from evaluation.statistics.error_bars import RESAMPLES, ErrorBar, OfSums, by_z, error_bars, of_sums
from evaluation.statistics.ratings import Figure

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient with its number of units, its interval and the signature of its method."""

    figure: Figure
    units: int
    bar: ErrorBar
    interval: Interval
    signature: str


@dataclass(frozen=True, slots=True)
class AgreementCoefficients:
    """All coefficients of one dimension.

    Fleiss' kappa needs the same number of ratings of each unit: the note says which units it is
    about; the others are about units with at least two raters. `alpha` uses the dimension's own
    scale; `alpha_interval` takes the levels of an ordered one as numbers.
    """

    percent: Coefficient
    alpha: Coefficient
    alpha_interval: Coefficient | None
    fleiss: Coefficient
    fleiss_all: Coefficient
    ac1: Coefficient
    fleiss_note: str

    @property
    def by_name(self) -> Mapping[str, Coefficient]:
        result = {
            "percent": self.percent,
            "alpha": self.alpha,
            "fleiss": self.fleiss,
            "fleiss_all": self.fleiss_all,
            "ac1": self.ac1,
        }
        if self.alpha_interval is not None:
            result["alpha_interval"] = self.alpha_interval
        return result


COLUMNS = ("percent", "alpha", "fleiss", "ac1", "fleiss_all", "alpha_interval")
"""The numbers of `coefficient_sums` in their order; only an ordered scale has the last one."""


def coefficient_sums(ratings: Coded, metric: Metric, clusters: Places, number: int) -> OfSums:
    """Return the statistic of all coefficients, with the sums of each of `number` questions."""
    return _summed(ratings, metric, clusters, number)[0]


def _summed(
    ratings: Coded, metric: Metric, clusters: Places, number: int
) -> tuple[OfSums, NDArray[np.int64]]:
    """Return the statistic, and the column at which the sums of each coefficient end."""
    counts, size = ratings.counts, ratings.size
    _, same = _most_rated(ratings)
    of_all = gwet.contributions(counts, "nominal")
    parts = [
        pairwise.pairs_of_counts(counts),
        alpha.coincidences(counts).reshape(len(counts), size * size),
        of_all * same[:, None],
        gwet.contributions(counts, metric),
        of_all,
    ]
    ends = np.cumsum([part.shape[1] for part in parts])[:-1]

    def statistic(drawn: Floats) -> Floats:
        shares, together, of_fleiss, of_gwet, of_all = np.split(drawn, ends, axis=1)
        matrices = together.reshape(-1, size, size)
        return np.column_stack(
            [
                pairwise.shares(shares),
                alpha.alphas(matrices, metric),
                fleiss.kappas(of_fleiss),
                gwet.coefficients(of_gwet, metric),
                fleiss.kappas(of_all),
                *([alpha.alphas(matrices, "interval")] if metric == "ordinal" else []),
            ]
        )

    return of_sums(per_cluster(np.hstack(parts), clusters, number), statistic), ends


def _most_rated(ratings: Coded) -> tuple[int, NDArray[np.bool_]]:
    """Return the most frequent number of ratings of a unit, and the units that have it."""
    raters = fleiss.most_frequent_number(ratings.per_unit.tolist())
    return raters, (ratings.per_unit == raters) & (raters > 0)


def of_patterns(table: Floats, times: Floats, metric: Metric) -> tuple[Figure, Figure]:
    """Return the share of pairs that agree, and alpha, from patterns of answers.

    `table` says how often each value was given (patterns × values), `times` how many units have
    each pattern.
    """
    summed = times @ pairwise.pairs_of_counts(table)
    together = np.tensordot(times, alpha.coincidences(table), 1)
    return pairwise.share(summed), alpha.alpha(together, metric)


def coefficients(
    ratings: Coded,
    metric: Metric,
    clusters: Places,
    number: int,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> AgreementCoefficients:
    """Return all coefficients; `clusters` has the place of each unit's question."""
    size = ratings.size
    raters, same = _most_rated(ratings)
    summed, ends = _summed(ratings, metric, clusters, number)
    bars = error_bars(summed, number, resamples=resamples, seed=seed)
    shares, together, of_fleiss, of_gwet, of_all = np.split(summed.sums.sum(axis=0), ends)
    several, kept = ratings.per_unit > 1, int(np.count_nonzero(same))
    matrix = together.reshape(size, size)

    def shown(
        column: int,
        figure: Figure,
        signature: str,
        least: float = -1.0,
        of: NDArray[np.bool_] = several,
    ) -> Coefficient:
        questions = len(np.unique(clusters[of]))
        interval = by_z(figure.value, bars[column], questions, least=least)
        signed = f"{signature}|interval:z"
        return Coefficient(figure, int(np.count_nonzero(of)), bars[column], interval, signed)

    of_numbers = None
    if metric == "ordinal":
        of_numbers = shown(5, alpha.alpha(matrix, "interval"), "alpha|interval")
    ac = "ac1" if metric == "nominal" else "ac2"
    return AgreementCoefficients(
        percent=shown(0, pairwise.share(shares), "pairs", least=0.0),
        alpha=shown(1, alpha.alpha(matrix, metric), f"alpha|{metric}"),
        alpha_interval=of_numbers,
        fleiss=shown(2, fleiss.kappa(of_fleiss), f"fleiss|raters:{raters}", of=same),
        fleiss_all=shown(4, fleiss.kappa(of_all), "fleiss|generalised"),
        ac1=shown(3, gwet.coefficient(of_gwet, metric), ac),
        fleiss_note=fleiss.words(raters, kept, len(same) - kept),
    )

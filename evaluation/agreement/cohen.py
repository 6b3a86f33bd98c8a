"""Cohen's kappa: agreement of two judges beyond chance.

With p_ij the share of units that one judge gave value i and the other j, p_i+ and p_+j the shares
of each judge, and v_ij how far apart two values count:

    D_o = Σ_ij v_ij p_ij          disagreement seen
    D_e = Σ_ij v_ij p_i+ p_+j     by chance
    κ   = 1 - D_o / D_e

v_ij = [i ≠ j] for nominal values; (i - j)² for ordered ones, the places counted from low to high.

J. Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological
Measurement 20(1), 37-46; J. Cohen (1968), Weighted kappa, Psychological Bulletin 70(4), 213-220.

A table of one unit is a single 1; tables of several units add up, with weights in a bootstrap.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.alpha import Metric
from evaluation.agreement.ratings import Figure, Key, Ratings, undefined

Floats = NDArray[np.float64]

NOTHING_SHARED = "nothing was judged by both"
ALL_THE_SAME = "all answers of both are the same"


def distances(size: int, metric: Metric) -> Floats:
    """v_ij for values in their order."""
    places = np.arange(size, dtype=float)
    apart = (places[:, None] - places[None, :]) ** 2
    return apart if metric == "ordinal" else np.minimum(apart, 1.0)


def tables(pairs: Iterable[tuple[str, str]], values: Sequence[str]) -> Floats:
    """A table for each unit that two judges answered: 1 at (one's value, the other's)."""
    place = {value: column for column, value in enumerate(values)}
    rows = np.array([(place[one], place[other]) for one, other in pairs], dtype=int).reshape(-1, 2)
    found = np.zeros((len(rows), len(values), len(values)))
    found[np.arange(len(rows)), rows[:, 0], rows[:, 1]] = 1
    return found


def kappas(summed: Floats, metric: Metric) -> Floats:
    """Kappa of each of several tables (the last two axes); NaN, to be dealt with, if undefined."""
    v = distances(summed.shape[-1], metric)
    total = summed.sum(axis=(-2, -1))
    chance = summed.sum(axis=-1)[..., :, None] * summed.sum(axis=-2)[..., None, :]
    seen = (summed * v).sum(axis=(-2, -1)) * total
    expected = (chance * v).sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(expected > 0, 1 - seen / expected, np.nan)
    return found


def kappa(table: Floats, metric: Metric) -> Figure:
    """Kappa of one table of two judges, rows one's answers and columns the other's."""
    if not table.sum():
        return undefined(NOTHING_SHARED)
    rows, columns = table.sum(axis=1) > 0, table.sum(axis=0) > 0
    if np.count_nonzero(rows | columns) == 1:
        return undefined(ALL_THE_SAME)
    return Figure(float(kappas(table[None], metric)[0]))


def cohen_kappa(pairs: Iterable[tuple[str, str]], values: Sequence[str], metric: Metric) -> Figure:
    """Kappa of pairs of answers, one pair for each unit; `values` from low to high."""
    return kappa(tables(pairs, values).sum(axis=0), metric)


def shared(one: Mapping[Key, str], other: Mapping[Key, str]) -> dict[Key, tuple[str, str]]:
    """The answers of two judges to what both answered."""
    return {unit: (value, other[unit]) for unit, value in one.items() if unit in other}


@dataclass(frozen=True, slots=True)
class Pairwise:
    """Cohen's kappa of every pair of judges, and the mean of those that are defined."""

    judges: tuple[Key, ...]
    kappas: Mapping[tuple[Key, Key], Figure]
    """By pair, in the order of `judges`."""

    units: Mapping[tuple[Key, Key], int]
    """How many units both answered."""

    mean: Figure

    @property
    def undefined(self) -> int:
        """Pairs that are not in the mean."""
        return sum(figure.value is None for figure in self.kappas.values())

    def of(self, one: Key, other: Key) -> Figure:
        """Kappa of a pair, whoever is named first."""
        found = self.kappas.get((one, other))
        return self.kappas[other, one] if found is None else found


def pairwise_kappas(ratings: Ratings, values: Sequence[str], metric: Metric) -> Pairwise:
    """Cohen's kappa of every two judges, over the units that both answered."""
    judges, summed = pair_tables(ratings, values)
    pairs = list(combinations(judges, 2))
    found = {pair: kappa(table, metric) for pair, table in zip(pairs, summed, strict=True)}
    units = {pair: int(table.sum()) for pair, table in zip(pairs, summed, strict=True)}
    return Pairwise(tuple(judges), found, units, mean_kappa(list(found.values())))


def pair_tables(ratings: Ratings, values: Sequence[str]) -> tuple[list[Key], Floats]:
    """The judges in the order in which they first occur, and the table of each pair of them."""
    judges, codes = _codes(ratings, values)
    size = len(values)
    found = np.zeros((len(judges) * (len(judges) - 1) // 2, size, size))
    for number, (one, other) in enumerate(combinations(range(len(judges)), 2)):
        both = (codes[:, one] >= 0) & (codes[:, other] >= 0)
        cells = codes[both, one] * size + codes[both, other]
        found[number] = np.bincount(cells, minlength=size * size).reshape(size, size)
    return judges, found


def unit_pair_tables(ratings: Ratings, values: Sequence[str]) -> Floats:
    """The table of each pair for each unit, for a bootstrap of the mean kappa.

    It holds units × pairs × values² numbers: meant for as many judges as fit on a page.
    """
    judges, codes = _codes(ratings, values)
    pairs = np.array(list(combinations(range(len(judges)), 2)), dtype=int).reshape(-1, 2)
    found = np.zeros((len(codes), len(pairs), len(values), len(values)))
    ones, others = codes[:, pairs[:, 0]], codes[:, pairs[:, 1]]
    unit, pair = np.nonzero((ones >= 0) & (others >= 0))
    found[unit, pair, ones[unit, pair], others[unit, pair]] = 1
    return found


def mean_kappas(summed: Floats, metric: Metric) -> Floats:
    """The mean over pairs of each of several sets of tables; NaN where no pair has a kappa."""
    each = kappas(summed, metric)
    known = np.isfinite(each)
    with np.errstate(invalid="ignore"):
        found: Floats = np.where(known, each, 0.0).sum(axis=1) / known.sum(axis=1)
    return found


def mean_kappa(figures: Sequence[Figure]) -> Figure:
    """The mean of the kappas that are defined."""
    known = [figure.value for figure in figures if figure.value is not None]
    if known:
        return Figure(sum(known) / len(known))
    if figures:
        return undefined("no two judges have a kappa: " + figures[0].reason)
    return undefined("fewer than two judges")


def _codes(ratings: Ratings, values: Sequence[str]) -> tuple[list[Key], NDArray[np.int64]]:
    """Judges, and units × judges: the place of the value, -1 where there is no answer."""
    place = {value: column for column, value in enumerate(values)}
    columns: dict[Key, int] = {}
    for votes in ratings.values():
        for judge in votes:
            columns.setdefault(judge, len(columns))
    codes = np.full((len(ratings), len(columns)), -1, dtype=np.int64)
    for row, votes in enumerate(ratings.values()):
        for judge, value in votes.items():
            codes[row, columns[judge]] = place[value]
    return list(columns), codes

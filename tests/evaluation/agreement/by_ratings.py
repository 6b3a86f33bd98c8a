"""Coefficients of ratings given by unit and judge, from the formulas that the code weighs anew."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics import fleiss
from evaluation.statistics import gwet as gwet_formulas
from evaluation.statistics.alpha import Metric, alpha, coincidences
from evaluation.statistics.cohen import kappa, mean_kappa
from evaluation.statistics.fleiss import most_frequent_number, words
from evaluation.statistics.gwet import coefficient
from evaluation.statistics.pairwise import share
from evaluation.statistics.ratings import Figure, Key, Ratings, Votes, undefined

Floats = NDArray[np.float64]


def shared(one: Mapping[Key, str], other: Mapping[Key, str]) -> dict[Key, tuple[str, str]]:
    """The answers of two judges to what both answered."""
    return {unit: (value, other[unit]) for unit, value in one.items() if unit in other}


def counts(ratings: Ratings, values: Sequence[str]) -> Floats:
    """How often each value was given to each unit: units × values."""
    rows = [[[*votes.values()].count(value) for value in values] for votes in ratings.values()]
    return np.array(rows, dtype=float).reshape(-1, len(values))


def tables(pairs: Iterable[tuple[str, str]], values: Sequence[str]) -> Floats:
    """A table for each unit that two judges answered: 1 at (one's value, the other's)."""
    place = {value: column for column, value in enumerate(values)}
    rows = np.array([(place[one], place[other]) for one, other in pairs], dtype=int).reshape(-1, 2)
    found = np.zeros((len(rows), len(values), len(values)))
    found[np.arange(len(rows)), rows[:, 0], rows[:, 1]] = 1
    return found


def krippendorff_alpha(ratings: Ratings, values: Sequence[str], metric: Metric) -> Figure:
    """Alpha of ratings; `values` from low to high."""
    several = with_several(ratings)
    return alpha(coincidences(counts(several, values)).sum(axis=0), metric)


def pairs_of(votes: Votes) -> tuple[int, int]:
    """The pairs of one unit: how many agree, and how many there are."""
    agreeing = sum(n * (n - 1) // 2 for n in Counter(votes.values()).values())
    return agreeing, len(votes) * (len(votes) - 1) // 2


def pairs(ratings: Ratings) -> NDArray[np.float64]:
    """Agreeing pairs and all pairs of each unit, in the order of the ratings."""
    return np.array([pairs_of(votes) for votes in ratings.values()], dtype=float).reshape(-1, 2)


def observed_agreement(ratings: Ratings) -> Figure:
    """The share of pairs that agree."""
    return share(pairs(ratings).sum(axis=0))


def fleiss_kappa(ratings: Ratings, values: Sequence[str]) -> Figure:
    """Fleiss' kappa of ratings whose units all have the same number of raters."""
    return fleiss.kappa(contributions(ratings, values, "nominal").sum(axis=0))


@dataclass(frozen=True, slots=True)
class SameNumber:
    """The units that as many judges rated, and those left out for the sake of it."""

    ratings: Ratings
    raters: int
    left_out: tuple[Key, ...]

    @property
    def words(self) -> str:
        """What was left out, for a report."""
        return words(self.raters, len(self.ratings), len(self.left_out))


def rated_as_often(ratings: Ratings) -> SameNumber:
    """The units with the most frequent number of ratings, two at least; of two, the higher one."""
    raters = most_frequent_number(len(votes) for votes in ratings.values())
    kept = {unit: votes for unit, votes in ratings.items() if raters and len(votes) == raters}
    return SameNumber(kept, raters, tuple(unit for unit in ratings if unit not in kept))


def contributions(ratings: Ratings, values: Sequence[str], metric: Metric) -> Floats:
    """For each unit: its agreement, 1 if it has a pair, 1 if it has a rating, its shares r_ik/r_i.

    The sums of these over units are all that the coefficient needs.
    """
    return gwet_formulas.contributions(counts(ratings, values), metric)


def gwet(ratings: Ratings, values: Sequence[str], metric: Metric) -> Figure:
    """AC1 of nominal ratings, AC2 (quadratic) of ordinal ones; `values` are the whole scale."""
    if len(values) < 2:
        return undefined("the scale has fewer than two values")
    return coefficient(contributions(ratings, values, metric).sum(axis=0), metric)


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


@dataclass(frozen=True, slots=True)
class WithEach:
    """A judge against each rater, one by one, and the mean of the kappas that are defined."""

    kappas: Mapping[Key, Figure]
    units: Mapping[Key, int]
    mean: Figure


def kappa_with_each(
    ratings: Ratings, judge: Mapping[Key, str], values: Sequence[str], metric: Metric
) -> WithEach:
    """Cohen's kappa of a judge with each rater over what both answered, as ALiiCE reports it."""
    by_rater: dict[Key, dict[Key, str]] = {}
    for unit, votes in ratings.items():
        for rater, value in votes.items():
            by_rater.setdefault(rater, {})[unit] = value
    pairs = {rater: list(shared(said, judge).values()) for rater, said in by_rater.items()}
    found = {rater: cohen_kappa(some, values, metric) for rater, some in pairs.items()}
    units = {rater: len(some) for rater, some in pairs.items()}
    return WithEach(
        found, units, mean_kappa(list(found.values())) if found else undefined("nobody rated")
    )


def with_several(ratings: Ratings) -> dict[Key, Votes]:
    """The units that at least two judges rated."""
    return {unit: votes for unit, votes in ratings.items() if len(votes) > 1}


def cohen_kappa(pairs: Iterable[tuple[str, str]], values: Sequence[str], metric: Metric) -> Figure:
    """Kappa of pairs of answers, one pair for each unit; `values` from low to high."""
    return kappa(tables(pairs, values).sum(axis=0), metric)

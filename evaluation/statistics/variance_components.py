"""How much of the differences among answers is systems, questions, units, raters, and the rest.

    y_ur = μ + a_s + b_q + c_u + d_r + e_ur     rater r on unit u, of system s and question q

Effects are random with the variances σ²_s, σ²_q, σ²_u, σ²_r, σ²_e; designs may be unbalanced. Sums
of squares are set equal to their expectations, so no estimate is biased. With N ratings, U units,
m_u ratings of a unit, n_r of a rater, and z_ur = y_ur - ȳ_u:

    Σ z²                    (N - U) (σ²_r + σ²_e)
    Σ_r (Σ_u z_ur)² / n_r   σ²_r Σ_ra c_ra² / n_r + σ²_e Σ_r c_rr / n_r
                            c_ra = Σ over r's units (1[r = a] - 1[a rated u] / m_u)
    Σ_i (Σ y of i)² / n_i   N μ² + Σ_g σ²_g Σ_ij n_ij² / n_i + σ²_e (number of i)

In the last line i are units, questions, systems, or all as one; g is a kind of effect, j are its
levels, and n_ij is the number of ratings of both. The first two lines are free of units' effects.

    one rater's reliability    ρ_1 = (σ²_s + σ²_q + σ²_u) / (the same + σ²_r + σ²_e)
    k raters' (Spearman-Brown) ρ_k = k ρ_1 / (1 + (k - 1) ρ_1)

Standard errors are by the jackknife over (groups of) questions: of the draws of a bootstrap, each
holds some questions twice, and a rater's errors that are there twice look like leniency.

By hand: statsmodels' mixed model takes crossed raters and questions as one dense group.

C. R. Henderson (1953), Estimation of variance and covariance components, Biometrics 9(2), 226-252;
P. E. Shrout and J. L. Fleiss (1979), Intraclass correlations, Psychological Bulletin 86(2),
420-428: ICC(2,1); R. L. Brennan (2001), Generalizability theory.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.error_bars import ALWAYS_THE_SAME, on_fishers_scale, t_times
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]
Places = NDArray[np.signedinteger[Any]]

GROUPS = 50
"""Of questions for the jackknife; with fewer questions, each is a group."""

MOST_RATERS = 500
LEAST_ERROR = 1e-9
MOST_ALIKE = 1e9
"""The condition of the equations, from which kinds of effects cannot be told apart."""

LEAST_CROSSED = 1e-3
"""Of fewer units that raters share in different ways, nothing is known of their leniency."""

PARTS = ("systems", "questions", "units", "raters", "rest")
RELIABLE = 0.8
MOST_SHOWN = 10
"""Raters for whom the reliability is given."""

NOT_TWICE = "no unit has two ratings"
TOO_FEW_GROUPS = "fewer than three questions"
ALL_ALIKE = "all answers are the same"
TOO_MANY_RATERS = f"more than {MOST_RATERS:,} raters"
NOT_APART = "systems, questions and units are not distinguishable"
TOO_LITTLE_SHARED = "raters share too few units"
OTHER_RATERS = "systems were rated by different raters"
BELOW_ZERO = "the estimate is below 0"
WHY_NOT = (
    "there is one system",
    "there is one unit of each question",
    "",
    TOO_LITTLE_SHARED,
    TOO_LITTLE_SHARED,
    f"{TOO_LITTLE_SHARED}, or never differ",
)
"""Why a share of `PARTS`, or the raters' share of the noise, is undefined."""


@dataclass(frozen=True, slots=True)
class VariancePart:
    """A number with its interval."""

    figure: Figure
    interval: Interval
    error: Figure | None = None


@dataclass(frozen=True, slots=True)
class Variances:
    """Shares of the variance by `PARTS`; the raters' share of the noise; reliability."""

    shares: Mapping[str, VariancePart]
    of_noise: VariancePart
    one_rater: VariancePart


def variances(
    value: Floats, unit: Places, rater: Places, question: Places, system: Places
) -> Variances:
    """From what each rating counts. `question` and `system` are those of each unit."""
    found, unit = np.unique(unit, return_inverse=True)
    rater = np.unique(rater, return_inverse=True)[1]
    question = np.unique(question[found], return_inverse=True)[1][unit]
    system = np.unique(system[found], return_inverse=True)[1][unit]
    groups = min(int(question.max(initial=-1)) + 1, GROUPS)
    reason = (
        NOT_TWICE if len(value) == len(found)
        else TOO_MANY_RATERS if rater.max() >= MOST_RATERS
        else ALL_ALIKE if np.ptp(value) == 0
        else TOO_FEW_GROUPS if groups < 3
        else OTHER_RATERS if _are_apart(rater, system)
        else ""
    )  # fmt: skip
    if not reason:
        numbers = _Ratings(value, unit, rater, question, system, groups).estimates()
        reason = "" if np.isfinite(numbers[0, -1]) else NOT_APART
    if reason:
        return Variances(dict.fromkeys(PARTS, _unknown(reason)), _unknown(reason), _unknown(reason))
    positive = np.nan_to_num(np.maximum(numbers[0, : len(PARTS)], 0)).sum()
    parts = [
        _part(each, why, 1.0 if place == len(PARTS) else max(1.0, positive))
        for place, (each, why) in enumerate(zip(numbers[:, :-1].T, WHY_NOT, strict=True))
    ]
    return Variances(
        dict(zip(PARTS, parts, strict=False)), parts[-1], _part(numbers[:, -1], fisher=True)
    )


def _are_apart(rater: Places, system: Places) -> bool:
    """Whether some raters and their systems have nothing in common with the others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    raters = int(rater.max()) + 1
    size = raters + int(system.max()) + 1
    links = coo_array((np.ones(len(rater)), (rater, raters + system)), (size, size))
    return bool(connected_components(links, directed=False)[0] > 1)


def _unknown(reason: str) -> VariancePart:
    return VariancePart(undefined(reason), Interval(None, None, reason))


def _part(
    numbers: Floats, why_not: str = "", whole: float = 1.0, *, fisher: bool = False
) -> VariancePart:
    """The number first, then those without each group. A variance is at least 0; `whole` is what
    the shares that are above 0 come to, at least 1. Unknown parts have no share."""
    if not np.isfinite(numbers[0]):
        return _unknown(why_not)
    value, without = float(numbers[0]), numbers[1:]
    without = without[np.isfinite(without)]
    groups = len(without)
    error = float(np.sqrt((groups - 1) * without.var())) if groups > 1 else 0.0
    shown = min(max(value, 0.0) / whole, 1.0)
    figure = Figure(shown)
    if groups < 2:
        return VariancePart(figure, Interval(None, None, TOO_FEW_GROUPS))
    if not error > LEAST_ERROR:
        return VariancePart(figure, Interval(None, None, ALWAYS_THE_SAME))
    away = t_times(error, groups)
    low, high = (value - away) / whole, (value + away) / whole
    if fisher:
        interval = on_fishers_scale(value, away, -1.0, 1.0)
        low, high = interval.low or 0.0, interval.high or 0.0
    if high <= 0:  # far below what a variance can be: the errors are no guide
        return VariancePart(figure, Interval(None, None, BELOW_ZERO))
    ends = Interval(min(max(low, 0.0), shown), min(max(high, shown), 1.0))
    return VariancePart(figure, ends, Figure(error / whole))


@dataclass(frozen=True, eq=False)
class _Ratings:
    """Ratings, a row for each. Results have a row of all, and one without each group of questions;
    units and questions are in one group, systems and raters in several."""

    value: Floats
    unit: Places
    rater: Places
    question: Places
    system: Places
    groups: int

    def estimates(self) -> Floats:
        """The shares of `PARTS`, the raters' share of the noise, and one rater's reliability."""
        kinds = {"systems": self.system, "questions": self.question, "units": self.unit}
        if self.system.max() == 0:
            del kinds["systems"]
        if self.question.max() == self.unit.max():
            del kinds["questions"]
        mean = np.bincount(self.unit, self.value) / np.bincount(self.unit)
        away = self.value - mean[self.unit]
        n, units = self._number(np.ones_like(self.value)), self._levels(self.unit)
        with np.errstate(divide="ignore", invalid="ignore"):  # no unit with several ratings
            noise = _without(np.bincount(self.group, away**2, self.groups)) / (n - units)
        leniency = self._raters(away, noise)
        raters = np.nan_to_num(leniency)
        rows, right = [], []
        for by in (*kinds.values(), np.zeros_like(self.unit)):
            rows.append([*(self._shared(by, of) for of in kinds.values()), n])
            levels = self._levels(by)
            explained = raters * self._shared(by, self.rater) + (noise - raters) * levels
            right.append(self._squares(by) - explained)
        table = np.moveaxis(np.array(rows), 2, 0) / n[:, None, None]
        known = np.linalg.cond(table) < MOST_ALIKE
        table[~known] = np.eye(len(rows))
        solved = np.linalg.solve(table, (np.array(right) / n).T[..., None])[..., 0]
        solved[~known] = nan
        by_kind = dict(zip(kinds, solved.T, strict=False))
        total = solved[:, :-1].sum(axis=1) + noise
        total[np.abs(total) <= LEAST_ERROR * self.value.var()] = nan  # alike but for rounding
        parts = [by_kind.get(name, nan * noise) for name in PARTS[:3]]
        parts += [leniency, noise - leniency]
        of_noise = np.divide(leniency, noise, out=np.full_like(noise, nan), where=noise > 0)
        with np.errstate(invalid="ignore"):  # a part without any difference
            shares = [part / total for part in parts]
            return np.stack([*shares, of_noise, 1 - noise / total], axis=1)

    @cached_property
    def group(self) -> Places:
        return self.question % self.groups

    def _is_in_one_group(self, by: Places) -> bool:
        return by is self.unit or by is self.question

    def _number(self, each: Floats, by: Places | None = None) -> Floats:
        """Return the sum over ratings, or over levels that are in one group each."""
        group = self.group
        if by is not None:
            group = np.zeros(len(each), dtype=np.int64)
            group[by] = self.group
        return _without(np.bincount(group, each, self.groups))

    def _sums(self, by: Places, weights: Floats | None = None) -> Floats:
        """For each level the sum of weights, or the number of ratings."""
        wide = int(by.max()) + 1
        found = np.bincount(by * self.groups + self.group, weights, wide * self.groups)
        return _without(found.reshape(wide, self.groups).T.astype(float))

    def _levels(self, by: Places) -> Floats:
        if self._is_in_one_group(by):
            return self._number(np.ones(int(by.max()) + 1), by)
        found: Floats = (self._sums(by) > 0).sum(axis=1).astype(float)
        return found

    def _squares(self, by: Places) -> Floats:
        """Σ_i (Σ y of i)² / n_i."""
        if self._is_in_one_group(by):
            return self._number(np.bincount(by, self.value) ** 2 / np.bincount(by), by)
        return _over(self._sums(by, self.value) ** 2, self._sums(by))

    def _shared(self, by: Places, of: Places) -> Floats:
        """Σ_ij n_ij² / n_i."""
        wide = int(of.max()) + 1
        if not (self._is_in_one_group(by) or self._is_in_one_group(of)):
            squares = self._sums(by * wide + of) ** 2
            more = (int(by.max()) + 1) * wide - squares.shape[1]
            squares = np.pad(squares, ((0, 0), (0, more)))
            return _over(squares.reshape(len(squares), -1, wide).sum(axis=2), self._sums(by))
        cells, first, often = np.unique(by * wide + of, return_index=True, return_counts=True)
        if self._is_in_one_group(by):
            return self._number(np.bincount(cells // wide, often**2) / np.bincount(by), by)
        high = int(by.max()) + 1
        place = (by * self.groups + self.group)[first]
        each = np.bincount(place, often**2, high * self.groups)
        return _over(_without(each.reshape(high, self.groups).T), self._sums(by))

    def _raters(self, away: Floats, noise: Floats) -> Floats:
        """The variance of raters, from the distances to the means of units."""
        count = self._sums(self.rater)
        # c of each group: its raters' counts, less their shares of the ratings of common units.
        shared = np.stack([self._common(group) for group in range(self.groups)])
        c = np.apply_along_axis(np.diag, 1, count) - _without(shared)
        squares = _over(self._sums(self.rater, away) ** 2, count)
        own = _over(np.diagonal(c, axis1=1, axis2=2), count)
        every = _over((c**2).sum(axis=2), count)
        is_known = every - own > LEAST_CROSSED * every
        unknown = np.full_like(noise, nan)
        found: Floats = np.divide(squares - noise * own, every - own, out=unknown, where=is_known)
        return found

    def _common(self, group: int) -> Floats:
        """For each two raters, Σ 1 / m_u over the units of a group that both rated."""
        from scipy.sparse import csr_array

        here = self.group == group
        unit, wide = np.unique(self.unit[here], return_inverse=True)[1], int(self.rater.max()) + 1
        rated = csr_array((np.ones(len(unit)), (unit, self.rater[here])), (unit.max() + 1, wide))
        found: Floats = (rated.T @ (rated / rated.sum(axis=1)[:, None])).toarray()
        return found


def _without(of_groups: NDArray[Any]) -> Floats:
    """From what each group has: that of all, and that of all without each group."""
    whole = of_groups.sum(axis=0, keepdims=True)
    found: Floats = np.concatenate([whole, whole - of_groups]).astype(float)
    return found


def _over(sums: Floats, count: Floats) -> Floats:
    """Σ_i of a sum over its count; a level without ratings counts nothing."""
    found: Floats = np.divide(sums, count, out=np.zeros_like(sums), where=count > 0).sum(axis=1)
    return found


def spearman_brown(one: float, raters: float) -> float:
    """Return the reliability of the mean of several raters, from that of one."""
    return raters * one / (1 + (raters - 1) * one)


def raters_needed(one: float) -> float | None:
    """How many raters have the reliability `RELIABLE`; None where no number has."""
    if one <= 0:
        return None
    return float(max(1, ceil(RELIABLE * (1 - one) / ((1 - RELIABLE) * one) - LEAST_ERROR)))

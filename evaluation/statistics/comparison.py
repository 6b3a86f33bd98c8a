"""Is one system, or one judge, better than another on the questions that both answered?

With d_q the difference on question q, n questions, d̄ the mean, s the standard deviation:

    paired t-test       t = d̄ / (s / sqrt(n)), two-sided p from Student's t with n - 1 degrees
                        where s = 0 and d̄ is not, p = 2 · 0.5^n, that of the sign test
    interval            d̄ ± t_.975 s / sqrt(n)
    Holm                of m p-values sorted upwards, p_(i) becomes
                        max over j <= i of min(1, (m - j + 1) p_(j))
    detectable          the difference δ that the t-test finds in 80 % of such studies, at the level
                        .05 / m, with which Holm's method begins: δ = ν s / sqrt(n), where
                        noncentral t (n - 1, ν) is above t_{1 - .025 / m} in 80 %

    ranks               of n systems, system i has a rank from 1 + those significantly better to
                        n - those significantly worse, by p_(j) < .05; all of these intervals hold
                        at once in 95 % of studies (Al Mohamad et al. 2022)

p of a paired bootstrap is never below 1 / (1 + draws): corrected for the 120 pairs of 16 systems
none of 2,000 draws is below .05. So there is none.

    letters             systems share a letter if and only if no test tells them apart; a letter is
                        a largest set of such systems, “a” has the best one (Piepho 2004)
    judges              d is the difference of two judges' numbers on the same units, drawn
                        together, so that the effect of a question on both is no difference; s is
                        its standard error over draws of C questions (`error_bars`): interval
                        d ± t_.975 s, p = 2 P(t <= -|d| / s), C - 1 degrees
    Williams            do two judges correlate with people equally well? With r and s the judges'
                        correlations with people, q that of both judges, n systems,
                        K = 1 - r² - s² - q² + 2 r s q, and n - 3 degrees:
                        t = (r - s) sqrt((n - 1) (1 + q) / (2 K (n - 1) / (n - 3)
                                                            + (r + s)² (1 - q)³ / 4))
                        Systems count as drawn by chance, the numbers as normal.

Rank intervals are by hand: the only package, ICRanks, is for R.

Student (1908), The probable error of a mean, Biometrika 6(1), 1-25; S. Holm (1979), A simple
sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6(2), 65-70;
J. Cohen (1988), Statistical power analysis for the behavioral sciences, chapter 2; D. Al Mohamad,
J. Goeman and E. van Zwet (2022), Simultaneous confidence intervals for ranks with application to
ranking institutions, Biometrics 78(1), 238-247; H.-P. Piepho (2004), An algorithm for a
letter-based representation of all-pairwise comparisons, Journal of Computational and Graphical
Statistics 13(2), 456-466; B. Efron and R. J. Tibshirani (1993), An introduction to the bootstrap,
chapters 12 and 16; E. J. Williams (1959), Regression analysis, Wiley; J. H. Steiger (1980), Tests
for comparing elements of a correlation matrix, Psychological Bulletin 87(2), 245-251; Y. Graham and
T. Baldwin (2014), Testing for significance of increased correlation with human judgment, EMNLP.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.error_bars import ErrorBar, by_t, t_times
from evaluation.statistics.ratings import Figure, Key, undefined

Floats = NDArray[np.float64]
Pair = frozenset[int]
Alike = frozenset[int]

LEVEL = 0.05
"""Two differ significantly if their corrected p is below it."""

TOO_FEW = "fewer than two shared questions"
NOT_KNOWN = undefined(TOO_FEW)
ALWAYS_THE_SAME = "the difference is the same on every question"
LEAST_FOR_WILLIAMS = 4
ORDERED_ALIKE = "the two judges order everything alike"


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """One system minus another on shared questions."""

    one: Key
    other: Key
    questions: int
    difference: Figure
    standard_error: Figure
    interval: Interval
    t: Figure
    t_p: Figure
    t_p_holm: Figure
    """Corrected for all pairs that were compared with it."""

    detectable: Figure = NOT_KNOWN
    """The difference that is found in most such studies, with the same correction."""

    signature: str = "paired|level:0.95|interval:t|holm|v:3"


def compare_columns(systems: Sequence[Key], table: Floats) -> list[SystemComparison]:
    """Compare every two systems of a table, questions × systems with NaN for no value."""
    result = []
    for one, other in combinations(range(len(systems)), 2):
        differences = table[:, one] - table[:, other]
        known = differences[np.isfinite(differences)]
        result.append(_comparison(systems[one], systems[other], known))
    tests = sum(comparison.t_p.value is not None for comparison in result)
    corrected = holm([comparison.t_p for comparison in result])
    return [
        replace(one, t_p_holm=p, detectable=_detectable(one, tests))
        for one, p in zip(result, corrected, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Ranked:
    """The ranks that a system may have; systems with a common letter do not differ."""

    system: Key
    first: int
    last: int
    letters: str


def ranked(order: Sequence[Key], pairs: Sequence[SystemComparison]) -> list[Ranked]:
    """Return the rank intervals of systems from best to worst, by all comparisons among them."""
    if len(order) < 2:
        return []
    better, worse = Counter[Key](), Counter[Key]()
    apart = set[frozenset[int]]()
    place = {system: n for n, system in enumerate(order)}
    for pair in pairs:
        if pair.t_p_holm.value is not None and pair.t_p_holm.value < LEVEL:
            is_better = (pair.difference.value or 0.0) > 0
            best, other = (pair.one, pair.other) if is_better else (pair.other, pair.one)
            worse[best] += 1
            better[other] += 1
            apart.add(frozenset((place[best], place[other])))
    groups = letters(range(len(order)), apart)
    return [
        Ranked(system, 1 + better[system], len(order) - worse[system], groups[place[system]])
        for system in order
    ]


def _detectable(pair: SystemComparison, tests: int) -> Figure:
    low, high = pair.interval.low, pair.interval.high
    if low is None or high is None:
        return undefined(pair.interval.reason)
    return Figure((high - low) / 2 * _times(pair.questions, tests))


@lru_cache
def _times(questions: int, tests: int) -> float:
    """Return the detectable difference of an interval that reaches 1 to each side."""
    # Imported at use, as in `two_sided`.
    from scipy.special import nctdtrinc, stdtrit

    usual, critical = stdtrit(questions - 1, [0.975, 1 - LEVEL / 2 / tests])
    return float(nctdtrinc(questions - 1, 0.2, critical) / usual)


def holm(p_values: Sequence[Figure]) -> list[Figure]:
    """Return the corrected p-values; undefined ones are no tests and stay as they are."""
    known = sorted((p.value, n) for n, p in enumerate(p_values) if p.value is not None)
    result = list(p_values)
    highest = 0.0
    for rank, (p, n) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        result[n] = Figure(highest)
    return result


def two_sided(t: float, degrees: int) -> Figure:
    """Return the two-sided p of Student's t."""
    # Imported at use: it takes part of a second that a web process need not spend.
    from scipy.special import stdtr

    return Figure(min(1.0, 2 * float(stdtr(degrees, -abs(t)))))


def _comparison(one: Key, other: Key, differences: Floats) -> SystemComparison:
    n = len(differences)
    mean = float(differences.mean()) if n else 0.0
    difference = Figure(mean) if n else undefined("no shared question")
    deviation = float(differences.std(ddof=1)) if n > 1 else 0.0
    if n < 2 or deviation <= 1e-12 * max(abs(mean), 1e-300):
        reason = TOO_FEW if n < 2 else ALWAYS_THE_SAME
        none = undefined(reason)
        interval = Interval(None, None, reason)
        # All n signs are the same by chance as often as n coins: a test where t is undefined.
        p = Figure(2 * 0.5**n) if n > 1 and abs(mean) > 1e-9 else none
        return SystemComparison(one, other, n, difference, none, interval, none, p, p)
    error = deviation / n**0.5
    # Of few questions percentiles of draws are too narrow: see `bench/coverage_means.py`.
    away = t_times(error, n)
    interval, p = Interval(mean - away, mean + away), two_sided(mean / error, n - 1)
    t = Figure(mean / error)
    return SystemComparison(one, other, n, difference, Figure(error), interval, t, p, p)


# Letters -----------------------------------------------------------------------------------------


def letters(order: Sequence[int], apart: set[Pair]) -> dict[int, str]:
    """Return the letters of members given from best to worst; pairs in `apart` differ."""
    alike = {
        one: frozenset(o for o in order if o != one and frozenset((one, o)) not in apart)
        for one in order
    }
    place = {one: n for n, one in enumerate(order)}
    groups = sorted(
        _largest(frozenset(), frozenset(order), frozenset(), alike),
        key=lambda group: sorted(place[one] for one in group),
    )
    return {
        one: "".join(_letter(n) for n, group in enumerate(groups) if one in group) for one in order
    }


def _largest(chosen: Alike, others: Alike, seen: Alike, alike: dict[int, Alike]) -> Iterator[Alike]:
    """Yield all largest sets of members that are alike (C. Bron and J. Kerbosch 1973)."""
    if not others and not seen and chosen:
        yield chosen
    # Every largest set has the pivot or one unlike it: skip members like it (Tomita et al. 2006).
    pivot = max(sorted(others | seen), key=lambda one: len(alike[one] & others), default=None)
    for one in sorted(others if pivot is None else others - alike[pivot]):
        yield from _largest(chosen | {one}, others & alike[one], seen & alike[one], alike)
        others, seen = others - {one}, seen | {one}


def _letter(n: int) -> str:
    return chr(ord("a") + n) if n < 26 else f"({n + 1})"


# Judges ------------------------------------------------------------------------------------------


def with_differences(statistic: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    """Return a statistic of the numbers of several judges (columns) and all their differences."""

    def both(sums: Floats) -> Floats:
        numbers = statistic(sums)
        ones, others = np.triu_indices(numbers.shape[1], k=1)
        return np.column_stack([numbers, numbers[:, ones] - numbers[:, others]])

    return both


def p_of_t(value: float, bar: ErrorBar, clusters: int) -> Figure:
    """Return two-sided p by Student's t: below .05 where the interval by `by_t` excludes 0.

    `clusters` counts the clusters that say anything of the number.
    """
    reason, error = by_t(value, bar, clusters).reason, bar.standard_error.value
    return undefined(reason) if error is None or reason else two_sided(value / error, clusters - 1)


def williams(one: float, other: float, between: float, n: int) -> tuple[Figure, Figure]:
    """Return t and two-sided p of the difference of two correlations with people.

    `one` and `other` are the judges' correlations with people, `between` is that of the judges.
    """
    reason = f"fewer than {LEAST_FOR_WILLIAMS} systems" if n < LEAST_FOR_WILLIAMS else ""
    if not reason:
        unexplained = 1 - one**2 - other**2 - between**2 + 2 * one * other * between
        spread = 2 * unexplained * (n - 1) / (n - 3) + (one + other) ** 2 * (1 - between) ** 3 / 4
        reason = ORDERED_ALIKE if spread <= 1e-12 else ""
    if reason:
        return undefined(reason), undefined(reason)
    t = (one - other) * sqrt((n - 1) * (1 + between) / spread)
    return Figure(t), two_sided(t, n - 3)

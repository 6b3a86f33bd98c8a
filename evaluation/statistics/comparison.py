"""Is one system better than another on the questions that both answered?

With d_q the difference on question q, n questions, d̄ the mean, s the standard deviation:

    paired t-test       t = d̄ / (s / sqrt(n)), two-sided p from Student's t with n - 1 degrees
    paired bootstrap    p = (1 + draws with |d̄* - d̄| >= |d̄|) / (1 + draws): how often drawing
                        questions moves the difference as far as it is from 0
    interval            d̄ ± t_.975 s / sqrt(n)
    Holm                of m p-values sorted upwards, p_(i) becomes
                        max over j <= i of min(1, (m - j + 1) p_(j))
    detectable          the difference δ that the t-test finds in 80 % of such studies, at the level
                        .05 / m, with which Holm's method begins: δ = ν s / sqrt(n), where
                        noncentral t (n - 1, ν) is above t_{1 - .025 / m} in 80 %

B. Efron and R. J. Tibshirani (1993), An introduction to the bootstrap, chapter 16; P. Koehn
(2004), Statistical significance tests for machine translation evaluation, EMNLP; S. Holm (1979),
A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6(2),
65-70; J. Cohen (1988), Statistical power analysis for the behavioral sciences, chapter 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import LEAST_DEFINED, Interval
from evaluation.statistics.error_bars import (
    RESAMPLES,
    TOO_OFTEN_UNDEFINED,
    OfSums,
    of_sums,
    replicates,
)
from evaluation.statistics.means import means
from evaluation.statistics.ratings import Figure, Key, undefined

Floats = NDArray[np.float64]

LEVEL = 0.05
"""Below it a corrected p tells two apart."""

TOO_FEW = "fewer than two shared questions"
NOT_KNOWN = undefined(TOO_FEW)
ALWAYS_THE_SAME = "the difference is the same on every question"


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """One system minus another on shared questions."""

    one: Key
    other: Key
    questions: int
    difference: Figure
    interval: Interval
    """Of the difference, by the t-test."""

    standard_error: Figure
    """Standard deviation of the difference over the draws."""

    t: Figure
    t_p: Figure
    t_p_holm: Figure
    """Corrected for all pairs that were compared with it."""

    bootstrap_p: Figure
    bootstrap_p_holm: Figure
    resamples: int
    seed: int
    detectable: Figure = NOT_KNOWN
    """The difference that is found in most such studies, with the same correction."""

    @property
    def signature(self) -> str:
        return f"paired|resamples:{self.resamples}|seed:{self.seed}|level:0.95|interval:t|holm|v:2"


def compare_columns(
    systems: Sequence[Key], table: Floats, *, resamples: int = RESAMPLES, seed: int = 0
) -> list[SystemComparison]:
    """Every two systems, from a table, questions × systems, NaN where a system has no value."""
    questions = len(table)
    pairs = list(combinations(systems, 2))
    if not pairs:
        return []
    ones, others = np.triu_indices(len(systems), k=1)
    differences = table[:, ones] - table[:, others]
    both = np.isfinite(differences)
    if questions < 2:
        drawn = np.full((resamples, len(pairs)), np.nan)
    else:
        drawn = replicates(_mean_of(differences, both), questions, resamples=resamples, seed=seed)
    each = np.ascontiguousarray(drawn.T)
    errors = _errors(each)
    found = [
        _comparison(one, other, differences[both[:, n], n], each[n], errors[n], seed)
        for n, (one, other) in enumerate(pairs)
    ]
    by_t, by_draws = holm([c.t_p for c in found]), holm([c.bootstrap_p for c in found])
    tests = sum(c.t_p.value is not None for c in found)
    return [
        replace(
            comparison, t_p_holm=t, bootstrap_p_holm=p, detectable=_detectable(comparison, tests)
        )
        for comparison, t, p in zip(found, by_t, by_draws, strict=True)
    ]


def _detectable(pair: SystemComparison, tests: int) -> Figure:
    low, high = pair.interval.low, pair.interval.high
    if low is None or high is None:
        return undefined(pair.interval.reason)
    return Figure((high - low) / 2 * _times(pair.questions, tests))


@lru_cache
def _times(questions: int, tests: int) -> float:
    """The detectable difference, where the interval reaches 1 to each side."""
    # Imported at use, as below.
    from scipy.special import nctdtrinc, stdtrit

    usual, critical = stdtrit(questions - 1, [0.975, 1 - LEVEL / 2 / tests])
    return float(nctdtrinc(questions - 1, 0.2, critical) / usual)


def _mean_of(differences: Floats, both: NDArray[np.bool_]) -> OfSums:
    """The mean of each column's differences. Where all are known, every draw has as many as there
    are questions, so that nothing need be counted."""
    if both.all():
        return of_sums(differences, lambda summed: summed / len(differences))
    return of_sums(np.stack([np.where(both, differences, 0.0), both.astype(float)], axis=2), means)


def holm(p_values: Sequence[Figure]) -> list[Figure]:
    """The p-values, corrected; undefined ones are no tests and stay as they are."""
    known = sorted((p.value, n) for n, p in enumerate(p_values) if p.value is not None)
    found = list(p_values)
    highest = 0.0
    for rank, (p, n) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        found[n] = Figure(highest)
    return found


def paired_t(differences: Floats) -> tuple[Figure, Figure]:
    """t and its two-sided p."""
    n = len(differences)
    if n < 2:
        return undefined(TOO_FEW), undefined(TOO_FEW)
    mean = float(differences.mean())
    deviation = float(differences.std(ddof=1))
    if deviation <= 1e-12 * max(abs(mean), 1e-300):
        return undefined(ALWAYS_THE_SAME), undefined(ALWAYS_THE_SAME)
    # Imported at use: it takes part of a second that a web process need not spend.
    from scipy.special import stdtr

    t = mean / (deviation / float(np.sqrt(n)))
    return Figure(t), Figure(min(1.0, 2 * float(stdtr(n - 1, -abs(t)))))


def interval_by_t(differences: Floats) -> Interval:
    """The interval that goes with the t-test. Of few questions percentiles of draws are too narrow:
    see `bench/coverage_means.py`."""
    n = len(differences)
    # Imported at use, as above.
    from scipy.special import stdtrit

    mean, error = float(differences.mean()), float(differences.std(ddof=1)) / n**0.5
    away = float(stdtrit(n - 1, 0.975)) * error
    return Interval(mean - away, mean + away)


def _errors(drawn: Floats) -> Floats:
    """Of each row of draws, those left out that are undefined: the standard deviation; NaN where
    fewer than two are defined."""
    found = np.full(len(drawn), np.nan)
    known = np.isfinite(drawn)
    whole = known.all(axis=1) & (drawn.shape[1] > 1)
    found[whole] = drawn[whole].std(axis=1, ddof=1)
    for row in np.flatnonzero(~whole & (known.sum(axis=1) > 1)):
        found[row] = drawn[row, known[row]].std(ddof=1)
    return found


def _comparison(
    one: Key, other: Key, differences: Floats, drawn: Floats, spread: float, seed: int
) -> SystemComparison:
    n = len(differences)
    t, t_p = paired_t(differences)
    difference = Figure(float(differences.mean())) if n else undefined("no shared question")
    known = drawn[np.isfinite(drawn)]
    reason = TOO_FEW if n < 2 else ""
    if not reason and len(known) < max(2, LEAST_DEFINED * len(drawn)):
        reason = TOO_OFTEN_UNDEFINED
    interval, p = Interval(None, None, reason), undefined(reason or ALWAYS_THE_SAME)
    error = undefined(reason or TOO_FEW)
    if not reason and difference.value is not None:
        error = Figure(float(spread))
        if t.value is not None:
            interval = interval_by_t(differences)
            p = Figure(bootstrap_p(difference.value, known))
        else:
            interval, error = Interval(None, None, ALWAYS_THE_SAME), undefined(ALWAYS_THE_SAME)
    return SystemComparison(
        one,
        other,
        n,
        difference,
        interval,
        error,
        t,
        t_p,
        t_p,
        p,
        p,
        len(drawn),
        seed,
    )


def bootstrap_p(difference: float, drawn: Floats) -> float:
    """How often the draws, all defined, lie as far from the difference as that lies from 0."""
    # Sums of the same numbers in another order may differ in the last bit.
    reached = np.abs(drawn - difference) >= abs(difference) * (1 - 1e-9) - 1e-15
    return float(1 + np.count_nonzero(reached)) / (1 + len(drawn))

"""Does a judge choose the same of every two systems as people do?

With h the difference of two systems' means by people and m by the judge, over all pairs:

    pairwise accuracy   the share of pairs with the same sign of h and m; a tie is right where both
                        tie
    ties calibrated     the same, |m| <= ε being a tie: with C pairs in the same order and T tied by
                        both, (C + T) / pairs, for the smallest ε that makes most of them right
    soft                1 - mean |p_h - p_m|: p_h is how likely the first of two systems would lead
                        by as much as it does by people if they were equal, p_m by the judge

So a judge is not blamed for a pair that people cannot separate, and not praised for luck. Each p is
one-sided, of a test that changes the sign of the difference d_q on questions at random; its normal
limit 1 - Φ(Σ d_q / sqrt(Σ d_q²)) replaces random draws. Equal systems have 1/2.

T. Kocmi, C. Federmann, R. Grundkiewicz, M. Junczys-Dowmunt, H. Matsushita and A. Menezes (2021), To
ship or not to ship, WMT; D. Deutsch, G. Foster and M. Freitag (2023), Ties matter: meta-evaluating
modern metrics with pairwise accuracy and tie calibration, EMNLP; B. Thompson, N. Mathur, D. Deutsch
and H. Khayrallah (2024), Improving statistical significance in human evaluation of automatic
metrics via soft pairwise accuracy, WMT.
"""

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import CELLS

Floats = NDArray[np.float64]

LEAST_SYSTEMS = 5
TOO_FEW = f"fewer than {LEAST_SYSTEMS} systems, too few to rank"
NO_INTERVAL = "no interval is known that holds the truth as often as it says"

TIED = 1e-9
"""Means that differ by less differ only by rounding."""


def differences(means: Floats) -> Floats:
    """Return the differences of every two columns (systems) of each row; ties are 0."""
    ones, others = np.triu_indices(means.shape[1], k=1)
    by_system = np.ascontiguousarray(means.T)  # whole rows are fetched faster than columns
    result = by_system[ones] - by_system[others]
    result[np.abs(result) <= TIED] = 0.0
    return result.T


def sign_sums(by_question: Floats) -> tuple[Floats, Floats]:
    """Return Σ d_q and Σ d_q² of each pair of systems, from questions × systems.

    d_q is 0 where one of the two has no answer (NaN). Only some questions' differences are in
    memory at a time.
    """
    pairs = max(1, by_question.shape[1] * (by_question.shape[1] - 1) // 2)
    total, squares = np.zeros((2, pairs))
    for first in range(0, len(by_question), step := max(1, CELLS // pairs)):
        some = np.nan_to_num(differences(by_question[first : first + step]))
        total += some.sum(axis=0)
        squares += (some**2).sum(axis=0)
    return total, squares


def accuracies(judge: Floats, people: Floats) -> Floats:
    """Return pairwise accuracy of each row of systems' means; NaN where a system has none.

    People's means are one row for each row of the judge's, or one for all.
    """
    right = _in_order(differences(judge), differences(people)).mean(axis=1)
    known = np.isfinite(judge).all(axis=1) & np.isfinite(people).all(axis=1)
    return np.where(known, right, np.nan)


def calibrated(judge: Floats, people: Floats) -> tuple[Floats, Floats]:
    """Return the accuracy of each row with ties calibrated, and its ε."""
    one, other = differences(judge), differences(people)
    tied = other == 0
    if not tied.any():  # a tie could only be wrong
        return accuracies(judge, people), np.zeros(len(judge))
    away = np.ascontiguousarray(np.abs(one))
    order = np.argsort(away, axis=1)
    away = np.take_along_axis(away, order, axis=1)
    gains = tied.astype(np.int32) - _in_order(one, other)
    gained = np.take_along_axis(gains, order, axis=1).cumsum(axis=1)
    # All pairs of the same distance are ties, or none is.
    ends = np.ones(away.shape, dtype=bool)
    ends[:, :-1] = away[:, 1:] > away[:, :-1] + TIED
    gained = np.where(ends, gained, -one.shape[1])
    place = gained.argmax(axis=1)[:, None]
    most = np.take_along_axis(gained, place, axis=1)[:, 0]
    epsilon = np.where(most > 0, np.take_along_axis(away, place, axis=1)[:, 0], 0.0)
    return accuracies(judge, people) + np.maximum(most, 0) / one.shape[1], epsilon


def _in_order(one: Floats, other: Floats) -> NDArray[np.bool_]:
    """Return which pairs have the same sign in both."""
    result: NDArray[np.bool_] = ((one > 0) == (other > 0)) & ((one < 0) == (other < 0))
    return result


def better_by_chance(total: Floats, squares: Floats) -> Floats:
    """Return p of each pair of systems, from Σ d_q and Σ d_q²."""
    # Imported at use: it takes part of a second that a web process need not spend.
    from scipy.special import ndtr

    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(squares > TIED, -total / np.sqrt(squares), 0.0)
    result: Floats = ndtr(z)
    return result


def soft_accuracies(judge: Floats, people: Floats) -> Floats:
    """Return soft accuracy from p of each pair of systems (the last axis), by judge and people."""
    result: Floats = 1 - np.abs(judge - people).mean(axis=-1)
    return result

"""Selective judging: a judge that abstains where it is unsure, with a guarantee on the rest.

A judge keeps its answer to a unit where its confidence is at least λ. Of the kept answers, a share
of at least x shall agree with people's, with probability 1 - δ over the rated questions. λ is found
by tests, one for each share of all answers that may be kept (Learn then Test):

    H_λ: of the answers with a confidence of at least λ, less than x agree with people

The shares are tested in four runs, from 25, 50, 75 and 100 % upwards, each at the level δ / 4 until
one is not rejected (fixed sequences; P. Bauer, 1991). The largest share whose H_λ is rejected is
taken. So a wrong one is taken with probability δ at most.

With n kept rated answers of which a agree, n_q of them about question q:

    p    = P(B(n / D, x) >= a / D) = I_x(a / D, (n - a) / D + 1)     binomial, incomplete beta
    D    = 1 + (Σ_q n_q² / n - 1) min(1, ρ + 0.1)                    design effect
    ρ    = Σ_q Σ_{i≠j} e_i e_j / (Σ_q m_q (m_q - 1) m (1 - m))       at least 0

where e is agreement (1 or 0) less its mean m, over all m_q rated answers of each question, kept or
not: among the kept few disagree. With one answer to each question D is 1 and the test exact; with
several the 0.1 allows for the uncertainty of ρ, and simulations test whether the level is held
(`bench/coverage_selective.py`). Where the kept answers are about fewer than 20 questions, ρ is too
uncertain and nothing is rejected: with 2 to 12 questions and many answers to each, the guarantee
failed in .14 to .47 of studies. Questions must be independent, and the rated answers a sample of
the answers that the judge will give.

By hand: packages such as MAPIE take a fitted classifier and independent units.

A. N. Angelopoulos, S. Bates, E. J. Candès, M. I. Jordan and L. Lei (2021), Learn then test:
calibrating predictive algorithms to achieve risk control; P. Bauer (1991), Multiple testing in
clinical trials, Statistics in Medicine 10(6), 871-890; E. L. Korn and B. I. Graubard (1998),
Confidence intervals for proportions with small expected number of positive counts estimated from
survey data, Survey Methodology 24(2), 193-201; Y. Geifman and R. El-Yaniv (2017), Selective
classification for deep neural networks, NeurIPS.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import per_cluster

Floats = NDArray[np.float64]
Places = NDArray[np.signedinteger[Any]]

DELTA = 0.1
SHARES = np.arange(1, 21) / 20
"""Shares of all answers that may be kept."""

STARTS = (4, 9, 14, 19)
"""The places of the first share of each run of tests."""

FEWEST_QUESTIONS = 20
"""The least questions with kept rated answers for a guarantee."""

MARGIN = 0.1
"""Added to the correlation of answers about one question."""


@dataclass(frozen=True, slots=True)
class RatedAnswers:
    """A judge's answers to units that people also answered."""

    confidence: Floats
    agrees: NDArray[np.bool_]
    questions: Places
    """The question of each answer, from 0."""


def least_confidences(all_of: Floats) -> Floats:
    """Return the λ that keeps each of the shares of these confidences, or slightly more."""
    ordered = np.sort(all_of)[::-1]
    kept = np.ceil((SHARES * len(ordered)).round(9)).astype(int)
    result: Floats = ordered[np.maximum(kept, 1) - 1]
    return result


def kept_sums(rated: RatedAnswers, least: float, questions: int) -> Floats:
    """Return for each question the kept rated answers that agree, and all kept ones."""
    kept = rated.confidence >= least
    rows = np.column_stack([kept & rated.agrees, kept]).astype(float)
    return per_cluster(rows, rated.questions, questions)


def guaranteed(rated: RatedAnswers, cuts: Floats, target: float) -> int | None:
    """Return the place of the λ that keeps most answers with guaranteed agreement, if any does."""
    if not len(rated.agrees):
        return None
    count, correlation = int(rated.questions.max()) + 1, correlation_within(rated)
    result: int | None = None
    for start in STARTS:
        for place in range(start, len(cuts)):
            sums = kept_sums(rated, float(cuts[place]), count)
            if p_of_less(sums, target, correlation) > DELTA / len(STARTS):
                break
            result = place if result is None else max(result, place)
    return result


def correlation_within(rated: RatedAnswers) -> float:
    """Return ρ, the correlation of agreement within questions, at least 0."""
    away = rated.agrees - rated.agrees.mean()
    sizes = np.bincount(rated.questions)
    pairs = float((sizes * (sizes - 1)).sum()) * float(away.var())
    sums = np.bincount(rated.questions, away)
    return max(0.0, float((sums**2).sum() - (away**2).sum()) / pairs) if pairs else 0.0


def p_of_less(sums: Floats, target: float, correlation: float) -> float:
    """Return p of an agreement below `target`, from `kept_sums`."""
    # Imported at use: it takes part of a second that a web process need not spend.
    from scipy.special import betainc

    agreed, kept = sums.sum(axis=0)
    if not agreed or np.count_nonzero(sums[:, 1]) < FEWEST_QUESTIONS:
        return 1.0
    clustered = float((sums[:, 1] ** 2).sum() / kept)
    effect = 1 + (clustered - 1) * min(1.0, correlation + MARGIN)
    return float(betainc(agreed / effect, (kept - agreed) / effect + 1, target))

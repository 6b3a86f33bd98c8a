"""Figures of responses and systems.

Each response's figure is kept, so that resampling needs no new judgments.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.judges.items import Verdict
from evaluation.statistics.error_bars import TIED, on_fishers_scale, t_times
from evaluation.statistics.ratings import Figure, undefined

Figures = dict[str, Figure]
"""Numbers by the key of their metric, each a value or the reason why there is none."""

NOTHING_JUDGED = "nothing was judged"


def mean(values: Sequence[float], reason: str) -> Figure:
    """Return the mean; without values an undefined figure with this reason."""
    return Figure(sum(values) / len(values)) if values else undefined(reason)


@dataclass(frozen=True, slots=True)
class QuestionMean(Figure):
    """A share over questions, with its 95 % interval if there is one."""

    low: float | None = None
    high: float | None = None


def share_of_questions(values: Sequence[float], reason: str) -> QuestionMean:
    """Return the mean of one share for each question."""
    return share_of_parts([(place, value, 1.0) for place, value in enumerate(values)], reason)


def share_of_parts(parts: Sequence[tuple[Hashable, float, float]], reason: str) -> QuestionMean:
    """Return r = Σ a / Σ b over parts (question, a, b), its interval by t on Fisher's scale.

    The parts of one of the n questions depend on each other. With sums by question,

    standard error = √(n / (n - 1) Σ_q (a_q - r b_q)²) / Σ b

    W. G. Cochran (1977), Sampling techniques, chapter 6.
    """
    total = sum(part[2] for part in parts)
    if not total:
        return QuestionMean(None, reason)
    value = sum(part[1] for part in parts) / total
    away: dict[Hashable, float] = {}
    for question, a, b in parts:
        away[question] = away.get(question, 0.0) + a - value * b
    n, spread = len(away), sum(one**2 for one in away.values())
    if n < 2 or spread <= TIED:
        return QuestionMean(value)
    error = (n / (n - 1) * spread) ** 0.5 / total
    interval = on_fishers_scale(value, t_times(error, n), 0.0, 1.0)
    return QuestionMean(value, "", interval.low, interval.high)


def mean_of(figures: Iterable[Figure]) -> Figure:
    """Return the mean of the defined figures; without any, the first one's reason."""
    known: list[float] = []
    reason = ""
    for figure in figures:
        if figure.value is None:
            reason = reason or figure.reason
        else:
            known.append(figure.value)
    return mean(known, reason or NOTHING_JUDGED)


def means(each: Sequence[Mapping[str, Figure]], keys: Iterable[str]) -> Figures:
    """Return the mean over responses of each metric."""
    return {key: mean_of(figures[key] for figures in each if key in figures) for key in keys}


def measure(verdict: Verdict) -> Figure:
    """Return the score of a verdict, or the reason why it has none."""
    return undefined(verdict.reason) if verdict.score is None else Figure(verdict.score)

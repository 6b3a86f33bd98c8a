"""What numbers about responses and systems are made of.

What every response contributes is kept apart from the mean, so that resampling never judges again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import stdev

from evaluation.judges.items import Verdict
from evaluation.statistics.error_bars import on_fishers_scale, t_times
from evaluation.statistics.ratings import Figure, undefined

Figures = dict[str, Figure]
"""Numbers by the key of their metric, each a value or the reason why there is none."""

NOTHING_JUDGED = "nothing was judged"


def mean(values: Sequence[float], reason: str) -> Figure:
    """The mean, or where there are no values the reason."""
    return Figure(sum(values) / len(values)) if values else undefined(reason)


@dataclass(frozen=True, slots=True)
class QuestionMean(Figure):
    """A mean over questions, with its 95 % interval where there is one."""

    low: float | None = None
    high: float | None = None


def share_of_questions(values: Sequence[float], reason: str) -> QuestionMean:
    """The mean of one share for each question, its interval by Student's t on Fisher's scale."""
    n = len(values)
    found = mean(values, reason)
    spread = stdev(values) if n > 1 else 0.0
    if found.value is None or not spread:
        return QuestionMean(found.value, found.reason)
    interval = on_fishers_scale(found.value, t_times(spread / n**0.5, n), 0.0, 1.0)
    return QuestionMean(found.value, "", interval.low, interval.high)


def mean_of(figures: Iterable[Figure]) -> Figure:
    """The mean of those that are defined; where none is, the first one's reason."""
    known: list[float] = []
    reason = ""
    for figure in figures:
        if figure.value is None:
            reason = reason or figure.reason
        else:
            known.append(figure.value)
    return mean(known, reason or NOTHING_JUDGED)


def means(each: Sequence[Mapping[str, Figure]], keys: Iterable[str]) -> Figures:
    """The mean over responses of each metric."""
    return {key: mean_of(figures[key] for figures in each if key in figures) for key in keys}


def measure(verdict: Verdict) -> Figure:
    """The score of a verdict, or the reason why it has none."""
    return undefined(verdict.reason) if verdict.score is None else Figure(verdict.score)

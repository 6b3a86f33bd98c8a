"""What numbers about responses and systems are made of.

What every response contributes is kept apart from the mean, so that resampling never judges again.
"""

from collections.abc import Iterable, Mapping, Sequence

from evaluation.judges.items import Verdict
from evaluation.statistics.ratings import Figure, undefined

Figures = dict[str, Figure]
"""Numbers by the key of their metric, each a value or the reason why there is none."""

NOTHING_JUDGED = "nothing was judged"


def mean(values: Sequence[float], reason: str) -> Figure:
    """The mean, or where there are no values the reason."""
    return Figure(sum(values) / len(values)) if values else undefined(reason)


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

"""Is one judge better than another? Their numbers are drawn together, so that what the same
questions do to both is not taken for a difference.

With d the difference of two judges' numbers on the same units, s its standard error over draws of
the C questions (see `error_bars`), t Student's with C - 1 degrees:

    interval   d ± t_.975 s
    p          2 P(t <= -|d| / s)

p is not bound by the number of draws, which Holm's correction of many pairs would soon exhaust.

B. Efron and R. J. Tibshirani (1993), An introduction to the bootstrap, chapters 12 and 16.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.comparison import two_sided
from evaluation.statistics.error_bars import ErrorBar, by_t
from evaluation.statistics.ratings import Figure, undefined

Floats = NDArray[np.float64]


def with_differences(statistic: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    """The numbers of several judges (columns), and after them the differences of every two."""

    def both(given: Floats) -> Floats:
        found = statistic(given)
        ones, others = np.triu_indices(found.shape[1], k=1)
        return np.column_stack([found, found[:, ones] - found[:, others]])

    return both


def interval_and_p(difference: float, bar: ErrorBar, questions: int) -> tuple[Interval, Figure]:
    """The interval of a difference, and p; `questions` are those that say anything of it."""
    interval, error = by_t(difference, bar, questions), bar.standard_error.value
    if interval.low is None or error is None:
        return interval, undefined(interval.reason)
    return interval, two_sided(difference / error, questions - 1)

"""Notes on intervals from too few questions. Simulated studies gave the limits
(`bench/coverage_means.py`, `bench/coverage_judges.py`)."""

from collections.abc import Iterable

from evaluation.reports.shape.values import Number

WITHOUT_END = 100
"""For numbers without an upper end: smaller studies miss rare, heavy answers."""

DIFFERENCES = 50
"""For differences of two systems: if most answers are alike, few questions show a difference."""

SLICES = 100
"""For differences of one system in two slices: too wide below if nearly all answers are yes."""

FEW_IN_SLICE = 25
"""For means in slices: yes and no give few values, and equal answers no interval."""

SCORES = 50
"""For numbers about scores."""


def few_for_differences(questions: Iterable[int], least: int = DIFFERENCES) -> tuple[str, ...]:
    if not any(0 < one < least for one in questions):
        return ()
    return (
        f"Intervals of differences on fewer than {least} questions are rough: they hold the "
        "truth in too few or too many of such studies.",
    )


def few_for_scores(questions: Iterable[int]) -> tuple[str, ...]:
    if not any(one < SCORES for one in questions):
        return ()
    return (
        f"Intervals of fewer than {SCORES} questions are rough: they hold the truth in too few of "
        "such studies.",
    )


def few_without_end(numbers: Iterable[Number | None], questions: int) -> tuple[str, ...]:
    """Return the note if a number without an upper end has few responses or questions."""
    if not any(_is_without_end(one) and min(one["n"], questions) < WITHOUT_END
               for one in numbers if one is not None):  # fmt: skip
        return ()
    return (
        f"Of fewer than {WITHOUT_END} questions, standard errors and intervals of numbers without "
        "an upper end, as penalties and counts, are too small: what is rare and weighs much may "
        "not have been seen.",
    )


def _is_without_end(number: Number) -> bool:
    """Whether the number's signature names the interval of numbers without an upper end."""
    return number["value"] is not None and "interval:log" in number["signature"].split("|")

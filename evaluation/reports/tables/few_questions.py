"""Of how few questions the printed intervals hold the truth too seldom, as made-up studies tell
(`bench/coverage_means.py`, `bench/coverage_judges.py`), and the notes that say so."""

from collections.abc import Iterable

from evaluation.reports.shape.values import Number

WITHOUT_END = 100
"""Of numbers that have no upper end: what is rare and weighs much is missing in smaller studies."""

DIFFERENCES = 50
"""Of differences of two systems: where most answers are alike, few questions tell them apart."""

SLICES = 100
"""Of differences of one system in two slices: where nearly all answers are yes, too wide below."""

FEW_IN_SLICE = 25
"""Of means in slices: of yes and no there are few values, and where all are alike no interval."""

SCORES = 50
"""Of what scores are good for."""


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
    """Of numbers of systems, each of so many responses to as many questions at most."""
    if not any(_is_without_end(one) and min(one["n"], questions) < WITHOUT_END
               for one in numbers if one is not None):  # fmt: skip
        return ()
    return (
        f"Of fewer than {WITHOUT_END} questions, standard errors and intervals of numbers without "
        "an upper end, as penalties and counts, are too small: what is rare and weighs much may "
        "not have been seen.",
    )


def _is_without_end(number: Number) -> bool:
    """Such a number has an interval of its own, which its signature names."""
    return number["value"] is not None and "interval:log" in number["signature"].split("|")

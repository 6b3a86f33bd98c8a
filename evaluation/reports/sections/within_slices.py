"""Agreement within the slices of the questions, compared with agreement over all of them."""

from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.numbers import number
from evaluation.reports.sections.scores import bars
from evaluation.reports.sections.words import LEAST_IN_SLICE
from evaluation.reports.selection import Selected
from evaluation.reports.shape.values import Number
from evaluation.statistics.alpha import Metric
from evaluation.statistics.error_bars import Statistic, by_t, by_z, of_sums
from evaluation.statistics.ratings import Figure, undefined
from evaluation.statistics.stratified import by_slice

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Coefficient = Callable[[Floats, Metric], Floats]

MOST = 30
"""The most slices. All others, and slices with fewer than `LEAST_IN_SLICE` questions, are one."""

ALL_THE_SAME = "all answers are the same"


def slices_of(selected: Selected) -> Ints | None:
    """Return each question's slice by the filters' key; None unless two have enough questions."""
    key = selected.filters.split
    known = [selected.data.of_question(place).get(key, "") for place in selected.questions]
    counts = Counter(filter(None, known))
    large = sorted(
        (one for one in counts if counts[one] >= LEAST_IN_SLICE), key=lambda x: (-counts[x], x)
    )
    places = {one: place for place, one in enumerate(large[:MOST])}
    if len(places) < 2:
        return None
    return np.array([places.get(one, len(places)) for one in known], dtype=np.int64)


def signed_within(selected: Selected) -> str:
    return f"within:{selected.filters.split}"


def within(
    selected: Selected, key: str, metric: Metric, sums: Floats, whole: Number, *of: Coefficient
) -> dict[str, Number]:
    """Return the number within slices, and how much higher the `whole` one is; empty without
    slices. `of` are the coefficients of each slice's sums, and of all sums."""
    slices, (inside, together) = slices_of(selected), of
    if slices is None:
        return {}

    def both(drawn: Floats) -> Floats:
        return np.column_stack([together(drawn.sum(axis=1), metric), inside(drawn, metric)])

    signature, parts = signed_within(selected), by_slice(sums, slices)
    _, found, excess = paired(selected, parts, both, whole["n"], whole["of"], signature)
    return {f"{key}_within": found, f"{key}_excess": excess}


def paired(
    selected: Selected,
    sums: Floats,
    two: Statistic,
    n: int,
    of: str,
    signature: str,
    least: float = -1,
) -> list[Number]:
    """Return two numbers from the sums by question, and the first minus the second."""

    def three(drawn: Floats) -> Floats:
        one, other = two(drawn).T
        return np.column_stack([one, other, one - other])

    def shown(value: float, place: int) -> Number:
        if not np.isfinite(value):
            return number(undefined(ALL_THE_SAME), n=n, of=of)
        bar, by = found[place], "t" if place == 2 else "z"
        interval = by_t(value, bar, some) if by == "t" else by_z(value, bar, some, least=least)
        signed = f"{signature}|interval:{by}"
        return number(Figure(value), n=n, of=of, bar=bar, interval=interval, signature=signed)

    some = int(np.count_nonzero(sums.reshape(len(sums), -1).any(axis=1)))
    found = bars(selected, of_sums(sums, three))
    values = three(sums.sum(axis=0)[None])[0].tolist()
    return [shown(value, place) for place, value in enumerate(values)]

"""Agreement within the slices that the questions are split by, beside that of all of them."""

from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.numbers import number
from evaluation.reports.sections.scores import bars
from evaluation.reports.selection import Selected
from evaluation.reports.shape.values import Number
from evaluation.statistics.alpha import Metric
from evaluation.statistics.error_bars import by_t, by_z, of_sums
from evaluation.statistics.ratings import Figure, undefined
from evaluation.statistics.stratified import by_slice

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Coefficient = Callable[[Floats, Metric], Floats]

LEAST = 10
"""Questions of a slice. Smaller slices, and questions without one, count as one slice: chance taken
from very few answers explains most of their disagreement."""

MOST = 30
SAME_WITHIN = "within each slice all answers are the same"


def slices_of(selected: Selected) -> Ints | None:
    """The slice of each question by the filters' key; None unless two have enough questions."""
    key = selected.filters.split
    known = [selected.data.of_question(place).get(key, "") for place in selected.questions]
    counts = Counter(known)
    large = sorted(
        (one for one in counts if one and counts[one] >= LEAST), key=lambda x: (-counts[x], x)
    )
    places = {one: place for place, one in enumerate(large[:MOST])}
    if len(places) < 2:
        return None
    return np.array([places.get(one, len(places)) for one in known], dtype=np.int64)


def signed_within(selected: Selected) -> str:
    return f"within:{selected.filters.split}"


def within(
    selected: Selected,
    key: str,
    metric: Metric,
    sums: Floats,
    pooled: Number,
    coefficients: tuple[Coefficient, Coefficient],
) -> dict[str, Number]:
    """The number within slices, and how much higher `pooled` is; nothing where questions have no
    slices. `sums` has what each question adds; of `coefficients` one takes sums of each slice, one
    takes those of all."""
    slices = slices_of(selected)
    if slices is None:
        return {}
    inside, together = coefficients
    parts = by_slice(sums, slices)

    def both(drawn: Floats) -> Floats:
        found = inside(drawn, metric)
        return np.column_stack([found, together(drawn.sum(axis=1), metric) - found])

    value, excess = both(parts.sum(axis=0)[None])[0]
    of_value, of_excess = bars(selected, of_sums(parts, both))
    questions = int(np.count_nonzero(parts.any(axis=tuple(range(1, parts.ndim)))))
    n, of, signature = pooled["n"], pooled["of"], signed_within(selected)

    def figure(one: float) -> Figure:
        return Figure(float(one)) if np.isfinite(one) else undefined(SAME_WITHIN)

    return {
        f"{key}_within": number(
            figure(value), n=n, of=of, bar=of_value,
            interval=by_z(figure(value).value, of_value, questions),
            signature=f"{signature}|interval:z",
        ),
        f"{key}_excess": number(
            figure(excess), n=n, of=of, bar=of_excess,
            interval=by_t(excess, of_excess, questions) if np.isfinite(excess) else None,
            signature=f"{signature}|difference|interval:t",
        ),
    }  # fmt: skip

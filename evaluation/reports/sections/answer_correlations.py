"""Does an automatic number order answers as people do: system by system, and all together?

One value for each response. Where few different values occur, what each question adds is a table of
them, so that a resample only adds tables up.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import number
from evaluation.reports.sections.scores import (
    AutomaticNumber,
    automatic_values,
    bars,
    people_values,
)
from evaluation.reports.selection import Selected
from evaluation.reports.shape.judges import Coefficients, InstanceCorrelation, InstanceRow
from evaluation.stats.correlation import (
    METHODS,
    correlation,
    kendalls_of_tables,
    moments,
    pearsons_of_moments,
    spearmans_of_tables,
)
from evaluation.stats.error_bars import ErrorBar, by_z, of_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CELLS = 4_000_000
"""Of value tables by question that may be held at a time: 32 MB."""

ALL = "all"
TOO_MANY = "too many different values to resample their order"


def over_answers(
    selected: Selected, item: ReportItem, column: AutomaticNumber
) -> InstanceCorrelation:
    """Of people's item with the judge's answers to it."""
    people = people_values(selected, item.key)
    automatic = automatic_values(selected, column.judge, column.key)
    _, ones, others = np.intersect1d(
        automatic.response, people.response, assume_unique=True, return_indices=True
    )
    uses = np.array([system.uses_autoais for system in selected.data.systems], dtype=bool)
    # Quotients of the same counts may differ in the last bit; as values they are the same.
    both = _Both(
        automatic.value[ones].round(9),
        people.value[others].round(9),
        people.response[others],
        people.question[others],
        people.system[others],
    )
    both = both.where(~uses[both.system])
    groups = {
        selected.data.systems[system].name: both.where(both.system == system)
        for system in selected.systems
        if not uses[system]
    }
    numbers = _numbers(selected, [*groups.values(), both])
    rows: list[InstanceRow] = [
        {"system": name, **each} for name, each in zip([*groups, ALL], numbers, strict=True)
    ]
    return {
        "people": item.key,
        "judge": selected.judge_id(column.judge),
        "key": column.key,
        "rows": rows,
    }


@dataclass(frozen=True, eq=False)
class _Both:
    """The values that the judge (x) and people (y) give the same responses."""

    x: Floats
    y: Floats
    response: Ints
    question: Ints
    system: Ints

    def where(self, kept: NDArray[np.bool_]) -> "_Both":
        return _Both(
            self.x[kept], self.y[kept], self.response[kept], self.question[kept], self.system[kept]
        )


def _numbers(selected: Selected, groups: list[_Both]) -> list[Coefficients]:
    """Pearson, Spearman and Kendall of each group of responses; the last group holds them all.

    Where few different values occur, the groups are resampled together.
    """
    xs, ys = np.unique(groups[-1].x), np.unique(groups[-1].y)
    most = CELLS // max(len(selected.questions), selected.filters.resamples)
    together = most // max(len(xs) * len(ys), 1)
    found: list[Coefficients] = []
    if together:
        for first in range(0, len(groups), together):
            found += _by_tables(selected, groups[first : first + together], xs, ys)
        return found
    for group in groups:
        xs, ys = np.unique(group.x), np.unique(group.y)
        if len(xs) * len(ys) <= most:
            found += _by_tables(selected, [group], xs, ys)
        else:
            rows = moments(group.x, group.y)
            summed = selected.per_question_of_responses(rows, group.response.tolist())
            found.append(_shown(group, bars(selected, of_sums(summed, pearsons_of_moments))))
    return found


def _by_tables(
    selected: Selected, groups: list[_Both], xs: Floats, ys: Floats
) -> list[Coefficients]:
    shape = (len(selected.questions), len(groups), len(xs), len(ys))
    tables = np.zeros(shape)
    for place, group in enumerate(groups):
        x, y = np.searchsorted(xs, group.x), np.searchsorted(ys, group.y)
        np.add.at(tables[:, place], (group.question, x, y), 1.0)
    each = bars(selected, of_sums(tables, _OfTables(xs, ys))) if tables.size else []
    return [_shown(group, each[3 * n : 3 * n + 3]) for n, group in enumerate(groups)]


def _shown(group: _Both, each: list[ErrorBar]) -> Coefficients:
    found = []
    n = len(group.x)
    for place, method in enumerate(METHODS):
        figure = correlation(group.x.tolist(), group.y.tolist(), method, things="responses")
        bar = each[place] if place < len(each) else None
        interval = by_z(figure.value, bar, len(np.unique(group.question))) if bar else None
        found.append(
            number(
                figure, n=n, of="responses", bar=bar, interval=interval,
                signature="interval:z" if bar else "",
            )
        )  # fmt: skip
        if bar is None and figure.value is not None:
            found[-1]["interval_reason"] = TOO_MANY
    pearson, spearman, kendall = found
    return {"pearson": pearson, "spearman": spearman, "kendall": kendall}


class _OfTables:
    """The three correlations of each of several tables, values of x × values of y: in each draw,
    those of the first group, of the second, and so on.

    Every cell stands for the responses that have its two values.
    """

    def __init__(self, xs: Floats, ys: Floats) -> None:
        x, y = np.meshgrid(xs, ys, indexing="ij")
        self._moments = moments(x.ravel(), y.ravel())

    def __call__(self, summed: Floats) -> Floats:
        tables = summed.reshape(-1, *summed.shape[2:])
        each = np.column_stack(
            [
                pearsons_of_moments(tables.reshape(len(tables), -1) @ self._moments),
                spearmans_of_tables(tables),
                kendalls_of_tables(tables),
            ]
        )
        return each.reshape(len(summed), -1)

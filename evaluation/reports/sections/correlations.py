"""Does an automatic number order systems, and answers, as people do?

Over systems: the means of people against the means of the judge, of what both speak about, and
against every measure of correctness where people judged attribution, recall or utility. Over
answers: one value for each response, system by system and all together.

Systems that use AutoAIS themselves are in no correlation. x is the automatic number, y people's.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.ratings import Figure
from evaluation.reports.charts.scatter import is_of_one_item, scatters
from evaluation.reports.items import Item
from evaluation.reports.numbers import number, rounded
from evaluation.reports.sections.scores import (
    Column,
    automatic_columns,
    automatic_values,
    bars,
    people_items,
    people_values,
    sums,
)
from evaluation.reports.sections.section import Charts, Panel, Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.correlations import (
    Coefficients,
    Correlations,
    InstanceCorrelation,
    InstanceRow,
    Point,
    SystemCorrelation,
)
from evaluation.reports.tables import correlations as tables
from evaluation.stats.correlation import (
    BY_METHOD,
    METHODS,
    correlation,
    kendalls_of_tables,
    line_of_fit,
    moments,
    pearsons_of_moments,
    spearmans_of_tables,
)
from evaluation.stats.error_bars import ErrorBar, of_sums
from evaluation.stats.means import means

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WITH_CORRECTNESS = frozenset({"attributable", "citation_recall", "utility"})
"""People's items that measures of correctness are set against."""

CORRECTNESS = frozenset(
    {
        "em_recall",
        "em_hit",
        "claim_recall",
        "qampari_precision",
        "qampari_recall",
        "qampari_recall_5",
        "qampari_f1",
        "qampari_f1_5",
        "exact_match",
        "token_f1",
        "rouge_lsum",
    }
)

CELLS = 4_000_000
"""Of value tables by question that may be held at a time: 32 MB."""

ALL = "all"
TOO_MANY = "too many different values to resample their order"


def correlations(selected: Selected) -> Correlations:
    """Over systems, and over the answers of each system."""
    return {
        "systems": [_systems(selected, *pair) for pair in _pairs(selected)],
        "instances": [
            _instances(selected, item, column)
            for item, column in _pairs(selected)
            if column.is_item
        ],
    }


def _pairs(selected: Selected) -> Iterator[tuple[Item, Column]]:
    """People's items, each with the automatic numbers that it is set against: first those of the
    same item."""
    columns = automatic_columns(selected)
    every = [(item, column) for item in people_items(selected) for column in columns]
    same = [(item, column) for item, column in every if column.is_item and column.key == item.key]
    correct = [
        (item, column)
        for item, column in every
        if not column.is_item and column.key in CORRECTNESS and item.key in WITH_CORRECTNESS
    ]
    for item, column in [*same, *correct]:
        if len(automatic_values(selected, column.judge, column.key).response):
            yield item, column


# Over systems ------------------------------------------------------------------------------------


def _systems(selected: Selected, item: Item, column: Column) -> SystemCorrelation:
    automatic = sums(automatic_values(selected, column.judge, column.key))
    people = sums(people_values(selected, item.key))
    both = np.stack([automatic, people], axis=2)
    has_both = (both[..., 1].sum(axis=0) > 0).all(axis=1)
    records = [selected.data.systems[system] for system in selected.systems]
    outlier = np.array([record.uses_autoais for record in records], dtype=bool)
    correlated = both[:, has_both & ~outlier]
    x, y = _means(correlated.sum(axis=0)).T
    judge = selected.judge_id(column.judge)
    each = bars(selected, of_sums(correlated, _of_means))
    pearson, spearman, kendall = (
        number(correlation(x, y, method), n=len(x), of="systems", bar=bar)
        for method, bar in zip(METHODS, each, strict=True)
    )
    line = line_of_fit(x, y)
    return {
        "id": f"{item.key}.{judge}.{column.key}",
        "people": item.key,
        "judge": judge,
        "key": column.key,
        "title": f"{item.title} and {_title(selected, column)}",
        "points": _points(selected, both, np.flatnonzero(has_both), outlier),
        "left_out": [record.name for record in records if record.uses_autoais],
        "pearson": pearson,
        "spearman": spearman,
        "kendall": kendall,
        "line": {
            "intercept": rounded(line.intercept),
            "slope": rounded(line.slope),
            "reason": line.reason,
        },
    }


def _title(selected: Selected, column: Column) -> str:
    judge = selected.data.judges[column.judge].title
    return judge if column.is_item else f"{column.title} ({judge})"


def _points(
    selected: Selected, both: Floats, columns: NDArray[np.intp], outlier: NDArray[np.bool_]
) -> list[Point]:
    """The systems that have both numbers. Of outliers, only those whose score may be shown."""
    shown = both[:, columns]
    figures = means(shown.sum(axis=0))
    counted = shown[..., 1].sum(axis=0)
    each = bars(selected, of_sums(shown, lambda some: means(some).reshape(len(some), -1)))
    points: list[Point] = []
    for place, column in enumerate(columns.tolist()):
        if outlier[column] and not selected.filters.outliers:
            continue
        x, y = (
            number(
                Figure(float(figures[place, side])),
                n=int(counted[place, side]),
                of="responses",
                bar=each[2 * place + side],
            )
            for side in (0, 1)
        )
        name = selected.data.systems[selected.systems[column]].name
        points.append({"system": name, "outlier": bool(outlier[column]), "x": x, "y": y})
    return points


def _of_means(summed: Floats) -> Floats:
    x, y = np.moveaxis(_means(summed), 2, 0)
    return np.column_stack([BY_METHOD[method](x, y) for method in METHODS])


def _means(summed: Floats) -> Floats:
    """Rounded, so that which of two equal systems comes first is not left to the last bit."""
    return means(summed).round(12)


# Over answers ------------------------------------------------------------------------------------


def _instances(selected: Selected, item: Item, column: Column) -> InstanceCorrelation:
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
        found.append(number(figure, n=n, of="responses", bar=bar))
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


SECTION = Section(
    key="correlations",
    shape=Correlations,
    build=correlations,
    panel=Panel(
        "correlations",
        "Correlation",
        40,
        "Nothing can be compared: that needs systems with numbers of both people and an automatic "
        "judge.",
    ),
    tables=tables.correlations,
    kinds=(
        Tables("correlations"),
        Tables("points", folded="The systems as points"),
        Tables("instances", folded="Answer by answer"),
    ),
    charts=(
        Charts(
            ("scatter",),
            scatters,
            gallery="Charts: people's answers and correctness",
            is_at_once=is_of_one_item,
        ),
    ),
)

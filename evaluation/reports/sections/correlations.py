"""Correlations: does an automatic number order systems, and answers, like people do?

Over systems: people's means against the judge's on the same item, and against each measure of
correctness if people judged answers or statements (`_is_of_quality`). Over answers: one value for
each response, by system and for all together.

Systems that use AutoAIS themselves are in no correlation. x is the automatic number, y people's.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.dimensions import UnitKind
from evaluation.judges import correctness
from evaluation.reports.charts.scatter import scatters
from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import number, rounded
from evaluation.reports.sections.one_more_rater import counted
from evaluation.reports.sections.scores import (
    AutomaticNumber,
    automatic_columns,
    automatic_values,
    bars,
    ends_of,
    mean_number,
    people_items,
    people_values,
    sums,
)
from evaluation.reports.sections.section import Charts, Panel, Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.judges import (
    Coefficients,
    Correlations,
    InstanceCorrelation,
    InstanceRow,
    Point,
    SystemCorrelation,
    SystemRanking,
)
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import judges as tables
from evaluation.statistics.attenuation import InvertedTest
from evaluation.statistics.correlation import (
    METHODS,
    correlation,
    kendalls_of_tables,
    line_of_fit,
    moments,
    pearsons_of_moments,
    spearmans_of_tables,
)
from evaluation.statistics.error_bars import ErrorBar, by_z, of_sums
from evaluation.statistics.means import means
from evaluation.statistics.pairwise_accuracy import NO_INTERVAL
from evaluation.statistics.ratings import Figure
from evaluation.statistics.system_order import (
    SystemOrder,
    drawn_means,
    means_of,
    outlying,
    system_order,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

DRAWN = "median-unbiased|interval:inverted|level:0.95|v:2"
DRAWN_TO_0 = "the chance of the questions draws it to 0; Pearson corrects that and has an interval"

CORRECTNESS = frozenset(metric.key for metric in correctness.METRICS if metric.kind == "share")
"""Measures of correctness, without length."""


def correlations(selected: Selected) -> Correlations:
    """Return correlations over systems, and over the answers of each system."""
    return {
        "systems": [
            _systems(selected, *pair, group)
            for pair in correlated_pairs(selected)
            for group in range(len(selected.groups))
            if len(selected.groups) == 1 or len(selected.groups[group]) > 1
        ],
        "instances": [
            over_answers(selected, item, column)
            for item, column in correlated_pairs(selected)
            if column.is_item
        ],
    }


def correlated_pairs(selected: Selected) -> Iterator[tuple[ReportItem, AutomaticNumber]]:
    """Yield pairs of people's items and automatic numbers, first those of the same item."""
    columns = automatic_columns(selected)
    every = [(item, column) for item in people_items(selected) for column in columns]
    same = [(item, column) for item, column in every if column.is_item and column.key == item.key]
    correct = [
        (item, column)
        for item, column in every
        if not column.is_item and column.key in CORRECTNESS and _is_of_quality(item)
    ]
    for item, column in [*same, *correct]:
        if len(automatic_values(selected, column.judge, column.key).response):
            yield item, column


def _is_of_quality(item: ReportItem) -> bool:
    """Whether measures of correctness are compared with it: an item about answers or statements
    that metrics also answer, or with degrees."""
    of_text = item.unit_kind in {UnitKind.RESPONSE, UnitKind.STATEMENT}
    return of_text and not item.is_derived and (item.of_metrics or item.is_likert)


def _both(
    selected: Selected, item: ReportItem, column: AutomaticNumber, group: int
) -> tuple[Floats, Flags, Flags]:
    """Return both numbers' sums by question, the group's systems with both, and the outliers."""
    automatic = sums(automatic_values(selected, column.judge, column.key))
    people = sums(people_values(selected, item.key))
    both = np.stack([automatic, people], axis=2)
    has_both = (both[..., 1].sum(axis=0) > 0).all(axis=1)
    has_both &= np.isin(np.arange(len(has_both)), selected.groups[group])
    records = [selected.data.systems[system] for system in selected.systems]
    return both, has_both, np.array([record.uses_autoais for record in records], dtype=bool)


def _systems(
    selected: Selected, item: ReportItem, column: AutomaticNumber, group: int
) -> SystemCorrelation:
    """Return the correlation over one group of systems, which share questions."""
    both, has_both, outlier = _both(selected, item, column, group)
    records = [selected.data.systems[system] for system in selected.systems]
    correlated = both[:, has_both & ~outlier]
    names = [records[place].name for place in np.flatnonzero(has_both & ~outlier)]
    x, y = means_of(correlated.sum(axis=0)).T
    judge = selected.judge_id(column.judge)
    draws = {"resamples": selected.filters.resamples, "seed": selected.seed}
    drawn = drawn_means(correlated, **draws)
    order = system_order(correlated, drawn, **draws)
    far = outlying(y)
    rest = None
    if far.any():
        rest = ranked(system_order(correlated[:, ~far], drawn[:, ~far], **draws))
    line = line_of_fit(x, y)
    return {
        "id": f"{item.key}.{judge}.{column.key}{f'.g{group + 1}' if group else ''}",
        "group": group + 1,
        "people": item.key,
        "judge": judge,
        "key": column.key,
        "title": f"{item.title} and {_title(selected, column)}{_of_group(selected, group)}",
        "points": _points(
            selected,
            both,
            np.flatnonzero(has_both),
            outlier,
            (ends_of(selected, column), item.ends),
        ),
        "left_out": [
            records[place].name for place in selected.groups[group] if records[place].uses_autoais
        ],
        **ranked(order),
        "of_means": _plain(order.of_means, len(x), DRAWN_TO_0),
        "other_systems": _estimated(order.pearson.others, len(x), "systems:normal|"),
        "reliability": {
            "x": rounded(order.pearson.reliability[0].value),
            "y": rounded(order.pearson.reliability[1].value),
        },
        "spearman": _plain(correlation(x, y, "spearman"), len(x)),
        "kendall": _plain(correlation(x, y, "kendall"), len(x)),
        "outlying": [name for name, is_far in zip(names, far, strict=True) if is_far],
        "without_outlying": rest,
        "line": {
            "intercept": rounded(line.intercept),
            "slope": rounded(line.slope),
            "reason": line.reason,
        },
    }


def ranked(order: SystemOrder) -> SystemRanking:
    """Return the order of some systems, as JSON."""
    n = order.systems
    soft = number(
        order.soft, n=n, of="systems", interval=order.soft_interval, signature="interval:z"
    )
    return {
        "pearson": _estimated(order.pearson.these, n),
        "soft_accuracy": soft,
        "pairwise_accuracy": _plain(order.accuracy, n),
        "chance": rounded(order.chance.value),
        "chance_of_better": rounded(order.chance_of_better.value),
        "chance_within": rounded(order.chance_within.value),
        "warning": order.pearson.warning,
    }


def _estimated(found: InvertedTest, n: int, signature: str = "") -> Number:
    return number(
        found.figure, n=n, of="systems", interval=found.interval, signature=signature + DRAWN
    )


def _plain(figure: Figure, n: int, reason: str = NO_INTERVAL) -> Number:
    """Return a number that describes these means and has no interval."""
    found = number(figure, n=n, of="systems")
    return found if figure.value is None else {**found, "interval_reason": reason}


def _of_group(selected: Selected, group: int) -> str:
    return f", group {group + 1} of systems" if len(selected.groups) > 1 else ""


def _title(selected: Selected, column: AutomaticNumber) -> str:
    judge = selected.data.judges[column.judge].title
    return judge if column.is_item else f"{column.title} ({judge})"


def _points(
    selected: Selected,
    both: Floats,
    columns: NDArray[np.intp],
    outlier: NDArray[np.bool_],
    ends: tuple[tuple[float, float] | None, ...],
) -> list[Point]:
    """Return the systems with both numbers, as in the table of systems. Outliers are included only
    if their score may be shown."""
    shown = both[:, columns]
    figures = means(shown.sum(axis=0))
    counted, asked = shown[..., 1].sum(axis=0), np.count_nonzero(shown[..., 1], axis=0)
    each = bars(selected, of_sums(shown, lambda some: means(some).reshape(len(some), -1)))
    points: list[Point] = []
    for place, column in enumerate(columns.tolist()):
        if outlier[column] and not selected.filters.outliers:
            continue
        x, y = (
            mean_number(
                Figure(float(figures[place, side])),
                int(counted[place, side]),
                each[2 * place + side],
                int(asked[place, side]),
                ends[side],
            )
            for side in (0, 1)
        )
        name = selected.data.systems[selected.systems[column]].name
        points.append({"system": name, "outlier": bool(outlier[column]), "x": x, "y": y})
    return points


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
        ("correlation",),
    ),
    tables=tables.correlations,
    kinds=(
        Tables("correlations"),
        Tables("points", folded="The systems as points"),
        Tables("instances", folded="Answer by answer"),
    ),
    charts=(Charts(("scatter",), scatters),),
)


# Over answers -------------------------------------------------------------------------------------
#
# One value for each response. With few different values, each question has a table of them, and a
# resample only adds tables up.

Ints = NDArray[np.int64]

CELLS = 4_000_000
"""Cells of value tables by question in memory at a time: 32 MB."""

ALL = "all"
TOO_MANY = "too many different values to resample their order"


def over_answers(
    selected: Selected, item: ReportItem, column: AutomaticNumber
) -> InstanceCorrelation:
    """Correlate people's item with the judge's answers to it."""
    people = people_values(selected, item.key)
    automatic = automatic_values(selected, column.judge, column.key)
    _, ones, others = np.intersect1d(
        automatic.response, people.response, assume_unique=True, return_indices=True
    )
    uses = np.array([system.uses_autoais for system in selected.data.systems], dtype=bool)
    # Quotients of the same counts may differ in the last bit; they must count as equal.
    both = _PairedValues(
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
class _PairedValues:
    """The values of the judge (x) and people (y) for the same responses."""

    x: Floats
    y: Floats
    response: Ints
    question: Ints
    system: Ints

    def where(self, kept: NDArray[np.bool_]) -> "_PairedValues":
        return _PairedValues(
            self.x[kept], self.y[kept], self.response[kept], self.question[kept], self.system[kept]
        )


def _numbers(selected: Selected, groups: list[_PairedValues]) -> list[Coefficients]:
    """Return Pearson, Spearman and Kendall of each group of responses; the last group has all.

    With few different values, the groups are resampled together.
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
    selected: Selected, groups: list[_PairedValues], xs: Floats, ys: Floats
) -> list[Coefficients]:
    shape = (len(xs), len(ys))
    tables = np.zeros((len(selected.questions), len(groups), *shape))
    for place, group in enumerate(groups):
        x, y = np.searchsorted(xs, group.x), np.searchsorted(ys, group.y)
        tables[:, place] = counted([group.question, x, y], shape, selected)
    each = bars(selected, of_sums(tables, _TableCorrelations(xs, ys))) if tables.size else []
    return [_shown(group, each[3 * n : 3 * n + 3]) for n, group in enumerate(groups)]


def _shown(group: _PairedValues, each: list[ErrorBar]) -> Coefficients:
    found = []
    n, questions = len(group.x), int(np.count_nonzero(np.bincount(group.question)))
    for place, method in enumerate(METHODS):
        figure = correlation(group.x.tolist(), group.y.tolist(), method, things="responses")
        bar = each[place] if place < len(each) else None
        interval = by_z(figure.value, bar, questions) if bar else None
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


class _TableCorrelations:
    """The three correlations of several tables, values of x × values of y, by draw and group.

    A cell counts the responses with its two values.
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

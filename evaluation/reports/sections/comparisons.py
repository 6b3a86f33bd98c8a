"""Differences between systems on the questions that both answered, by column of their table."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import number, rounded
from evaluation.reports.sections.people import coded_of
from evaluation.reports.sections.scores import (
    PerResponse,
    automatic_columns,
    automatic_values,
    by_question,
    people_items,
    people_values,
    sums,
)
from evaluation.reports.sections.section import Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.systems import (
    ColumnComparisons,
    ComparedColumn,
    ComparedPair,
    RankedSystem,
)
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import systems as tables
from evaluation.statistics.comparison import Ranked, SystemComparison, compare_columns, ranked
from evaluation.statistics.means import means
from evaluation.statistics.rater_mix import Adjusted, adjusted
from evaluation.statistics.ratings import Figure

MOST_WITH_JUDGES = 40
"""With more systems, automatic columns are not compared."""

MOST_SYSTEMS = 100
"""With more, nothing is compared: nobody reads five thousand pairs."""


def comparisons(selected: Selected) -> list[ColumnComparisons]:
    """Return, for each column, every two systems with a number there."""
    found: list[ColumnComparisons] = []
    for column, values in _columns(selected):
        is_people = column["kind"] == "people"
        by_raters = _by_raters(selected, selected.known[column["key"]]) if is_people else {}
        pairs, ranks = _pairs(selected, values, by_raters)
        if pairs:
            found.append({"column": column, "pairs": pairs, "ranks": ranks})
    return found


def _columns(selected: Selected) -> Iterator[tuple[ComparedColumn, PerResponse]]:
    """Yield items of people and of automatic judges; measures are not compared."""
    if len(selected.systems) > MOST_SYSTEMS:
        return
    for item in people_items(selected):
        yield (
            {"kind": "people", "judge": None, "key": item.key, "title": item.title},
            people_values(selected, item.key),
        )
    if len(selected.systems) > MOST_WITH_JUDGES:
        return
    for one in automatic_columns(selected):
        if one.is_item:
            judge = selected.judge_id(one.judge)
            yield (
                {"kind": "automatic", "judge": judge, "key": one.key, "title": one.title},
                automatic_values(selected, one.judge, one.key),
            )


def _by_raters(selected: Selected, item: ReportItem) -> Mapping[tuple[str, str], Adjusted]:
    """Return differences of systems with different raters, adjusted for strict and lenient ones."""
    if not item.is_choice or item.weights or selected.counts_labels(item):
        return {}
    ratings = coded_of(selected, item)
    units = np.array(ratings.units, dtype=np.int64)
    worth = np.array([item.worth(value) for value in item.values])
    unit = units[ratings.unit]
    response = selected.unit_response[unit]
    in_response = np.bincount(selected.unit_response[units], minlength=len(selected.data.responses))
    places = np.full(len(selected.data.systems), -1)
    places[list(selected.systems)] = np.arange(len(selected.systems))
    found = adjusted(
        worth[ratings.code],
        1 / (ratings.per_unit[ratings.unit] * in_response[response]),
        selected.unit_question[unit],
        places[selected.unit_system[unit]],
        ratings.judge,
    )
    names = [selected.data.systems[system].name for system in selected.systems]
    return {(names[one], names[other]): of for (one, other), of in found.items()}


def _pairs(
    selected: Selected, values: PerResponse, by_raters: Mapping[tuple[str, str], Adjusted]
) -> tuple[list[ComparedPair], list[RankedSystem]]:
    table = by_question(values)
    known = {int(system) for system in values.system}
    places = [place for place, system in enumerate(values.systems) if system in known]
    names = [selected.data.systems[values.systems[place]].name for place in places]
    compared = compare_columns(names, table[:, places])
    group = _groups(selected)
    inside = [one for one in compared if group[one.one] == group[one.other]]
    mean = dict(zip(names, means(sums(values).sum(axis=0))[places].tolist(), strict=True))
    order = sorted(names, key=lambda name: (-mean[name], name))
    ranks: list[RankedSystem] = []
    for each in range(len(selected.groups)):
        some = [name for name in order if group[name] == each]
        own = [one for one in inside if group[one.one] == each]
        ranks += [_rank(one) for one in ranked(some, [_surely(one, by_raters) for one in own])]
    return [_pair(one, by_raters) for one in inside], ranks


def _surely(
    pair: SystemComparison, by_raters: Mapping[tuple[str, str], Adjusted]
) -> SystemComparison:
    """Return the comparison without significance if it depends on who rated."""
    one = by_raters.get((pair.one, pair.other))
    return replace(pair, t_p_holm=Figure(1.0)) if one and one.decides(pair) else pair


def _rank(one: Ranked) -> RankedSystem:
    return {"system": one.system, "first": one.first, "last": one.last, "letters": one.letters}


def _groups(selected: Selected) -> dict[str, int]:
    """Return each system's group: systems of two groups share no question."""
    return {
        selected.data.systems[selected.systems[place]].name: number
        for number, group in enumerate(selected.groups)
        for place in group
    }


def _pair(pair: SystemComparison, by_raters: Mapping[tuple[str, str], Adjusted]) -> ComparedPair:
    made: ComparedPair = {
        "one": pair.one,
        "other": pair.other,
        "questions": pair.questions,
        "difference": _difference(pair),
        "t": rounded(pair.t.value),
        "t_p": rounded(pair.t_p.value),
        "t_p_holm": rounded(pair.t_p_holm.value),
        "detectable": rounded(pair.detectable.value),
        "reason": pair.difference.reason or pair.t.reason,
        "signature": pair.signature,
    }
    if one := by_raters.get((pair.one, pair.other)):
        made["adjusted"] = number(
            one.difference,
            n=pair.questions,
            of="questions",
            error=one.error,
            interval=one.interval,
            signature="raters|fixed|least-squares|sandwich|level:0.95|v:1",
        )
        made["adjusted_p_holm"] = rounded(one.p.value)
        made["depends_on_raters"] = one.decides(pair)
    return made


def _difference(pair: SystemComparison) -> Number:
    return number(
        pair.difference,
        n=pair.questions,
        of="questions",
        error=pair.standard_error,
        interval=pair.interval,
        signature=pair.signature,
    )


SECTION = Section(
    key="comparisons",
    shape=list[ColumnComparisons],
    build=comparisons,
    panel="systems",
    order=3,
    tables=tables.comparisons,
    kinds=(Tables("comparisons", folded="Between systems, two by two"),),
)

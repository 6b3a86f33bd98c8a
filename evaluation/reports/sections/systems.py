"""The systems: each one's numbers by people and judges, with error bars, and over runs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.reports.charts.systems import leading_systems, systems_charts
from evaluation.reports.data import same_series
from evaluation.reports.numbers import rounded
from evaluation.reports.sections.rated_part import rated_against_rest
from evaluation.reports.sections.scores import (
    AutomaticNumber,
    PerResponse,
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
from evaluation.reports.shape.systems import OverRuns, RatingsRow, Series, Systems
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import systems as tables
from evaluation.statistics.error_bars import of_sums
from evaluation.statistics.means import means, over_runs
from evaluation.statistics.ratings import Figure, undefined

USES_AUTOAIS = "the system uses AutoAIS"
NOT_RATED = "nothing was rated"
NOT_JUDGED = "nothing was judged"


@dataclass(frozen=True)
class ColumnNumbers:
    """The values of a column of the table."""

    key: str
    """Its key in `over_runs`."""

    values: PerResponse
    signature: str
    reason: str
    """Why a system has no number."""

    ends: tuple[float, float] | None = None
    """The ends of a response's value; None if it has no upper end."""

    is_item: bool = True


def systems(selected: Selected) -> Systems:
    """Return a row for each system, in the order of names."""
    items, columns = people_items(selected), automatic_columns(selected)
    people = [people_numbers(selected, item.key) for item in items]
    automatic = [
        ColumnNumbers(
            f"{selected.judge_id(column.judge)}/{column.key}",
            automatic_values(selected, column.judge, column.key),
            _judge_signature(selected, column),
            NOT_JUDGED,
            ends_of(selected, column),
            column.is_item,
        )
        for column in columns
    ]
    every = [*people, *automatic, _fine_grained(selected)]
    found = cells(selected, every)
    runs, titles = _runs(selected), _titles(selected)
    response = [np.zeros(0, dtype=np.int64), *(one.values.response for one in people)]
    rated = selected.data.responses.system[np.unique(np.concatenate(response))]
    told: Systems = {
        "groups": [
            [selected.data.systems[selected.systems[place]].name for place in group]
            for group in selected.groups
        ],
        "people": [item.key for item in items],
        "automatic": [
            {
                "judge": selected.judge_id(column.judge),
                "key": column.key,
                "title": column.title,
            }
            for column in columns
        ],
        "rows": [
            {
                "system": selected.data.systems[system].name,
                "title": titles[system],
                "uses_autoais": selected.data.systems[system].uses_autoais,
                "responses": int(
                    np.count_nonzero(selected.data.responses.system[selected.responses] == system)
                ),
                "rated": int(np.count_nonzero(rated == system)),
                "runs": runs[system],
                "people": {item.key: cell for item, cell in zip(items, row, strict=False)},
                "automatic": {
                    one.key: cell for one, cell in zip(automatic, row[len(items) :], strict=False)
                },
                "over_runs": _over_runs(selected, {system: runs[system]}, [*people, *automatic]),
                "fine_grained": row[-1],
            }
            for system, row in zip(selected.systems, found, strict=True)
        ],
    }
    if sample := {i.key: text for i in items if (text := rated_against_rest(selected, i))}:
        told["sample"] = sample
    if series := _series(selected, runs, [*people, *automatic]):
        told["series"] = series
    return told


def _titles(selected: Selected) -> dict[int, str]:
    """Return each system's title, with its name if several have the same."""
    records = {system: selected.data.systems[system] for system in selected.systems}
    often = Counter(record.title for record in records.values())
    return {
        system: record.title if often[record.title] == 1 else f"{record.title} ({record.name})"
        for system, record in records.items()
    }


def people_numbers(selected: Selected, key: str, *, by_label: bool = False) -> ColumnNumbers:
    """Return people's column of an item."""
    item = selected.known[key]
    made_of_labels = by_label and not item.is_mean
    signature = selected.label_name() if made_of_labels else selected.number_name(item)
    values = people_values(selected, key, by_label=by_label)
    signed = selected.signed(key, signature)
    return ColumnNumbers(f"people/{key}", values, signed, NOT_RATED, item.ends)


def _judge_signature(selected: Selected, column: AutomaticNumber) -> str:
    name = selected.data.judges[column.judge].name
    return selected.signed(column.key, name) if column.is_item else name


def cells(selected: Selected, every: list[ColumnNumbers]) -> list[list[Number]]:
    """Return the numbers of each system, with error bars from the same draws."""
    summed = np.stack([sums(one.values) for one in every], axis=2)  # questions, systems, columns, 2
    totals = summed.sum(axis=0)
    found = iter(bars(selected, of_sums(summed, _flat_means)))
    rows = []
    for place, system in enumerate(selected.systems):
        row = []
        for column, one in enumerate(every):
            total, count = totals[place, column]
            figure = Figure(float(total / count)) if count else _nothing(selected, system, one)
            questions = int(np.count_nonzero(summed[:, place, column, 1]))
            bar = next(found)
            row.append(mean_number(figure, int(count), bar, questions, one.ends, one.signature))
        rows.append(row)
    return rows


def _flat_means(drawn: Any) -> Any:
    return means(drawn).reshape(len(drawn), -1)


def _nothing(selected: Selected, system: int, one: ColumnNumbers) -> Figure:
    hidden = selected.data.systems[system].uses_autoais and not selected.filters.outliers
    return undefined(
        USES_AUTOAIS if hidden and one.reason == NOT_JUDGED and one.is_item else one.reason
    )


def _fine_grained(selected: Selected) -> ColumnNumbers:
    """Return the share of responses with a citation within a sentence."""
    chosen = selected.responses
    values = PerResponse(
        chosen.astype(np.int64),
        selected.data.responses.system[chosen].astype(np.int64),
        selected.response_question[chosen].astype(np.int64),
        selected.data.responses.positional[chosen].astype(float),
        tuple(selected.systems),
        len(selected.questions),
    )
    return ColumnNumbers("fine_grained", values, "positional citations", "no response", (0.0, 1.0))


# Over runs ---------------------------------------------------------------------------------------


def _runs(selected: Selected) -> dict[int, list[str]]:
    """Return the names of each system's runs."""
    found: dict[int, set[str]] = {system: set() for system in selected.systems}
    system_of = selected.data.responses.system
    for response in selected.responses.tolist():
        found[int(system_of[response])].add(selected.data.responses.run[response])
    return {system: sorted(names) for system, names in found.items()}


def _series(
    selected: Selected, runs: Mapping[int, Sequence[str]], every: list[ColumnNumbers]
) -> list[Series]:
    """Return systems that differ only in their seeds, with their runs together."""
    known = {system: selected.data.systems[system].series for system in selected.systems}
    return [
        {
            "systems": [selected.data.systems[system].name for system in some],
            "over_runs": _over_runs(selected, {system: runs[system] for system in some}, every),
        }
        for some in same_series(known)
    ]


def _over_runs(
    selected: Selected, runs: Mapping[int, Sequence[str]], every: list[ColumnNumbers]
) -> dict[str, OverRuns]:
    """Return mean and standard deviation over the runs of systems, if there are several."""
    keys = [(system, run) for system, names in runs.items() for run in names]
    if len(keys) < 2:
        return {}
    found: dict[str, OverRuns] = {}
    for one in every:
        own = one.values.where(np.isin(one.values.system, list(runs)))
        by_run: dict[tuple[int, str], list[float]] = {key: [] for key in keys}
        rows = zip(own.system.tolist(), own.response.tolist(), own.value.tolist(), strict=True)
        for system, response, value in rows:
            by_run[system, selected.data.responses.run[response]].append(value)
        figures = [
            Figure(float(np.mean(some))) if some else _nothing(selected, system, one)
            for (system, _), some in by_run.items()
        ]
        over = over_runs(figures)
        found[one.key] = {
            "runs": over.runs,
            "mean": rounded(over.mean.value),
            "sd": rounded(over.deviation.value),
            "reason": over.deviation.reason,
        }
    return found


SECTION = Section(
    key="systems",
    shape=Systems,
    build=systems,
    panel=Panel(
        "systems",
        "Systems",
        10,
        "No system has a response under these filters.",
        ("groups", "systems", "raters"),
    ),
    tables=tables.systems,
    kinds=(Tables("systems"), Tables("runs")),
    charts=(
        Charts(("systems",), systems_charts),
        Charts(("leading",), leading_systems),
    ),
)


# Ratings of each system ---------------------------------------------------------------------------


def ratings(selected: Selected) -> list[RatingsRow]:
    """Return a row for each item and system."""
    items = people_items(selected)
    labelled = [people_numbers(selected, item.key, by_label=True) for item in items]
    numbers = cells(selected, labelled) if labelled else []
    found: list[RatingsRow] = []
    for place, item in enumerate(items):
        if item.is_derived:
            votes = selected.votes(item.key)
            units = np.fromiter(votes, dtype=np.int64, count=len(votes))
            times = np.fromiter(map(len, votes.values()), dtype=np.int64, count=len(votes))
        else:
            units, times = np.unique(selected.columns(item.key).unit, return_counts=True)
        system, response = selected.unit_system[units], selected.unit_response[units]
        for one, row in zip(selected.systems, numbers, strict=True):
            own = system == one
            made: RatingsRow = {
                "item": item.key,
                "system": selected.data.systems[one].name,
                "responses": len(np.unique(response[own])),
                "units": int(np.count_nonzero(own)),
                "ratings": int(times[own].sum()),
            }
            if not item.is_mean:
                made["by_label"] = row[place]
            found.append(made)
    return found


RATINGS = Section(
    key="ratings",
    shape=list[RatingsRow],
    build=ratings,
    panel="systems",
    order=5,
    tables=tables.ratings,
    kinds=(Tables("ratings", folded="Ratings of each system"),),
)

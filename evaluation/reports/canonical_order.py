"""The canonical order of a study's data, made of names and numbers that people see.

Two databases with the same study give the same data. The order in which rows were written does not
matter.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.data import Columns, Ints, Judgments, ReportData, Units, places_of_values
from evaluation.statistics.votes import values_of

Order = NDArray[np.intp]
Rows = TypeVar("Rows", bound=Columns)

_NUMBERS = re.compile(r"(vs|[sagck])([0-9]+)")
_LAST = 2**31 - 1


@lru_cache(maxsize=100_000)
def place_of(key: str) -> tuple[int, int, int, int]:
    """Return a unit's position in its response: numbers of the statement, the claim (of people or
    the parser) and the citation. Claims of the reference follow, then pairs."""
    numbers = {letter: int(number) for letter, number in _NUMBERS.findall(key)}
    if "k" in numbers or "vs" in numbers:
        return _LAST, int("vs" in numbers), numbers.get("k", 0), numbers.get("vs", 0)
    return numbers.get("s", 0), numbers.get("g", 0), numbers.get("a", 0), numbers.get("c", 0)


def canonical(data: ReportData) -> ReportData:
    """Return the data in canonical order, without systems, questions, judges, reasons and names of
    measures that no row refers to."""
    responses, judgments, measures = data.responses, data.judgments, data.measures
    systems, to_system = _listed([s.name for s in data.systems], [responses.system])
    questions, to_question = _listed(data.questions, [responses.question])
    judges, to_judge = _listed(
        [judge.name for judge in data.judges],
        [given.judge for given in (judgments, data.unfinished, measures, data.flags, data.tasks)],
    )
    reasons, to_reason = _listed(data.reasons, [judgments.reason, measures.reason])
    names, to_name = _listed(data.measure_names, [measures.name])
    batches, to_batch = _listed([batch.name for batch in data.batches], [], every=True)

    system, question = to_system[responses.system], to_question[responses.question]
    order = np.lexsort((_ranks(responses.run), question, system))
    to_response = _inverse(order)
    units, to_unit = _units(data.units, to_response)
    judgments, said = _said(data)
    to = {
        "unit": to_unit,
        "judge": to_judge,
        "response": to_response,
        "other": to_response,
        "reason": to_reason,
        "name": to_name,
        "batch": to_batch,
    }
    return replace(
        data,
        systems=tuple(data.systems[place] for place in systems),
        questions=tuple(data.questions[place] for place in questions),
        facets=_facets(data, questions),
        judges=tuple(data.judges[place] for place in judges),
        batches=tuple(data.batches[place] for place in batches),
        reasons=tuple(data.reasons[place] for place in reasons),
        measure_names=tuple(data.measure_names[place] for place in names),
        responses=_taken(replace(responses, system=system, question=question), order),
        units=units,
        said=said,
        judgments=_ordered(judgments, to, "dimension", "unit", "judge"),
        unfinished=_ordered(data.unfinished, to, "dimension", "unit", "judge"),
        measures=_ordered(measures, to, "judge", "name", "response"),
        flags=_ordered(data.flags, to, "unit", "judge"),
        lengths=_ordered(data.lengths, to, "unit", "passage"),
        items=_ordered(data.items, to, "batch", "unit"),
        tasks=_ordered(data.tasks, to, "batch", "judge", "unit"),
        trained_on=_ordered(data.trained_on, to, "judge", "unit"),
        pairs=_ordered(data.pairs, to, "unit"),
        sides=_ordered(data.sides, to, "unit", "judge"),
    )


def _facets(data: ReportData, questions: Sequence[int]) -> tuple[Mapping[str, str], ...]:
    found = tuple(data.of_question(place) for place in questions)
    return found if any(found) else ()


def _units(given: Units, to_response: Ints) -> tuple[Units, Ints]:
    """Return the units sorted by response and key, and the new place of each given unit."""
    response = to_response[given.response]
    places = np.array([place_of(key) for key in given.key], dtype=np.int32).reshape(-1, 4)
    order = np.lexsort((*places.T[::-1], response))
    to_unit = _inverse(order)
    return _taken(replace(given, response=response, parent=to_unit[given.parent]), order), to_unit


def _said(data: ReportData) -> tuple[Judgments, dict[str, tuple[str, ...]]]:
    """Return the judgments with open answers numbered in canonical order, and these answers."""
    judgments, said = data.judgments, dict[str, tuple[str, ...]]()
    value = judgments.value.copy() if data.said else judgments.value
    for key in sorted(data.said, key=data.protocol.order.__getitem__):
        rows = judgments.dimension == data.protocol.order[key]
        known = data.said[key]
        given = {known[place] for place in np.unique(value[rows]).tolist() if place >= 0}
        values = values_of(data.protocol[key], given)
        value[rows] = places_of_values(known, values)[value[rows]]
        if values:
            said[key] = values
    return replace(judgments, value=value), said


def _ordered(rows: Rows, to: Mapping[str, Ints], *by: str) -> Rows:
    """Return the rows with new places of all that they refer to, sorted by some columns, without
    rows of judges that the data do not list."""
    named = {name: column for name, column in _columns(rows) if name in to}
    new = {
        name: to[name][column] for name, column in named.items() if not isinstance(column, tuple)
    }
    rows = replace(rows, **new)
    order = np.lexsort([getattr(rows, name) for name in reversed(by)])
    if "judge" in new:
        order = order[new["judge"][order] >= 0]
    return _taken(rows, order)


def _taken(rows: Rows, order: Order) -> Rows:
    """Return the rows in another order."""
    taken = {
        name: tuple(column[place] for place in order.tolist())
        if isinstance(column, tuple)
        else column[order]
        for name, column in _columns(rows)
    }
    return replace(rows, **taken)


def _columns(rows: Columns) -> list[tuple[str, Any]]:
    return [(field.name, getattr(rows, field.name)) for field in fields(rows)]


# Orders, and the new place of each old one --------------------------------------------------------


def _listed(
    names: Sequence[str], columns: Iterable[Ints], *, every: bool = False
) -> tuple[list[int], Ints]:
    """Return the old places in their new order, and the new place of each (-1 stays -1)."""
    used = np.full(len(names), every)
    for column in columns:
        used[column[column >= 0]] = True
    order = sorted(np.flatnonzero(used).tolist(), key=lambda place: names[place])
    new = np.full(len(names) + 1, -1, dtype=np.int32)
    new[order] = np.arange(len(order), dtype=np.int32)
    return order, new


def _inverse(order: Order) -> Ints:
    """Return the new place of each old one; the last entry keeps -1 as -1."""
    new = np.full(len(order) + 1, -1, dtype=np.int32)
    new[order] = np.arange(len(order), dtype=np.int32)
    return new


def _ranks(texts: Sequence[str]) -> Ints:
    rank = {text: place for place, text in enumerate(sorted(set(texts)))}
    return np.array([rank[text] for text in texts], dtype=np.int32)

"""The one order of a study's data, made of names and numbers that people see.

Two databases that hold the same study give the same data to the last row, however and when their
rows were written.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evaluation.numbers.votes import values_of
from evaluation.reports.data import (
    BatchItems,
    Flags,
    Ints,
    Judgments,
    Lengths,
    Measures,
    Pairs,
    ReportData,
    Responses,
    Sides,
    Tasks,
    TrainedUnits,
    UnfinishedAnswers,
    Units,
)
from evaluation.reports.said import places_of_values

Order = NDArray[np.intp]

_NUMBERS = re.compile(r"(vs|[sagck])([0-9]+)")


_LAST = 2**31 - 1


@lru_cache(maxsize=100_000)
def place_of(key: str) -> tuple[int, int, int, int]:
    """Where a unit stands in its response: statement, claim of the parser's or of people, and
    citation, by their numbers; after all of them claims of the reference, then pairs."""
    numbers = {letter: int(number) for letter, number in _NUMBERS.findall(key)}
    if "k" in numbers or "vs" in numbers:
        return _LAST, int("vs" in numbers), numbers.get("k", 0), numbers.get("vs", 0)
    return numbers.get("s", 0), numbers.get("g", 0), numbers.get("a", 0), numbers.get("c", 0)


def canonical(data: ReportData) -> ReportData:
    """The same data in the one order. Systems, questions, judges, reasons and names of measures
    that no row is about are left out; so everything that is listed occurs."""
    responses, units, judgments, measures = (
        data.responses, data.units, data.judgments, data.measures,
    )  # fmt: skip
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
    some = [data.judges[place] for place in judges]
    found = replace(
        data,
        systems=tuple(data.systems[place] for place in systems),
        questions=tuple(data.questions[place] for place in questions),
        facets=_facets(data, questions),
        judges=tuple(some),
        batches=tuple(data.batches[place] for place in batches),
        reasons=tuple(data.reasons[place] for place in reasons),
        measure_names=tuple(data.measure_names[place] for place in names),
        responses=_responses(responses, system, question, order),
    )

    ordered, to_unit = _units(units, to_response)
    judgments, said = _said(data)
    return replace(
        found,
        units=ordered,
        said=said,
        judgments=_judgments(judgments, to_unit, to_judge, to_reason),
        unfinished=_unfinished(data.unfinished, to_unit, to_judge),
        measures=_measures(measures, to_judge, to_name, to_response, to_reason),
        flags=_flags(data.flags, to_unit, to_judge),
        lengths=_lengths(data.lengths, to_unit),
        items=_items(data.items, to_batch, to_unit),
        tasks=_tasks(data.tasks, to_batch, to_judge, to_unit),
        trained_on=_trained_on(data.trained_on, to_judge, to_unit),
        pairs=_pairs(data.pairs, to_unit, to_response),
        sides=_sides(data.sides, to_unit, to_judge),
    )


def _facets(data: ReportData, questions: Sequence[int]) -> tuple[Mapping[str, str], ...]:
    found = tuple(data.of_question(place) for place in questions)
    return found if any(found) else ()


def _responses(given: Responses, system: Ints, question: Ints, order: Order) -> Responses:
    return Responses(
        system=system[order],
        question=question[order],
        run=_taken(given.run, order),
        positional=given.positional[order],
        statements=given.statements[order],
        citations=given.citations[order],
        uncited=given.uncited[order],
        out_of_range=given.out_of_range[order],
    )


def _units(given: Units, to_response: Ints) -> tuple[Units, Ints]:
    """The units by response and key, and where each of the given ones stands now."""
    response = to_response[given.response]
    places = np.array([place_of(key) for key in given.key], dtype=np.int32).reshape(-1, 4)
    order = np.lexsort((*places.T[::-1], response))
    to_unit = _inverse(order)
    units = Units(
        response=response[order],
        kind=given.kind[order],
        parent=to_unit[given.parent[order]],
        in_range=given.in_range[order],
        number=given.number[order],
        key=_taken(given.key, order),
    )
    return units, to_unit


def _said(data: ReportData) -> tuple[Judgments, dict[str, tuple[str, ...]]]:
    """The judgments with the places of what was said in its one order, and what was said."""
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


def _judgments(given: Judgments, to_unit: Ints, to_judge: Ints, to_reason: Ints) -> Judgments:
    unit, judge = to_unit[given.unit], to_judge[given.judge]
    order = np.lexsort((judge, unit, given.dimension))
    return Judgments(
        dimension=given.dimension[order],
        unit=unit[order],
        judge=judge[order],
        value=given.value[order],
        score=given.score[order],
        reason=to_reason[given.reason[order]],
        guidelines=given.guidelines[order],
        overruled=given.overruled[order],
    )


def _unfinished(given: UnfinishedAnswers, to_unit: Ints, to_judge: Ints) -> UnfinishedAnswers:
    unit, judge = to_unit[given.unit], to_judge[given.judge]
    order = np.lexsort((judge, unit, given.dimension))
    return UnfinishedAnswers(dimension=given.dimension[order], unit=unit[order], judge=judge[order])


def _measures(
    given: Measures, to_judge: Ints, to_name: Ints, to_response: Ints, to_reason: Ints
) -> Measures:
    judge, name, response = to_judge[given.judge], to_name[given.name], to_response[given.response]
    order = np.lexsort((response, name, judge))
    return Measures(
        judge=judge[order],
        response=response[order],
        name=name[order],
        value=given.value[order],
        reason=to_reason[given.reason[order]],
    )


def _flags(given: Flags, to_unit: Ints, to_judge: Ints) -> Flags:
    unit, judge = to_unit[given.unit], to_judge[given.judge]
    order = np.lexsort((judge, unit))
    return Flags(unit=unit[order], judge=judge[order], reason=_taken(given.reason, order))


def _lengths(given: Lengths, to_unit: Ints) -> Lengths:
    unit = to_unit[given.unit]
    order = np.lexsort((given.passage, unit))
    return Lengths(unit[order], given.passage[order], given.characters[order])


def _items(given: BatchItems, to_batch: Ints, to_unit: Ints) -> BatchItems:
    batch, unit = to_batch[given.batch], to_unit[given.unit]
    order = np.lexsort((unit, batch))
    return BatchItems(batch=batch[order], unit=unit[order])


def _tasks(given: Tasks, to_batch: Ints, to_judge: Ints, to_unit: Ints) -> Tasks:
    batch, judge, unit = to_batch[given.batch], to_judge[given.judge], to_unit[given.unit]
    order = np.lexsort((unit, judge, batch))
    return Tasks(batch=batch[order], judge=judge[order], unit=unit[order])


def _trained_on(given: TrainedUnits, to_judge: Ints, to_unit: Ints) -> TrainedUnits:
    judge, unit = to_judge[given.judge], to_unit[given.unit]
    known = judge >= 0
    judge, unit = judge[known], unit[known]
    order = np.lexsort((unit, judge))
    return TrainedUnits(judge=judge[order], unit=unit[order])


def _pairs(given: Pairs, to_unit: Ints, to_response: Ints) -> Pairs:
    unit, other = to_unit[given.unit], to_response[given.other]
    order = np.argsort(unit)
    return Pairs(unit=unit[order], other=other[order])


def _sides(given: Sides, to_unit: Ints, to_judge: Ints) -> Sides:
    unit, judge = to_unit[given.unit], to_judge[given.judge]
    known = judge >= 0
    unit, judge, mirrored = unit[known], judge[known], given.mirrored[known]
    order = np.lexsort((judge, unit))
    return Sides(unit=unit[order], judge=judge[order], mirrored=mirrored[order])


# Orders and the way from old places to new ones --------------------------------------------------


def _listed(
    names: Sequence[str], columns: Iterable[Ints], *, every: bool = False
) -> tuple[list[int], Ints]:
    """The old places in their new order, and the new place of every old one (-1 stays -1)."""
    used = np.full(len(names), every)
    for column in columns:
        used[column[column >= 0]] = True
    order = sorted(np.flatnonzero(used).tolist(), key=lambda place: names[place])
    new = np.full(len(names) + 1, -1, dtype=np.int32)
    new[order] = np.arange(len(order), dtype=np.int32)
    return order, new


def _inverse(order: Order) -> Ints:
    """The new place of every old one; the last entry lets -1 stay -1."""
    new = np.full(len(order) + 1, -1, dtype=np.int32)
    new[order] = np.arange(len(order), dtype=np.int32)
    return new


def _ranks(texts: Sequence[str]) -> Ints:
    rank = {text: place for place, text in enumerate(sorted(set(texts)))}
    return np.array([rank[text] for text in texts], dtype=np.int32)


def _taken(texts: Sequence[str], order: Order) -> tuple[str, ...]:
    return tuple(texts[place] for place in order.tolist())

"""Systems by data sets (or by another key of the questions' metadata), and two slices compared.

With m_v a system's mean over its responses to the questions of slice v, and n_v how many these are:

    macro = Σ_v m_v / V            every slice weighs the same; only where each has a number
    micro = Σ_v n_v m_v / Σ_v n_v  every response weighs the same

Questions are resampled all together, and what two slices share is drawn once for both: so their
difference is paired there.
"""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.ratings import Figure, undefined
from evaluation.reports.numbers import number
from evaluation.reports.sections.scores import (
    PerResponse,
    automatic_columns,
    automatic_values,
    bars,
    people_items,
    people_values,
    sums,
)
from evaluation.reports.sections.section import Panel, Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.number import Number
from evaluation.reports.shape.slices import Compared, ComparedRow, SlicedColumn, SlicedRow, Slices
from evaluation.reports.tables import slices as tables
from evaluation.stats.error_bars import ErrorBar
from evaluation.stats.means import means

MOST_VALUES = 30
"""Slices side by side, those of most questions; of more, nobody reads the row."""

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def slices(selected: Selected) -> Slices:
    """Nothing is split into fewer than two slices."""
    key, compare = selected.filters.split, selected.filters.compare
    known = [selected.data.of_question(place).get(key, "") for place in selected.questions]
    counts = Counter(value for value in known if value)
    values = sorted(sorted(counts, key=lambda value: (-counts[value], value))[:MOST_VALUES])
    inside = [np.array([one == value for one in known], dtype=bool) for value in values]
    two = [selected.of_slice(one) for one in compare]
    compared: Compared | None = None
    if two:
        shared = int((two[0] & two[1]).sum())
        compared = {"one": compare[0], "other": compare[1], "shared": shared}
    return {
        "split": key,
        "values": [{"value": value, "questions": counts[value]} for value in values],
        "without": known.count(""),
        "more": len(counts) - len(values),
        "compared": compared,
        "columns": _columns(selected, inside if len(values) > 1 else [], two),
    }


def _columns(selected: Selected, inside: list[Flags], two: list[Flags]) -> list[SlicedColumn]:
    if not (inside or two):
        return []
    found: list[SlicedColumn] = []
    every: list[PerResponse] = []
    for item in people_items(selected):
        every.append(people_values(selected, item.key))
        found.append(_column(None, item.key, item.title))
    for one in automatic_columns(selected):
        every.append(automatic_values(selected, one.judge, one.key))
        found.append(_column(selected.judge_id(one.judge), one.key, one.title))
    if not found:
        return []
    # Questions, systems, columns, (sum, count): the error bars of all come from the same draws.
    summed = np.stack([sums(values) for values in every], axis=2)
    if inside:
        _split(selected, found, _parts(summed, inside))
    if two:
        _compare(selected, found, _parts(summed, two))
    return found


def _column(judge: str | None, key: str, title: str) -> SlicedColumn:
    kind = "people" if judge is None else "automatic"
    return {"kind": kind, "judge": judge, "key": key, "title": title, "rows": [], "compared": []}  # type: ignore[typeddict-item]


def _parts(summed: Floats, inside: Sequence[Flags]) -> list[tuple[Flags, Floats]]:
    """The questions of each slice, and what each contributes."""
    flat = summed.reshape(len(summed), -1)
    shape = summed.shape[1:]
    return [(one, flat[one].reshape(int(one.sum()), *shape)) for one in inside]


def _weighed(parts: Sequence[tuple[Flags, Floats]]) -> Callable[[Floats], Floats]:
    """From weights to draws, slices, systems, columns, (sum, count)."""

    def weigh(weights: Floats) -> Floats:
        each = [np.tensordot(weights[:, inside], part, axes=1) for inside, part in parts]
        return np.stack(each, axis=1)

    return weigh


def _split(
    selected: Selected, found: list[SlicedColumn], parts: Sequence[tuple[Flags, Floats]]
) -> None:
    weigh = _weighed(parts)
    totals = np.stack([part.sum(axis=0) for _, part in parts])  # slices, systems, columns, 2

    def statistic(weights: Floats) -> Floats:
        return _with_means(weigh(weights)).reshape(len(weights), -1)

    values = _with_means(totals[None])[0]  # slices and macro and micro, systems, columns
    counts = np.concatenate([totals[..., 1], totals[..., 1].sum(axis=0)[None].repeat(2, axis=0)])
    each = _arranged(bars(selected, statistic), values.shape)
    last = len(parts)
    for place, column in enumerate(found):
        for row, system in enumerate(selected.systems):
            cells = [
                _number(values[at, row, place], counts[at, row, place], each[at][row][place])
                for at in range(last + 2)
            ]
            numbers = cells[:last]
            if any(cell["value"] is not None for cell in numbers):
                made: SlicedRow = {
                    "system": selected.data.systems[system].name,
                    "cells": numbers,
                    "macro": _signed(cells[last], "macro"),
                    "micro": _signed(cells[last + 1], "micro"),
                }
                column["rows"].append(made)


def _with_means(summed: Floats) -> Floats:
    """The means of each slice, and after them macro and micro."""
    each = means(summed)
    macro, micro = each.mean(axis=1), means(summed.sum(axis=1))
    return np.concatenate([each, macro[:, None], micro[:, None]], axis=1)


def _compare(
    selected: Selected, found: list[SlicedColumn], parts: Sequence[tuple[Flags, Floats]]
) -> None:
    weigh = _weighed(parts)
    totals = np.stack([part.sum(axis=0) for _, part in parts])

    def both(summed: Floats) -> Floats:
        each = means(summed)
        return np.concatenate([each, (each[:, 0] - each[:, 1])[:, None]], axis=1)

    values = both(totals[None])[0]
    counts = np.concatenate([totals[..., 1], totals[..., 1].min(axis=0)[None]])
    each = _arranged(
        bars(selected, lambda weights: both(weigh(weights)).reshape(len(weights), -1)),
        values.shape,
    )
    for place, column in enumerate(found):
        for row, system in enumerate(selected.systems):
            one, other, difference = (
                _number(values[at, row, place], counts[at, row, place], each[at][row][place])
                for at in range(3)
            )
            if one["value"] is not None or other["value"] is not None:
                made: ComparedRow = {
                    "system": selected.data.systems[system].name,
                    "one": one,
                    "other": other,
                    "difference": _signed(difference, "difference of slices"),
                }
                column["compared"].append(made)


def _arranged(found: list[ErrorBar], shape: tuple[int, ...]) -> list[list[list[ErrorBar]]]:
    """The bars as the numbers stand: slices, systems, columns."""
    flat = iter(found)
    return [[[next(flat) for _ in range(shape[2])] for _ in range(shape[1])]
            for _ in range(shape[0])]  # fmt: skip


def _number(value: float, count: float, bar: ErrorBar) -> Number:
    known = bool(np.isfinite(value))
    figure = Figure(float(value)) if known else undefined("a slice has no number")
    return number(figure, n=int(count), of="responses", bar=bar)


def _signed(made: Number, how: str) -> Number:
    return made | {"signature": "|".join(filter(None, (how, made["signature"])))}


SECTION = Section(
    key="slices",
    shape=Slices,
    build=slices,
    words="data sets",
    panel=Panel(
        "slices",
        "Data sets",
        15,
        "The questions are not told apart by this key: their data sets can be set on the page of "
        "the questions.",
    ),
    tables=tables.slices,
    kinds=(Tables("slices", most=400), Tables("compared", folded="Two slices compared")),
)

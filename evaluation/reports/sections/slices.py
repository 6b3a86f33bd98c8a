"""Systems by data set (or another key of the questions' metadata), and two slices compared.

With m_v a system's mean over its n_v responses to the questions of slice v:

    macro = Σ_v m_v / V            every slice has the same weight; only if each has a number
    micro = Σ_v n_v m_v / Σ_v n_v  every response has the same weight

All questions are resampled together, those of two slices once for both: their difference is paired.
A slice's numbers have the intervals of a system's numbers; the intervals of macro mean and
difference are combined from these (`statistics/error_bars.py`).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.numbers import number
from evaluation.reports.sections.scores import (
    PerResponse,
    automatic_columns,
    automatic_values,
    bars,
    ends_of,
    interval_of,
    people_items,
    people_values,
    sums,
)
from evaluation.reports.sections.section import Panel, Section, Tables
from evaluation.reports.selection import Selected
from evaluation.reports.shape.systems import Compared, ComparedRow, SlicedColumn, SlicedRow, Slices
from evaluation.reports.shape.values import Number
from evaluation.reports.tables import systems as tables
from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.error_bars import ErrorBar, Summand, combined, difference
from evaluation.statistics.means import means
from evaluation.statistics.ratings import Figure, undefined

MOST_VALUES = 30
"""The most slices side by side, those with most questions; nobody reads a longer row."""

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ends = tuple[float, float] | None


def slices(selected: Selected) -> Slices:
    """Return all numbers by slice, if there are at least two, and the two compared slices."""
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
    ends: list[Ends] = []
    for item in people_items(selected):
        every.append(people_values(selected, item.key))
        ends.append(selected.known[item.key].ends)
        found.append(_column(None, item.key, item.title))
    for one in automatic_columns(selected):
        every.append(automatic_values(selected, one.judge, one.key))
        ends.append(ends_of(selected, one))
        found.append(_column(selected.judge_id(one.judge), one.key, one.title))
    if not found:
        return []
    # Questions, systems, columns, (sum, count): the error bars of all come from the same draws.
    summed = np.stack([sums(values) for values in every], axis=2)
    if inside:
        _split(selected, found, ends, _parts(summed, inside))
    if two:
        _compare(selected, found, ends, _parts(summed, two))
    return found


def _column(judge: str | None, key: str, title: str) -> SlicedColumn:
    kind = "people" if judge is None else "automatic"
    return {"kind": kind, "judge": judge, "key": key, "title": title, "rows": [], "compared": []}  # type: ignore[typeddict-item]


def _parts(summed: Floats, inside: Sequence[Flags]) -> list[tuple[Flags, Floats]]:
    """Return the questions of each slice, and their sums."""
    flat = summed.reshape(len(summed), -1)
    shape = summed.shape[1:]
    return [(one, flat[one].reshape(int(one.sum()), *shape)) for one in inside]


def _weighed(parts: Sequence[tuple[Flags, Floats]]) -> Callable[[Floats], Floats]:
    """Return a function from weights to draws × slices × systems × columns × (sum, count)."""

    def weigh(weights: Floats) -> Floats:
        each = [np.tensordot(weights[:, inside], part, axes=1) for inside, part in parts]
        return np.stack(each, axis=1)

    return weigh


def _split(
    selected: Selected,
    found: list[SlicedColumn],
    ends: Sequence[Ends],
    parts: Sequence[tuple[Flags, Floats]],
) -> None:
    for place, row, cells in _cells(selected, parts, ends, _with_means):
        *slices_, macro, micro = cells
        if any(cell.is_known for cell in slices_):
            weighed = combined([replace(cell.part, factor=1 / len(slices_)) for cell in slices_])
            made: SlicedRow = {
                "system": _name(selected, row),
                "cells": [cell.number() for cell in slices_],
                "macro": macro.number(weighed, "macro"),
                "micro": micro.number(how="micro"),
            }
            found[place]["rows"].append(made)


def _with_means(summed: Floats) -> Floats:
    """Return the means of each slice, then macro and micro."""
    each = means(summed)
    macro, micro = each.mean(axis=1), means(summed.sum(axis=1))
    return np.concatenate([each, macro[:, None], micro[:, None]], axis=1)


def _compare(
    selected: Selected,
    found: list[SlicedColumn],
    ends: Sequence[Ends],
    parts: Sequence[tuple[Flags, Floats]],
) -> None:
    for place, row, (one, other, less) in _cells(selected, parts, ends, _with_difference):
        if one.is_known or other.is_known:
            errors = one.error, other.error, less.error
            interval = difference(one.part, other.part, errors)
            if reason := less.bar.standard_error.reason:
                interval = Interval(None, None, reason)
            less = replace(less, responses=min(one.responses, other.responses))
            made: ComparedRow = {
                "system": _name(selected, row),
                "one": one.number(),
                "other": other.number(),
                "difference": less.number(interval, "difference of slices"),
            }
            found[place]["compared"].append(made)


def _with_difference(summed: Floats) -> Floats:
    """Return the means of two slices, then their difference."""
    each = means(summed)
    return np.concatenate([each, (each[:, 0] - each[:, 1])[:, None]], axis=1)


def _name(selected: Selected, row: int) -> str:
    return selected.data.systems[selected.systems[row]].name


@dataclass(frozen=True, slots=True)
class _Cell:
    """A system's number in a slice, or combined from several."""

    value: float
    responses: int
    questions: int
    bar: ErrorBar
    ends: Ends

    @property
    def is_known(self) -> bool:
        return bool(np.isfinite(self.value))

    @property
    def error(self) -> float:
        return self.bar.standard_error.value or 0.0

    @property
    def part(self) -> Summand:
        return Summand(self.value, self._own()[0])

    def number(self, made: Interval | None = None, how: str = "") -> Number:
        """Return the number with its own interval, or a combined one."""
        interval, named = (made, "interval:mover") if made else self._own()
        figure = Figure(self.value) if self.is_known else undefined("a slice has no number")
        return number(
            figure, n=self.responses, of="responses", bar=self.bar, interval=interval,
            signature="|".join(filter(None, (how, named))),
        )  # fmt: skip

    def _own(self) -> tuple[Interval, str]:
        value = self.value if self.is_known else None
        return interval_of(value, self.bar, self.questions, self.ends)


def _cells(
    selected: Selected,
    parts: Sequence[tuple[Flags, Floats]],
    ends: Sequence[Ends],
    of: Callable[[Floats], Floats],
) -> Iterator[tuple[int, int, list[_Cell]]]:
    """Yield, by column and system, a cell for each slice and each further result of `of`."""
    weigh = _weighed(parts)
    totals = np.stack([part.sum(axis=0) for _, part in parts])  # slices, systems, columns, 2
    values = of(totals[None])[0]
    drawn = bars(selected, lambda weights: of(weigh(weights)).reshape(len(weights), -1))
    each = np.array(drawn, dtype=object).reshape(values.shape)
    asked = np.stack([np.count_nonzero(part[..., 1], axis=0) for _, part in parts])
    further = len(values) - len(parts)
    counts, questions = (
        np.concatenate([own, np.repeat(own.sum(axis=0)[None], further, axis=0)])
        for own in (totals[..., 1], asked)
    )
    for place, own_ends in enumerate(ends):
        for row in range(len(selected.systems)):
            here = (slice(None), row, place)
            yield (
                place,
                row,
                [
                    _Cell(float(value), int(count), int(many), bar, own_ends)
                    for value, count, many, bar in zip(
                        values[here], counts[here], questions[here], each[here], strict=True
                    )
                ],
            )


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
        ("slices",),
    ),
    tables=tables.slices,
    kinds=(Tables("slices", most=400), Tables("compared", folded="Two slices compared")),
)

"""The compared numbers as statistics of a study's questions.

Correlations over systems are left out: draws of questions do not show their whole error.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.comparing.numbers import PEOPLE, NumberPlace
from evaluation.reports.items import ReportItem
from evaluation.reports.lengths import lengths_in
from evaluation.reports.sections.agreement import confusion_sums
from evaluation.reports.sections.people import coded_of
from evaluation.reports.sections.scores import (
    PerResponse,
    automatic_columns,
    automatic_values,
    people_items,
    people_values,
    sums,
)
from evaluation.reports.selection import Selected
from evaluation.statistics.coefficients import COLUMNS, coefficient_sums
from evaluation.statistics.error_bars import Statistic, of_sums
from evaluation.statistics.means import means
from evaluation.statistics.open_coefficients import is_of_all, open_statistics

Floats = NDArray[np.float64]

Part = tuple[list[NumberPlace], Statistic]

OF_JUDGES = ("accuracy", "kappa", "precision", "recall", "f1")
"""In the order of `confusion_sums`."""


@dataclass(frozen=True)
class Drawing:
    """The numbers of a selection, computed from weights of its questions."""

    selected: Selected

    @property
    def questions(self) -> list[str]:
        """Return their names, which identify a question in another study or report."""
        return [self.selected.data.questions[place] for place in self.selected.questions]

    @cached_property
    def parts(self) -> list[Part]:
        return [*_systems(self.selected), *_people(self.selected), *_judges(self.selected)]

    @property
    def places(self) -> list[NumberPlace]:
        return [place for places, _ in self.parts for place in places]

    def numbers(self, weights: Floats) -> Floats:
        """Return the numbers, draws × places."""
        found = [statistic(weights) for _, statistic in self.parts]
        return np.hstack([np.empty((len(weights), 0)), *found])


def _systems(selected: Selected) -> Iterator[Part]:
    tables: list[tuple[str, str]] = []
    every: list[PerResponse] = []
    for item in people_items(selected):
        tables.append((PEOPLE, item.key))
        every.append(people_values(selected, item.key))
    for one in automatic_columns(selected):
        tables.append((selected.data.judges[one.judge].name, one.key))
        every.append(automatic_values(selected, one.judge, one.key))
    if every:
        names = [selected.data.systems[system].name for system in selected.systems]
        places = [NumberPlace(("systems", *table), (name,)) for name in names for table in tables]
        summed = np.stack([sums(values) for values in every], axis=2)
        yield places, of_sums(summed, lambda drawn: means(drawn).reshape(len(drawn), -1))


def _people(selected: Selected) -> Iterator[Part]:
    for item in selected.choice_items():
        ratings = coded_of(selected, item)
        if ratings.units:
            clusters = selected.unit_question[list(ratings.units)]
            found = coefficient_sums(ratings, item.scale, clusters, len(selected.questions))
            names = COLUMNS if item.scale == "ordinal" else COLUMNS[:-1]
            yield [NumberPlace(("people", name), (item.key,)) for name in names], found
    for item in selected.open_items():
        yield from _open_answers(selected, item)


def _open_answers(selected: Selected, item: ReportItem) -> Iterator[Part]:
    votes, dimension = selected.columns(item.key), selected.data.protocol[item.key]
    units = np.unique(votes.unit)
    for some in open_statistics(
        dimension,
        votes,
        selected.unit_question[units],
        len(selected.questions),
        lengths=lengths_in(selected.data, dimension, units.tolist()),
    ):
        of_all = [place for place, name in enumerate(some.names) if is_of_all(name)]
        places = [NumberPlace(("people", some.names[place]), (item.key,)) for place in of_all]

        def of(weights: Floats, own: Statistic = some.of, columns: list[int] = of_all) -> Floats:
            return own(weights).reshape(len(weights), -1)[:, columns]

        yield places, of


def _judges(selected: Selected) -> Iterator[Part]:
    for item in selected.choice_items():
        if not (item.of_judges and selected.labels(item.key)):
            continue
        names = OF_JUDGES if item.negative is not None else OF_JUDGES[:2]
        for judge in selected.answering(item.key):
            row = (item.key, selected.data.judges[judge].name)
            places = [NumberPlace(("judges", name), row) for name in names]
            yield places, confusion_sums(selected, item, judge)

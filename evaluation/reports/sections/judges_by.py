"""All judges by one number, and the difference of every two."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import number, rounded
from evaluation.reports.sections.scores import automatic_values, people_values
from evaluation.reports.selection import Selected
from evaluation.reports.shape.judges import JudgePair, JudgesBy, JudgeStanding, Measured, Test
from evaluation.reports.shape.values import Number
from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.comparison import LEVEL, holm, letters
from evaluation.statistics.error_bars import ErrorBar
from evaluation.statistics.ranking import Scored, scored
from evaluation.statistics.ratings import Figure, undefined


@dataclass(frozen=True, slots=True)
class JudgeNumber:
    """One judge's number."""

    figure: Figure
    bar: ErrorBar | None = None
    interval: Interval | None = None
    """An interval by z, instead of the error bar's."""

    no_interval: str = ""
    """Why it has no error bar."""

    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class JudgesDifference:
    """One judge's number minus another's."""

    p: Figure
    interval: Interval
    error: Figure | None = None


@dataclass(frozen=True, slots=True)
class JudgeNumbers:
    """One number of all judges. `differences` of every two are in the order of `combinations`."""

    key: Measured
    test: Test
    signature: str
    n: int
    of: str
    standings: Sequence[JudgeNumber]
    differences: Sequence[JudgesDifference]

    def as_json(self, ids: Sequence[str]) -> JudgesBy:
        """Return JSON with p corrected for all pairs, and letters of judges that do not differ."""
        pairs = list(combinations(range(len(ids)), 2))
        corrected = holm([each.p for each in self.differences])
        known = [n for n, one in enumerate(self.standings) if one.figure.value is not None]
        order = sorted(known, key=lambda n: -(self.standings[n].figure.value or 0.0))
        apart = {
            frozenset(pair)
            for pair, p in zip(pairs, corrected, strict=True)
            if p.value is not None and p.value < LEVEL
        }
        groups = letters(order, apart)
        return {
            "key": self.key,
            "test": self.test,
            "signature": self.signature,
            "judges": [
                self._standing(one, ids[n], groups.get(n, ""))
                for n, one in enumerate(self.standings)
            ],
            "pairs": [
                self._pair(pair, ids, difference, p)
                for pair, difference, p in zip(pairs, self.differences, corrected, strict=True)
            ],
        }

    def _standing(self, one: JudgeNumber, judge: str, group: str) -> JudgeStanding:
        found = number(
            one.figure, n=self.n, of=self.of, bar=one.bar, interval=one.interval,
            signature="interval:z" if one.interval else "",
        )  # fmt: skip
        if one.no_interval and one.figure.value is not None:
            found["interval_reason"] = one.no_interval
        return {
            "judge": judge,
            "number": found,
            "group": group,
            "threshold": rounded(one.threshold),
        }

    def _pair(
        self, pair: tuple[int, int], ids: Sequence[str], found: JudgesDifference, corrected: Figure
    ) -> JudgePair:
        one, other = (self.standings[place].figure for place in pair)
        return {
            "one": ids[pair[0]],
            "other": ids[pair[1]],
            "difference": self._number(difference(one, other), found),
            "p": rounded(found.p.value),
            "p_holm": rounded(corrected.value),
            "reason": found.p.reason,
        }

    def _number(self, figure: Figure, found: JudgesDifference) -> Number:
        is_known = figure.value is not None
        return number(
            figure,
            n=self.n,
            of=self.of,
            error=found.error if is_known else None,
            interval=found.interval if is_known else None,
            signature=self.signature,
        )


def difference(one: Figure, other: Figure) -> Figure:
    """Return the difference of two numbers, if both are defined."""
    if one.value is None or other.value is None:
        return undefined(one.reason or other.reason)
    return Figure(one.value - other.value)


def undefined_difference(reason: str) -> JudgesDifference:
    """Return an undefined difference."""
    return JudgesDifference(undefined(reason), Interval(None, None, reason))


# The common units and responses -------------------------------------------------------------------

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_SHARE = 0.5
"""The share of the most complete judge's units with people that a judge needs. Otherwise, an
interrupted judge would leave few units to compare the others on."""


@dataclass(frozen=True, eq=False)
class SharedUnits:
    """Several judges on one item, by people's labels."""

    judges: tuple[int, ...]
    left_out: dict[int, int]
    """Judges that share too few units with people, and how many."""

    units: Ints
    people: Ints
    """The place of people's value for each unit."""

    said: Ints
    """Judges × units."""


def shared_units(selected: Selected, item: ReportItem) -> SharedUnits | None:
    """Return the units that people and all judges judged; None with fewer than two judges."""
    judges = selected.answering(item.key) if item.of_judges else []
    labels = selected.labels(item.key) if len(judges) > 1 else {}
    if not labels:
        return None
    people = _column(labels, item)
    answers = {judge: _column(selected.compared(judge, item.key), item) for judge in judges}
    shared = {
        judge: np.intersect1d(people[0], answers[judge][0], assume_unique=True) for judge in judges
    }
    most = max(len(units) for units in shared.values())
    kept = [j for j in judges if len(shared[j]) and len(shared[j]) >= LEAST_SHARE * most]
    if len(kept) < 2:
        return None
    units = _in_all([shared[judge] for judge in kept])
    return SharedUnits(
        judges=tuple(kept),
        left_out={judge: len(shared[judge]) for judge in judges if judge not in kept},
        units=units,
        people=_at(people, units),
        said=np.stack([_at(answers[judge], units) for judge in kept]),
    )


def shared_scores(selected: Selected, item: ReportItem, judges: Sequence[int]) -> dict[int, Scored]:
    """Return the judges with scores on a yes/no item, on the units that all of them scored."""
    if not item.is_yes_no:
        return {}
    scores = {judge: selected.scores(judge, item.key) for judge in judges}
    scores = {judge: some for judge, some in scores.items() if some}
    if not scores:
        return {}
    everywhere = set.intersection(*(set(some) for some in scores.values()))
    people = {
        unit: value in item.positive
        for unit, value in selected.labels(item.key).items()
        if unit in everywhere
    }
    return {judge: scored(people, some) for judge, some in scores.items()}


@dataclass(frozen=True, eq=False)
class SharedValues:
    """The values of responses for which people and all judges have one."""

    response: Ints
    question: Ints
    system: Ints
    """Numbered from 0."""

    people: Floats
    said: Floats
    """Judges × responses."""

    systems: int


def shared_values(selected: Selected, item: ReportItem, judges: Sequence[int]) -> SharedValues:
    """Return these values without systems that use AutoAIS: they are in no correlation."""
    people = people_values(selected, item.key)
    each = [automatic_values(selected, judge, item.key) for judge in judges]
    uses = np.array([record.uses_autoais for record in selected.data.systems], dtype=bool)
    response = _in_all([people.response[~uses[people.system]], *(one.response for one in each)])
    at = np.searchsorted(people.response, response)
    systems, system = np.unique(people.system[at], return_inverse=True)
    # Quotients of the same counts may differ in the last bit; they must count as equal.
    said = [one.value[np.searchsorted(one.response, response)].round(9) for one in each]
    return SharedValues(
        response=response,
        question=people.question[at],
        system=system.astype(np.int64),
        people=people.value[at].round(9),
        said=np.stack(said),
        systems=len(systems),
    )


def _column(answers: Mapping[int, str], item: ReportItem) -> tuple[Ints, Ints]:
    """Return sorted units, and the place of each answer among the item's values."""
    place = {value: n for n, value in enumerate(item.values)}
    units = np.fromiter(answers, dtype=np.int64, count=len(answers))
    values = np.fromiter((place[v] for v in answers.values()), np.int64, count=len(answers))
    order = np.argsort(units)
    return units[order], values[order]


def _at(column: tuple[Ints, Ints], units: Ints) -> Ints:
    found: Ints = column[1][np.searchsorted(column[0], units)]
    return found


def _in_all(sets: Sequence[Ints]) -> Ints:
    return reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True), sets)

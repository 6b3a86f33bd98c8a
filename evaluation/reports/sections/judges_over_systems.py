"""Compare judges by their order of the systems: correlation and pairwise accuracies.

PERM-INPUTS tests the difference of two judges: these systems, other questions. The correlation has
further tests.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import figure_json
from evaluation.reports.sections.judges_by import (
    JudgeNumber,
    JudgeNumbers,
    JudgesDifference,
    SharedUnits,
    SharedValues,
    difference,
    undefined_difference,
)
from evaluation.reports.sections.scores import bars
from evaluation.reports.sections.within_slices import ALL_THE_SAME, signed_within, slices_of
from evaluation.reports.sections.words import UNITS
from evaluation.reports.selection import Selected
from evaluation.reports.shape.judges import CorrelationTests, Measured
from evaluation.statistics.bootstrap import Interval, per_cluster
from evaluation.statistics.cohen import kappa, kappas
from evaluation.statistics.comparison import p_of_t, williams, with_differences
from evaluation.statistics.correlation import correlation, moments, pearsons, pearsons_of_moments
from evaluation.statistics.error_bars import ErrorBar, by_t, by_z, of_sums
from evaluation.statistics.pairwise_accuracy import (
    LEAST_SYSTEMS,
    NO_INTERVAL,
    TOO_FEW,
    accuracies,
    calibrated,
)
from evaluation.statistics.permutation_tests import (
    MOST_SOFT,
    TOO_MANY,
    WAYS,
    Swapped,
    Swaps,
    cells_of,
)
from evaluation.statistics.ranking import Scored, auc_by_cluster
from evaluation.statistics.ratings import Figure, undefined
from evaluation.statistics.stratified import by_slice, kappas_within

Floats = NDArray[np.float64]

ELSEWHERE = "chance draws it to 0; the table of correlations has Pearson with an interval"

KEYS: tuple[Measured, ...] = (
    "pearson_systems",
    "pairwise_accuracy",
    "calibrated_accuracy",
    "soft_accuracy",
)


def over_systems(
    selected: Selected, values: SharedValues, ids: Sequence[str]
) -> tuple[list[JudgeNumbers], list[CorrelationTests]]:
    """Return the numbers of all judges, and further tests of every two correlations."""
    judges = len(values.said)
    if values.systems < LEAST_SYSTEMS:
        standings = [JudgeNumber(undefined(TOO_FEW))] * judges
        none = [undefined_difference(TOO_FEW)] * (judges * (judges - 1) // 2)
        signature = f"perm-inputs|systems:{values.systems}|v:1"
        few = [
            JudgeNumbers(key, "perm-inputs", signature, values.systems, "systems", standings, none)
            for key in KEYS
        ]
        return few, []
    found = _OverSystems(selected, values)
    return found.numbers(), found.tests(ids)


class _OverSystems:
    """All judges of one item over the systems with values of people and all judges."""

    def __init__(self, selected: Selected, values: SharedValues) -> None:
        self._selected, self._systems = selected, values.systems
        self._pairs = list(combinations(range(len(values.said)), 2))
        self._cells = cells_of(values.said, values.people, values.question, values.system)
        self._swaps = Swaps(
            self._cells, permutations=selected.filters.resamples, seed=selected.seed
        )
        self._means, self._people = self._cells.means(), self._cells.means_by_people()[None]
        self._figures = [
            correlation(means.tolist(), self._people[0].tolist()) for means in self._means
        ]
        self._p: dict[tuple[int, int], dict[Measured | Swapped, Figure]] = {
            pair: self._tested(*pair) for pair in self._pairs
        }
        self._bars = self._drawn(values)

    def numbers(self) -> list[JudgeNumbers]:
        """Return all four numbers."""
        judges = len(self._means)
        share, epsilon = calibrated(self._means, self._people)
        each: dict[Measured, list[JudgeNumber]] = {
            "pearson_systems": [JudgeNumber(f, no_interval=ELSEWHERE) for f in self._figures],
            "pairwise_accuracy": _standings(accuracies(self._means, self._people)),
            "calibrated_accuracy": _standings(share, epsilon * self._cells.deviations),
            "soft_accuracy": _standings(self._swaps.soft()),
        }
        first: dict[Measured, int] = {
            "pearson_systems": judges,
            "pairwise_accuracy": 2 * judges + len(self._pairs),
        }
        if self._systems > MOST_SOFT:
            del first["pairwise_accuracy"]
        return [self._by(key, standings, first.get(key)) for key, standings in each.items()]

    def tests(self, ids: Sequence[str]) -> list[CorrelationTests]:
        """Return tests of the correlation: all permutations, and Williams' test."""
        found: list[CorrelationTests] = []
        for one, other in self._pairs:
            p = self._p[one, other]
            by_williams = self._williams(one, other)
            found.append(
                {
                    "one": ids[one],
                    "other": ids[other],
                    "perm_inputs": figure_json(p["inputs"]),
                    "perm_systems": figure_json(p["systems"]),
                    "perm_both": figure_json(p["both"]),
                    "williams_t": figure_json(by_williams[0]),
                    "williams_p": figure_json(by_williams[1]),
                }
            )
        return found

    def _by(self, key: Measured, standings: list[JudgeNumber], first: int | None) -> JudgeNumbers:
        """`first` is the place of the first difference among the error bars."""
        found = []
        for n, pair in enumerate(self._pairs):
            p = self._p[pair]["inputs" if key == "pearson_systems" else key]
            if first is None:
                found.append(JudgesDifference(p, Interval(None, None, NO_INTERVAL)))
            else:
                bar = self._bars[first + n]
                found.append(JudgesDifference(p, bar.percentile, bar.standard_error))
        signature = (
            f"perm-inputs|blocks:{self._swaps.blocks}|permutations:{self._swaps.permutations}"
            f"|seed:{self._selected.seed}|holm|v:1"
        )
        return JudgeNumbers(
            key, "perm-inputs", signature, self._systems, "systems", standings, found
        )

    def _tested(self, one: int, other: int) -> dict[Measured | Swapped, Figure]:
        """Return p of each permutation test: of the correlation by way, otherwise by number."""
        constant = self._figures[one].reason or self._figures[other].reason
        drawn = self._swaps.means(one, other)
        found: dict[Measured | Swapped, Figure] = {
            "soft_accuracy": self._swaps.p_of_soft(one, other),
            "pairwise_accuracy": undefined(TOO_MANY),
            "calibrated_accuracy": undefined(TOO_MANY),
        }
        for way in WAYS:
            found[way] = undefined(constant) if constant else self._swaps.p_of_means(
                one, other, drawn[way], lambda means: pearsons(means, self._people)
            )  # fmt: skip
        if self._systems <= MOST_SOFT:
            found["pairwise_accuracy"] = self._swaps.p_of_means(
                one, other, drawn["inputs"], lambda means: accuracies(means, self._people)
            )
            found["calibrated_accuracy"] = self._swaps.p_of_means(
                one, other, drawn["inputs"],
                lambda means: calibrated(means, self._people)[0],
            )  # fmt: skip
        return found

    def _williams(self, one: int, other: int) -> tuple[Figure, Figure]:
        r, s = self._figures[one], self._figures[other]
        between = correlation(self._means[one].tolist(), self._means[other].tolist())
        if r.value is None or s.value is None or between.value is None:
            reason = undefined(r.reason or s.reason or between.reason)
            return reason, reason
        return williams(r.value, s.value, between.value, self._systems)

    def _drawn(self, values: SharedValues) -> list[ErrorBar]:
        """Return error bars of correlations, their differences, accuracies, their differences."""
        judges, systems = self._cells.judges.shape[0], self._systems
        sums = np.zeros((len(self._selected.questions), judges + 2, systems))
        asked = np.unique(values.question)
        sums[asked] = np.stack(
            [*self._cells.judges, self._cells.people, self._cells.counts], axis=1
        )
        numbers = [with_differences(_pearsons)]
        if systems <= MOST_SOFT:
            numbers.append(with_differences(_accuracies))

        def statistic(some: Floats) -> Floats:
            with np.errstate(divide="ignore", invalid="ignore"):
                means = some[:, :-1] / some[:, -1:]
            return np.column_stack([each(means) for each in numbers])

        return bars(self._selected, of_sums(sums, statistic))


def _standings(values: Floats, thresholds: Floats | None = None) -> list[JudgeNumber]:
    return [
        JudgeNumber(
            Figure(float(value)),
            no_interval=NO_INTERVAL,
            threshold=None if thresholds is None else float(thresholds[n]),
        )
        for n, value in enumerate(values)
    ]


def _pearsons(means: Floats) -> Floats:
    """Return each judge's correlation, from draws × (judges, people) × systems."""
    return np.column_stack([pearsons(means[:, n], means[:, -1]) for n in _judges(means)])


def _accuracies(means: Floats) -> Floats:
    return np.column_stack([accuracies(means[:, n], means[:, -1]) for n in _judges(means)])


def _judges(means: Floats) -> range:
    return range(means.shape[1] - 1)


# By single units and answers: the same draws of questions for all judges --------------------------

Ints = NDArray[np.int64]

NO_SCORES = "the judge gives no scores"


def by_kappa(selected: Selected, item: ReportItem, alike: SharedUnits) -> list[JudgeNumbers]:
    """Return Cohen's kappa of each judge with people's labels, also within slices."""
    size, judges = len(item.values), len(alike.judges)
    question = selected.unit_question[alike.units].astype(np.int64)
    shape = (len(selected.questions), size, size)
    tables = np.stack(
        [
            np.bincount(
                np.ravel_multi_index((question, alike.people, said), shape),
                minlength=int(np.prod(shape)),
            ).reshape(shape)
            for said in alike.said
        ],
        axis=1,
    ).astype(float)
    figures = [kappa(tables[:, judge].sum(axis=0), item.scale) for judge in range(judges)]
    whole = _drawn(
        selected, "kappa", UNITS[item.unit_kind], question, figures,
        tables, lambda some: kappas(some, item.scale),
    )  # fmt: skip
    slices = slices_of(selected)
    if slices is None:
        return [whole]

    def inside(some: Floats) -> Floats:
        each = [kappas_within(some[:, :, n], item.scale) for n in range(judges)]
        return np.stack(each, axis=1)

    parts = by_slice(tables, slices)
    values = inside(parts.sum(axis=0)[None])[0].tolist()
    figures = [Figure(one) if np.isfinite(one) else undefined(ALL_THE_SAME) for one in values]
    of = UNITS[item.unit_kind]
    within = _drawn(selected, "kappa_within", of, question, figures, parts, inside)
    return [whole, replace(within, signature=f"{signed_within(selected)}|{within.signature}")]


def by_auc(
    selected: Selected, item: ReportItem, judges: Sequence[int], scored: dict[int, Scored]
) -> JudgeNumbers:
    """Return AUC of the judges with scores; the others have none and are not compared."""
    of, questions = UNITS[item.unit_kind], len(selected.questions)
    some = next(iter(scored.values()), None)
    if some is None or some.reason:
        figures = [undefined(some.reason if some and j in scored else NO_SCORES) for j in judges]
        return _drawn(selected, "auc", of, np.array([], dtype=np.int64), figures)
    units = np.array(some.units, dtype=np.int64)
    each = {
        judge: auc_by_cluster(
            data, selected.unit_question[np.array(data.units, dtype=np.int64)], questions
        )
        for judge, data in scored.items()
    }
    figures = [Figure(each[j][0]) if j in each else undefined(NO_SCORES) for j in judges]
    value = np.array([each[j][0] if j in each else np.nan for j in judges])
    added = np.stack([each[j][1] if j in each else np.zeros(questions) for j in judges], axis=1)
    # Drawn questions may add up to more than an AUC can be.
    return _drawn(
        selected, "auc", of, selected.unit_question[units].astype(np.int64), figures,
        added, lambda drawn: np.clip(value + drawn, 0, 1),
    )  # fmt: skip


def by_answers(selected: Selected, values: SharedValues) -> JudgeNumbers:
    """Return Pearson of each judge's values of responses with people's."""
    figures = [
        correlation(said.tolist(), values.people.tolist(), things="responses")
        for said in values.said
    ]
    summed = np.stack(
        [
            per_cluster(moments(said, values.people), values.question, len(selected.questions))
            for said in values.said
        ],
        axis=1,
    )
    return _drawn(
        selected, "pearson_answers", "responses", values.question, figures, summed,
        lambda some: pearsons_of_moments(some.reshape(-1, some.shape[-1])).reshape(some.shape[:2]),
    )  # fmt: skip


def _drawn(
    selected: Selected,
    key: Measured,
    of: str,
    question: Ints,
    figures: Sequence[Figure],
    sums: Floats | None = None,
    statistic: Callable[[Floats], Floats] | None = None,
) -> JudgeNumbers:
    """Return a number with error bars. `question` is by unit, `sums` by question and judge."""
    judges, questions = len(figures), len(np.unique(question))
    each: list[ErrorBar] = []
    if sums is not None and statistic is not None:
        each = bars(selected, of_sums(sums, with_differences(statistic)))
    standings = []
    for n, figure in enumerate(figures):
        own = each[n] if each and figure.value is not None else None
        least = 0.0 if key == "auc" else -1.0
        interval = by_z(figure.value, own, questions, least=least) if own else None
        standings.append(JudgeNumber(figure, own, interval))
    found: list[JudgesDifference] = []
    for n, (one, other) in enumerate(combinations(figures, 2)):
        away = difference(one, other)
        if away.value is None:
            found.append(undefined_difference(away.reason))
            continue
        bar = each[judges + n]
        interval, p = by_t(away.value, bar, questions), p_of_t(away.value, bar, questions)
        found.append(JudgesDifference(p, interval, bar.standard_error))
    signature = (
        f"paired-bootstrap-t|questions:{questions}|resamples:{selected.filters.resamples}"
        f"|seed:{selected.seed}|level:0.95|holm|v:1"
    )
    return JudgeNumbers(key, "bootstrap", signature, len(question), of, standings, found)

"""Agreement of people on a dimension that is not answered by a choice, with intervals.

    number     percent, alpha (interval), difference, pearson
    several    percent, alpha_masi, alpha_jaccard
    spans      f1_characters, f1_exact, alpha_unitised, where the question has severities
               alpha_severity, and each of one label: f1_exact:made_up
    text       nothing: texts are not compared

The formulas are in `evaluation/statistics`; questions are drawn as for choices, see `coefficients`.
`main` returns the coefficient of the dimension's own scale.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.answers import MarkedSpan, parse_spans
from annotate.protocol.dimensions import Dimension
from evaluation.statistics import alpha, distances, numbers_of_pairs, spans
from evaluation.statistics.bootstrap import Interval, Places, per_cluster
from evaluation.statistics.coefficients import Coefficient
from evaluation.statistics.error_bars import (
    RESAMPLES,
    ErrorBar,
    Statistic,
    by_t,
    by_z,
    error_bars,
    of_sums,
)
from evaluation.statistics.ratings import Figure, undefined
from evaluation.statistics.votes import VoteColumns

Floats = NDArray[np.float64]

Lengths = Mapping[int, Mapping[int, int]]
"""By unit the lengths of its texts, as `answers.first_outside` takes them."""

TITLES = {
    "percent": "Same answer",
    "alpha": "Krippendorff’s α",
    "difference": "Mean difference",
    "pearson": "Pearson’s r, pooled",
    "alpha_masi": "Krippendorff’s α (MASI)",
    "alpha_jaccard": "Krippendorff’s α (Jaccard)",
    "f1_characters": "F1 of characters",
    "f1_exact": "F1 of whole spans",
    "alpha_unitised": "Unitised α",
    "alpha_severity": "Severity where two marked, α",
}

NOBODY_MARKED = "nobody marked anything"
NO_TWO_SEVERITIES = "no place that two raters marked has another severity than the others"
NO_LENGTHS = "how long the texts are is not known"
NO_PAIR = "fewer than three pairs of answers, or raters who always answer the same"


SHARES = frozenset({"percent", "f1_characters", "f1_exact"})
"""Coefficients between 0 and 1; others are between -1 and 1, or `ENDLESS`."""

ENDLESS = frozenset({"difference"})
"""Coefficients that may be any number above 0."""


def _shown(name: str, figure: Figure, units: int, bar: ErrorBar) -> Coefficient:
    """Return a coefficient with its interval, on Fisher's scale or by Student's t."""
    way = "t" if name in ENDLESS else "z"
    pooled = "|pooled" * (name == "pearson")
    signature = f"{name}{pooled}|interval:{way}"
    return Coefficient(figure, units, bar, _interval(name, figure, bar), signature)


def _interval(name: str, figure: Figure, bar: ErrorBar) -> Interval:
    if figure.value is None:
        return Interval(None, None, figure.reason)
    if name not in ENDLESS:
        least = 0.0 if name.partition(":")[0] in SHARES else -1.0
        return by_z(figure.value, bar, bar.clusters, least=least)
    result = by_t(figure.value, bar, bar.clusters)
    return result if result.low is None else Interval(max(0.0, result.low), result.high)


def main(dimension: Dimension) -> str:
    """Return the coefficient of a dimension's own scale; empty where answers are not compared."""
    scales = {"interval": "alpha", "unitised": "alpha_unitised", "none": ""}
    return scales.get(dimension.scale, f"alpha_{dimension.scale}")


def title(dimension: Dimension, name: str) -> str:
    """Return the title of a coefficient."""
    what, _, label = name.partition(":")
    labels = {one.value: one.label for one in dimension.choices}
    return f"{TITLES[what]}: {labels[label]}" if label else TITLES[what]


def is_of_all(name: str) -> bool:
    """Return whether a coefficient is about all labels of spans together, or about no labels."""
    return ":" not in name


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Coefficients from the same sums of questions."""

    names: tuple[str, ...]
    sums: Floats
    of: Callable[[Floats], Floats]
    """From sums (draws × columns) to numbers (draws × names)."""

    reason: str
    """Why one of them is undefined where two ratings are there."""


def open_coefficients(
    dimension: Dimension,
    votes: VoteColumns,
    clusters: Places,
    number: int,
    *,
    lengths: Lengths | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Coefficient]:
    """Return the coefficients by name, in the order of `TITLES`.

    `clusters` has the place of the question of each unit with votes, among `number` of them.
    Without `lengths` there is no unitised alpha.
    """
    _, times = np.unique(votes.unit, return_counts=True)
    several = int(np.count_nonzero(times > 1))
    result: dict[str, Coefficient] = {}
    for some in open_statistics(dimension, votes, clusters, number, lengths=lengths):
        values = np.atleast_1d(some.of(np.ones((1, number)))[0]).tolist()
        bars = error_bars(some.of, number, resamples=resamples, seed=seed)
        for name, reason, value, bar in zip(some.names, some.reasons, values, bars, strict=True):
            result[name] = _shown(name, _figure(value, several, reason), several, bar)
    return result


@dataclass(frozen=True, slots=True, eq=False)
class OpenStatistics:
    """Coefficients as a statistic of weights of questions, and why each may be undefined."""

    names: tuple[str, ...]
    reasons: tuple[str, ...]
    of: Statistic


def open_statistics(
    dimension: Dimension,
    votes: VoteColumns,
    clusters: Places,
    number: int,
    *,
    lengths: Lengths | None = None,
) -> list[OpenStatistics]:
    """Return all coefficients as statistics; the arguments are those of `open_coefficients`."""
    units, row = np.unique(votes.unit, return_inverse=True)
    given = _Given(dimension, votes, units, row, clusters, number)
    if dimension.answer == "number":
        parts = _of_numbers(given)
    elif dimension.answer == "several":
        parts = _of_sets(given)
    elif dimension.answer == "spans":
        parts = _of_spans(given, lengths)
    else:
        return []
    result = [_joined(parts)]
    if dimension.answer == "number":
        result.append(OpenStatistics(("pearson",), (NO_PAIR,), _together(given)))
    return result


def _joined(parts: Sequence[_Part]) -> OpenStatistics:
    ends = np.cumsum([part.sums.shape[1] for part in parts])[:-1]

    def statistic(drawn: Floats) -> Floats:
        each = np.split(drawn, ends, axis=1)
        return np.hstack([part.of(some) for part, some in zip(parts, each, strict=True)])

    return OpenStatistics(
        tuple(name for part in parts for name in part.names),
        tuple(part.reason for part in parts for _ in part.names),
        of_sums(np.hstack([part.sums for part in parts]), statistic),
    )


def _figure(value: float, several: int, reason: str) -> Figure:
    if not several:
        return undefined(distances.NOTHING_TWICE)
    return Figure(value) if np.isfinite(value) else undefined(reason)


@dataclass(frozen=True, slots=True, eq=False)
class _Given:
    """Votes on a dimension, with the place of each one's unit, and the question of each unit."""

    dimension: Dimension
    votes: VoteColumns
    units: Places
    row: Places
    clusters: Places
    number: int

    def summed(self, rows: Floats) -> Floats:
        """Return the sums of rows of units, by question."""
        return per_cluster(rows, self.clusters, self.number)

    @property
    def numbers(self) -> Floats:
        """Votes as whole numbers: multiples of the last decimal."""
        values = np.array([float(value) for value in self.votes.values])
        scaled: Floats = (values * 10**self.dimension.decimals).round()
        return scaled[self.votes.value] if len(values) else np.zeros(0)


def _same(given: _Given) -> _Part:
    """Return the part for the share of pairs that gave the same answer."""
    result = np.zeros((len(given.units), 2))
    value = given.votes.value
    for one, other in distances.pairs(given.row):
        result[:, 0] += np.bincount(given.row[one], value[one] == value[other], len(given.units))
        result[:, 1] += np.bincount(given.row[one], minlength=len(given.units))
    return _Part(("percent",), given.summed(result), _share, distances.NOTHING_TWICE)


def _share(drawn: Floats) -> Floats:
    part, whole = drawn.T
    result: Floats = np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return result[:, None]


def _alpha(name: str, spread: distances.Spread) -> _Part:
    def of(drawn: Floats) -> Floats:
        return distances.alphas(drawn, spread.form)[:, None]

    return _Part((name,), spread.sums, of, distances.ALL_THE_SAME)


def _of_numbers(given: _Given) -> list[_Part]:
    numbers, scale = given.numbers, 10.0**-given.dimension.decimals
    apart = numbers_of_pairs.differences(given.row, numbers, len(given.units)) * [scale, 1]
    return [
        _same(given),
        _alpha(
            "alpha",
            distances.of_numbers(given.row, numbers, given.clusters[given.row], given.number),
        ),
        _Part(("difference",), given.summed(apart), _share, distances.NOTHING_TWICE),
    ]


def _together(given: _Given) -> Callable[[Floats], Floats]:
    _, judge = np.unique(given.votes.judge, return_inverse=True)
    return numbers_of_pairs.pooled_correlations(
        given.row, judge, given.numbers, given.clusters, given.number
    )


def _of_sets(given: _Given) -> list[_Part]:
    metrics: tuple[distances.SetMetric, ...] = ("masi", "jaccard")
    where = given.clusters[given.row]
    parts = [_same(given)]
    for metric in metrics:
        apart = distances.set_distances(given.votes.values, metric)
        spread = distances.of_sets(given.row, given.votes.value, apart, where, given.number)
        parts.append(_alpha(f"alpha_{metric}", spread))
    return parts


def _of_spans(given: _Given, lengths: Lengths | None) -> list[_Part]:
    known = [parse_spans(value) for value in given.votes.values]
    raters: list[list[Sequence[MarkedSpan]]] = [[] for _ in given.units]
    for row, place in zip(given.row.tolist(), given.votes.value.tolist(), strict=True):
        raters[row].append(known[place])
    read = [row for row, some in enumerate(raters) if len(some) > 1]
    labels = [one.value for one in given.dimension.choices]
    return [
        _f1(given, labels, raters, read),
        _unitised(given, labels, raters, read, lengths or {}),
        *([_severity(given, labels, raters, read)] if given.dimension.severities else []),
    ]


Marked = Sequence[Sequence[Sequence[MarkedSpan]]]
"""Marked spans by unit and rater."""


def _f1(given: _Given, labels: Sequence[str], raters: Marked, read: Sequence[int]) -> _Part:
    rows = np.zeros((len(given.units), len(labels), spans.OF_OVERLAP))
    for row in read:
        rows[row] = [spans.overlap(raters[row], label) for label in labels]

    def of(drawn: Floats) -> Floats:
        each = drawn.reshape(len(drawn), len(labels), 2, 2)
        both = np.concatenate([each.sum(axis=1, keepdims=True), each], axis=1)
        return _share(both.transpose(2, 1, 0, 3).reshape(-1, 2)).reshape(-1, len(drawn)).T

    names = tuple(
        name for what in ("f1_characters", "f1_exact") for name in _each_label(what, labels)
    )
    summed = given.summed(rows).reshape(given.number, len(labels) * spans.OF_OVERLAP)
    return _Part(names, summed, of, NOBODY_MARKED)


def _each_label(name: str, labels: Sequence[str]) -> list[str]:
    """Return the names of a coefficient of all labels together, then of each label."""
    return [name, *(f"{name}:{label}" for label in labels)]


def _unitised(
    given: _Given,
    labels: Sequence[str],
    raters: Marked,
    read: Sequence[int],
    lengths: Lengths,
) -> _Part:
    parts = []
    for label in labels:
        groups: list[list[spans.MarkedText]] = [[] for _ in range(given.number)]
        for row in read:
            of_unit = lengths.get(int(given.units[row]), {})
            groups[given.clusters[row]] += spans.texts_of(raters[row], label, of_unit)
        parts.append(spans.unitised(groups).columns)
    ends = np.cumsum([part.shape[1] for part in parts])[:-1]

    def of(drawn: Floats) -> Floats:
        each = [spans.disagreements(some) for some in np.split(drawn, ends, axis=1)]
        seen, chance = np.array(each).transpose(1, 2, 0)
        with_all = [np.column_stack([one.sum(axis=1), one]) for one in (seen, chance)]
        return spans.alphas(*with_all)

    reason = NOBODY_MARKED if lengths else NO_LENGTHS
    names = tuple(_each_label("alpha_unitised", labels))
    return _Part(names, np.hstack(parts), of, reason)


def _severity(given: _Given, labels: Sequence[str], raters: Marked, read: Sequence[int]) -> _Part:
    """Return the part for alpha of severities: coincidences by question and label."""
    severities = [one.value for one in given.dimension.severities]
    size = len(severities)
    rows = np.zeros((len(given.units), len(labels), size, size))
    for row in read:
        for place, label in enumerate(labels):
            said = [
                [some.count(severity) for severity in severities]
                for some in spans.severities_at(raters[row], label, severities)
            ]
            table = np.array(said, dtype=float).reshape(-1, size)
            rows[row, place] = alpha.coincidences(table).sum(axis=0)

    def of(drawn: Floats) -> Floats:
        each = drawn.reshape(len(drawn), len(labels), size, size)
        both = np.concatenate([each.sum(axis=1, keepdims=True), each], axis=1)
        return alpha.alphas(both.reshape(-1, size, size), "ordinal").reshape(len(drawn), -1)

    names = tuple(_each_label("alpha_severity", labels))
    summed = given.summed(rows).reshape(given.number, -1)
    return _Part(names, summed, of, NO_TWO_SEVERITIES)

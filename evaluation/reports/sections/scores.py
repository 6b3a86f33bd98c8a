"""Compute the numbers of systems, for every section of the report.

A system's number is the mean over its responses. Every response has one value for each item or
measure, or none:

    response items           the share of votes that are positive; utility: the mean of the raters'
                             degrees, 1 to 5
    numbers and spans        the mean over the response's units of the mean of the raters: of their
                             numbers, or of how many spans each marked
    items of smaller units   the mean over the response's units of the share of votes that are
                             positive; for a number with weights the mean of these, and if it says
                             so, of the weight of statements without citations
    ALCE and ALiiCE          as `evaluation/statistics/counts.py` counts, in the variant that the
                             judge's signature names: citations beyond the cap do not count, and
                             as released ALCE gives a response without a citation precision 0
    AutoAIS                  as its judge counts (`answer_fate`)
    other automatic judges   as people
    measures                 what the judge measured

With y_uw the vote of rater w on unit u, R_u raters of it, and x(y) what an answer counts:

    value of u = Σ_w x(y_uw) / R_u

Labels do not replace votes: a tie that counts as “no” would make systems with two ratings of each
unit lower than equal systems with three. A label counts without votes (a published majority), if
the filters ask for an adjudicator's decisions or Dawid and Skene's labels, and if the dimension's
label is the lowest answer of any rater. Papers that count majorities have their own tables
(`by_label`).

Verdicts on units that a judge was trained on are left out, and verdicts on systems that use
AutoAIS, unless the report includes outliers.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from annotate.protocol.dimensions import UnitKind
from evaluation.judges import alce, aliice, autoais
from evaluation.judges.registry import METRICS
from evaluation.judges.support import citation_fate, text_fate
from evaluation.reports.canonical_order import place_of
from evaluation.reports.data import KINDS
from evaluation.reports.items import ReportItem
from evaluation.reports.numbers import number
from evaluation.reports.selection import Selected
from evaluation.reports.shape.values import Number
from evaluation.statistics.bootstrap import Interval
from evaluation.statistics.counts import (
    Fate,
    VerdictCounts,
    Verdicts,
    citation_precision,
    claim_recall,
    counted,
    statement_precision,
    statement_recall,
)
from evaluation.statistics.error_bars import ErrorBar, Statistic, by_log, by_z, error_bars
from evaluation.statistics.means import means
from evaluation.statistics.ratings import Figure

CITATIONS = (UnitKind.CITATION.value, UnitKind.CLAIM_CITATION.value)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PerResponse:
    """A value of each response that has one, in the order of the responses."""

    response: Ints
    system: Ints
    """Places in `data.systems`."""

    question: Ints
    """Numbers of clusters."""

    value: Floats
    systems: tuple[int, ...]
    """All selected systems in order, also without values."""

    questions: int
    """The number of all clusters."""

    @property
    def column(self) -> Ints:
        """Return the place of each response's system among the selected ones."""
        places = np.full(max(self.systems, default=-1) + 1, -1, dtype=np.int64)
        places[list(self.systems)] = np.arange(len(self.systems))
        found: Ints = places[self.system]
        return found

    def where(self, kept: Bools) -> "PerResponse":
        """Return some of the responses, of the same systems and questions."""
        return PerResponse(
            self.response[kept],
            self.system[kept],
            self.question[kept],
            self.value[kept],
            self.systems,
            self.questions,
        )


@dataclass(frozen=True, slots=True)
class AutomaticNumber:
    """An automatic judge's item or measure, of which each system has a number."""

    judge: int
    key: str
    title: str
    is_item: bool


def people_values(selected: Selected, key: str, *, by_label: bool = False) -> PerResponse:
    """Return people's value of each response: the mean of their votes, or of labels."""
    what = "labels" if by_label else "people"
    return _cached(selected, what, -1, key, lambda: _people_values(selected, key, by_label))


def automatic_values(selected: Selected, judge: int, key: str) -> PerResponse:
    """Return an automatic judge's value of each response.

    `key` is an item that the judge answers, otherwise one of its measures.
    """
    return _cached(selected, "judge", judge, key, lambda: _automatic_values(selected, judge, key))


def people_items(selected: Selected) -> list[ReportItem]:
    """Return the items on which systems have numbers of people."""
    return [
        item
        for item in selected.items()
        if item.of_people
        and item.has_number
        and item.unit_kind is not UnitKind.PAIR  # see the section `pairs`
        and len(people_values(selected, item.key).response)
    ]


def automatic_columns(selected: Selected) -> list[AutomaticNumber]:
    """Return the numbers of automatic judges: by judge, items before measures."""
    found = []
    for judge in selected.judges:
        for item in selected.items():
            if item.of_judges and item.has_number and _has_answers(selected, judge, item.key):
                found.append(AutomaticNumber(judge, item.key, item.title, is_item=True))
        for name in selected.measure_names(judge):
            metric = METRICS.get(name)
            title = (metric.mean or metric.title) if metric else name
            found.append(AutomaticNumber(judge, name, title, is_item=False))
    return found


def _has_answers(selected: Selected, judge: int, key: str) -> bool:
    """Whether the judge has a value, also one that its metric counts without an answer (AutoAIS
    without sources)."""
    only = selected.data.judges[judge].answers_only
    if only and only != key:
        return False  # it was not asked about this item, and its metric would count that
    count = (selected.data.judges[judge].name.split("|")[0], key) in _COUNTERS
    if not count and judge not in selected.answering(key):
        return False
    return len(automatic_values(selected, judge, key).response) > 0


def sums(values: PerResponse) -> Floats:
    """Return questions × systems × (sum, count), which a bootstrap of the means weighs."""
    wide = len(values.systems)
    cells, size = values.question * wide + values.column, values.questions * wide
    total = np.bincount(cells, values.value, minlength=size)
    count = np.bincount(cells, minlength=size)
    return np.stack([total, count], axis=1).astype(float).reshape(values.questions, wide, 2)


def by_question(values: PerResponse) -> Floats:
    """Return questions × systems: the mean over a system's responses (runs), NaN without any."""
    return means(sums(values))


def bars(selected: Selected, statistic: Statistic) -> list[ErrorBar]:
    """Return error bars by resampling the selected questions: all statistics share the draws."""
    return error_bars(
        statistic,
        len(selected.questions),
        resamples=selected.filters.resamples,
        seed=selected.seed,
    )


def ends_of(selected: Selected, column: AutomaticNumber) -> tuple[float, float] | None:
    """Return the ends of a response's value; None if it has no upper end."""
    if column.is_item:
        return selected.known[column.key].ends
    metric = METRICS.get(column.key)
    return (0.0, 1.0) if metric is not None and metric.kind == "share" else None


def interval_of(
    value: float | None, bar: ErrorBar, questions: int, ends: tuple[float, float] | None
) -> tuple[Interval, str]:
    """Return the interval of a system's number, and its name in a signature.

    Near an end of its scale a mean is skewed: there, percentile intervals from few questions hold
    the truth far too seldom, see `bench/coverage_means.py`.
    """
    if ends is None:
        return by_log(value, bar, questions), "interval:log"
    least, most = ends
    return by_z(value, bar, questions, least=least, most=most), "interval:z"


def mean_number(
    figure: Figure,
    responses: int,
    bar: ErrorBar,
    questions: int,
    ends: tuple[float, float] | None,
    signature: str = "",
) -> Number:
    """Return a system's number with its interval."""
    interval, how = interval_of(figure.value, bar, questions, ends)
    signed = "|".join(filter(None, (signature, how)))
    return number(figure, n=responses, of="responses", bar=bar, interval=interval, signature=signed)


# People ------------------------------------------------------------------------------------------


def _people_values(selected: Selected, key: str, by_label: bool) -> PerResponse:
    item = selected.known[key]
    worth_of = cache(item.worth)
    labels = {unit: worth_of(value) for unit, value in selected.labels(key).items()}
    if by_label and not item.is_mean:
        worth = labels
    elif selected.counts_labels(item):
        worth = _shares(selected, item) | labels
    else:
        worth = labels | _shares(selected, item)
    return _mean_over_units(selected, worth | _uncited(selected, item, worth))


def _shares(selected: Selected, item: ReportItem) -> dict[int, float]:
    """Return each unit's mean of what its votes count."""
    if selected.filters.labels == "adjudicated" or item.is_derived:
        worth = cache(item.worth)
        votes = selected.votes_after_decisions(item.key)
        return {unit: sum(map(worth, by.values())) / len(by) for unit, by in votes.items() if by}
    columns = selected.columns(item.key)
    counted = np.array([item.worth(value) for value in columns.values])
    units, row = np.unique(columns.unit, return_inverse=True)
    shares = np.bincount(row, counted[columns.value]) / np.bincount(row)
    return dict(zip(units.tolist(), shares.tolist(), strict=True))


def _uncited(selected: Selected, item: ReportItem, known: Collection[int]) -> dict[int, float]:
    """Return what statements count that were not asked about, since none of their citations counts,
    if the item defines it: only in responses with other values."""
    if item.derived is None or item.derived.uncited is None or not known:
        return {}
    units = selected.data.units
    response = selected.unit_response
    answered = np.isin(response, response[np.fromiter(known, dtype=np.int64)])
    silent = answered & (units.kind == KINDS.index(UnitKind.STATEMENT.value))
    citing = answered & units.in_range & (units.kind == KINDS.index(UnitKind.CITATION.value))
    cap = selected.data.study.citation_cap
    counting = [
        citation
        for citation in np.flatnonzero(citing).tolist()
        if cap is None or place_of(units.key[citation])[-1] <= cap
    ]
    silent[units.parent[counting]] = False
    found = np.flatnonzero(silent & (selected.unit_question >= 0)).tolist()
    return dict.fromkeys(set(found) - {*known}, item.derived.uncited)


def _mean_over_units(selected: Selected, values: dict[int, float]) -> PerResponse:
    units = np.fromiter(values, dtype=np.int64, count=len(values))
    each = np.fromiter(values.values(), dtype=np.float64, count=len(values))
    response = selected.unit_response[units]
    size = len(selected.data.responses)
    return _per_response(
        selected,
        np.bincount(response, each, minlength=size).astype(float),
        np.bincount(response, minlength=size).astype(float),
    )


# Automatic judges --------------------------------------------------------------------------------


def _automatic_values(selected: Selected, judge: int, key: str) -> PerResponse:
    name, *options = selected.data.judges[judge].name.split("|")
    count = _COUNTERS.get((name, key))
    if count is not None:
        return count(_JudgeVerdicts(selected, judge), "variant:paper" in options)
    if key in selected.known and judge in selected.answering(key):
        item = selected.known[key]
        said = {unit: item.worth(value) for unit, value in selected.answers(judge, key).items()}
        return _mean_over_units(selected, said | _uncited(selected, item, said))
    measured = key in selected.measure_names(judge)
    return _measured(selected, selected.measures(judge, key) if measured else {})


def _measured(selected: Selected, found: dict[int, float]) -> PerResponse:
    part, whole = np.zeros((2, len(selected.data.responses)))
    places = list(found)
    part[places], whole[places] = list(found.values()), 1
    return _per_response(selected, part, whole)


class _JudgeVerdicts:
    """An automatic judge's verdicts, counted by response."""

    def __init__(self, selected: Selected, judge: int) -> None:
        self.selected = selected
        data = selected.data
        unit = data.judgments.unit
        own = data.judgments.judge == judge
        own &= (selected.response_question >= 0)[selected.unit_response[unit]]
        if not selected.filters.outliers:
            uses = np.array([system.uses_autoais for system in data.systems], dtype=bool)
            own &= ~uses[selected.unit_system[unit]]
        counted = own & (selected.unit_question[unit] >= 0) & ~_trained(selected, judge)[unit]
        rows = np.flatnonzero(counted)
        self.dimension = data.judgments.dimension[rows]
        self.unit = unit[rows]
        self.response = selected.unit_response[self.unit]
        self.value = data.judgments.value[rows]
        self.reason = data.judgments.reason[rows]
        self.incomplete = np.zeros(len(data.responses), dtype=bool)
        """Responses with verdicts that do not count here."""
        self.incomplete[selected.unit_response[unit[own & ~counted]]] = True

    def of(self, dimension: str) -> Bools:
        return np.asarray(self.dimension == self.selected.data.protocol.order[dimension])

    def count(self, rows: Bools | Ints) -> Floats:
        size = len(self.selected.data.responses)
        return np.bincount(self.response[rows], minlength=size).astype(float)

    def counted(self, recall: str, support: str) -> VerdictCounts:
        """Return the counts by response, from the two dimensions of a metric of citations."""
        texts, citations = self.of(recall), self.of(support)
        parent = self.selected.data.units.parent[self.unit[citations]]
        return counted(
            Verdicts(self.response[texts], self.unit[texts], self.fates(recall, texts, text_fate)),
            Verdicts(
                self.response[citations], parent, self.fates(support, citations, citation_fate)
            ),
            len(self.selected.data.responses),
        )

    def fates(self, dimension: str, rows: Bools | Ints, fate: Callable[[str, str], Fate]) -> Ints:
        """Return the fate of each verdict, computed once for each different one."""
        values, reasons = self.selected.data.protocol[dimension].values, self.selected.data.reasons
        wide = len(values) + 1
        codes, place = np.unique(
            (self.reason[rows] + 1) * wide + self.value[rows] + 1, return_inverse=True
        )
        fates = [
            fate(values[value - 1] if value else "", reasons[reason - 1] if reason else "")
            for reason, value in (divmod(code, wide) for code in codes.tolist())
        ]
        return np.array(fates, dtype=np.int64)[place]


def _trained(selected: Selected, judge: int) -> Bools:
    """Return the units that the judge was trained on, and their citations."""
    data = selected.data
    found = np.zeros(len(data.units) + 1, dtype=bool)
    found[data.trained_on.unit[data.trained_on.judge == judge]] = True
    is_citation = np.isin(data.units.kind, [KINDS.index(kind) for kind in CITATIONS])
    with_parents: Bools = found[:-1] | (is_citation & found[data.units.parent])
    return with_parents


def _attributable(verdicts: _JudgeVerdicts, paper: bool) -> PerResponse:
    """AutoAIS: whether the response is attributable."""
    rows = np.flatnonzero(verdicts.of(autoais.ATTRIBUTABLE))
    fates = verdicts.fates(autoais.ATTRIBUTABLE, rows, autoais.answer_fate)
    yes = verdicts.count(rows[fates == Fate.SUPPORTED])
    no = verdicts.count(rows[fates == Fate.UNSUPPORTED])
    return _per_response(verdicts.selected, yes, yes + no)


def _recall(verdicts: _JudgeVerdicts, paper: bool) -> PerResponse:
    """ALCE: the share of the response's statements that are supported."""
    return _per_response(verdicts.selected, *statement_recall(verdicts.counted(*_STATEMENTS)))


def _precision(verdicts: _JudgeVerdicts, paper: bool) -> PerResponse:
    """ALCE: the share of the response's citations that are needed.

    As released, it is 0 for a response with statements but no citation. If the response cites, and
    only recall was judged or counts here, precision is unknown.
    """
    counts = verdicts.counted(*_STATEMENTS)
    silent = (counts.citations == 0) & (counts.texts > 0) & ~verdicts.incomplete
    cites = verdicts.selected.data.responses.citations > 0
    silent &= ~cites | (verdicts.count(verdicts.of(alce.SUPPORT)) > 0)
    return _per_response(
        verdicts.selected, *statement_precision(counts, paper=paper, silent=silent)
    )


def _claim_recall(verdicts: _JudgeVerdicts, paper: bool) -> PerResponse:
    """ALiiCE: the share of the response's claims that are supported."""
    counts = verdicts.counted(*_CLAIMS)
    return _per_response(verdicts.selected, *claim_recall(counts, paper=paper))


def _claim_precision(verdicts: _JudgeVerdicts, paper: bool) -> PerResponse:
    """ALiiCE: the share of the claims' citations that are needed."""
    counts = verdicts.counted(*_CLAIMS)
    return _per_response(verdicts.selected, *citation_precision(counts, paper=paper))


_STATEMENTS = (alce.RECALL, alce.SUPPORT)
_CLAIMS = (aliice.RECALL, aliice.SUPPORT)

_COUNTERS: dict[tuple[str, str], Callable[[_JudgeVerdicts, bool], PerResponse]] = {
    ("autoais", autoais.ATTRIBUTABLE): _attributable,
    ("alce", alce.RECALL): _recall,
    ("alce", alce.PRECISION): _precision,
    ("aliice", aliice.RECALL): _claim_recall,
    ("aliice", aliice.PRECISION): _claim_precision,
}
"""By judge and item, how verdicts are counted; others are means over the units answered."""


def _per_response(selected: Selected, part: Floats, whole: NDArray[Any]) -> PerResponse:
    """Return the quotients of the selected responses whose whole is not 0."""
    chosen = np.sort(np.asarray(selected.responses, dtype=np.int64))
    chosen = chosen[whole[chosen] > 0]
    return PerResponse(
        chosen,
        selected.data.responses.system[chosen].astype(np.int64),
        selected.response_question[chosen].astype(np.int64),
        part[chosen] / whole[chosen],
        tuple(selected.systems),
        len(selected.questions),
    )


_Place = tuple[str, int, str]
_CACHE: WeakKeyDictionary[Selected, dict[_Place, PerResponse]] = WeakKeyDictionary()


def _cached(
    selected: Selected, what: str, judge: int, key: str, make: Callable[[], PerResponse]
) -> PerResponse:
    """Compute values once for each selection: several sections need them."""
    known = _CACHE.setdefault(selected, {})
    place = (what, judge, key)
    if place not in known:
        known[place] = make()
    return known[place]

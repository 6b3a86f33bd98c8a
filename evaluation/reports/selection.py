"""The selected part of a study, with votes, labels and answers for every section of a report."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annotate.protocol.dimensions import OF_CLAIMS, is_written
from evaluation.reports.answers import Answers
from evaluation.reports.data import Flags01, Floats, Ints, ReportData
from evaluation.reports.filters import Filters
from evaluation.reports.items import ReportItem, items_of
from evaluation.reports.questions import question_signature
from evaluation.reports.scope import ReportScope, groups
from evaluation.reports.selected_votes import (
    Votes,
    above_of,
    derived_votes,
    skips,
    vote_columns,
)
from evaluation.reports.unit_labels import UnitLabels, labels_of
from evaluation.statistics.bootstrap import per_cluster
from evaluation.statistics.labels import label_signature, votes_signature
from evaluation.statistics.open_labels import whether
from evaluation.statistics.votes import VoteColumns

NOTHING_PARSED = "where people wrote a claim the parser has none"
"""Why a judge has no answer there."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Counts of data that do not count."""

    excluded_raters: int
    excluded_answers: int
    unfinished_answers: int
    """Answers in unfinished ratings."""

    trained_on: dict[str, int]
    """By judge, the number of units that its scorer was trained on."""

    autoais_systems: tuple[str, ...]
    """Systems that use the metric themselves: without automatic scores of their citations."""

    not_fine_grained: int
    """Responses without a citation within a sentence."""

    flags: dict[str, int]
    """By reason, flags on selected units. Flagged units count."""


def select(data: ReportData, filters: Filters) -> "Selected":
    """Return the part of a study that the filters select; raise FilterError for unknown names."""
    return Selected(ReportScope(data, filters))


class Selected:
    """The selected part of a study.

    Units, responses, systems and judges are places in the data; a question's cluster number is its
    place in `questions`. Results are computed on first use and kept.
    """

    def __init__(self, scope: ReportScope) -> None:
        self.data, self.filters = scope.data, scope.filters
        self.batch = scope.batch
        seed = scope.filters.seed
        self.seed: int = scope.data.study.seed if seed is None else seed
        self.systems: list[int] = scope.systems
        self.questions: list[int] = scope.questions
        self.responses: Ints = scope.responses
        self.response_question: Ints = scope.response_question
        self.unit_response: Ints = scope.unit_response
        self.unit_system: Ints = scope.unit_system
        self.unit_question: Ints = scope.unit_question
        self._scope = scope
        self._columns: dict[str, VoteColumns] = {}
        self._votes: dict[str, Votes] = {}
        self._labels: dict[str, UnitLabels] = {}
        self._parts: dict[str, dict[int, int]] = {}
        self._answers: dict[int, Answers] = {}
        self._values: dict[tuple[int, str], dict[int, str]] = {}
        self._scores: dict[tuple[int, str], dict[int, float]] = {}

    # Who and what --------------------------------------------------------------------------------

    @cached_property
    def groups(self) -> list[list[int]]:
        """Return groups of systems that can be ranked together, as places in `systems`."""
        system = np.searchsorted(self.systems, self.data.responses.system[self.responses])
        question = self.response_question[self.responses]
        answered = np.zeros((len(self.questions), len(self.systems)), dtype=bool)
        answered[question, system] = True
        return groups(answered)

    @cached_property
    def raters(self) -> list[int]:
        """Return people with a vote that counts."""
        found = [
            self.columns(key).judge
            for key in self.data.protocol
            if key in self.known and self._is_wanted(self.known[key])
        ]
        return np.unique(np.concatenate(found)).tolist() if found else []

    @cached_property
    def judges(self) -> list[int]:
        """Return the chosen automatic judges with answers, reasons for none, or measures."""
        chosen = np.flatnonzero(self._scope.is_chosen).tolist()
        return [judge for judge in chosen if self._of(judge).has_rows()]

    def variants(self, judge: int) -> dict[int, tuple[str, ...]]:
        """Return the variants of this judge, with the varied parts."""
        return self._scope.variants.get(judge, {})

    @cached_property
    def _judge_ids(self) -> dict[int, str]:
        return {judge: f"j{number}" for number, judge in enumerate(self.judges, 1)}

    def judge_id(self, judge: int) -> str:
        """Return the judge's id in the report: j1, j2 … in the order of names."""
        return self._judge_ids[judge]

    @property
    def known(self) -> Mapping[str, ReportItem]:
        """Return all items of the protocol."""
        return items_of(self.data.protocol)

    def items(self) -> list[ReportItem]:
        """Return the items that anybody answered."""
        return self._items

    def choice_items(self) -> list[ReportItem]:
        """Return answered items with one choice, without numbers that weigh another item's."""
        return [item for item in self._items if item.is_choice and not item.weights]

    def open_items(self) -> list[ReportItem]:
        """Return answered items whose answers are not one choice."""
        return [item for item in self._items if not (item.is_choice or item.weights)]

    @cached_property
    def _items(self) -> list[ReportItem]:
        return [
            item
            for item in self.known.values()
            if self._is_wanted(item)
            and (self.votes(item.key) or self.labels(item.key) or self.answering(item.key))
        ]

    def _is_wanted(self, item: ReportItem) -> bool:
        dimensions = self.filters.dimensions
        return not dimensions or {*(item.derived_from or (item.key,))} <= {*dimensions}

    def of_slice(self, one: str) -> Flags01:
        """Return which of the selected questions are in a slice."""
        return self._scope.of_slices("compare", [one])[self.questions]

    # People --------------------------------------------------------------------------------------

    def columns(self, key: str) -> VoteColumns:
        """Return people's counted votes on a dimension as columns."""
        if key not in self._columns:
            self._columns[key] = vote_columns(self._scope, key)
        return self._columns[key]

    def votes(self, key: str) -> Votes:
        """Return people's counted votes on an item, by unit and judge."""
        if key not in self._votes:
            item = self.known[key]
            self._votes[key] = (
                self._derived_votes(item, self.votes)
                if item.is_derived
                else self.columns(key).by_unit()
            )
        return self._votes[key]

    def votes_after_decisions(self, key: str) -> Votes:
        """Return the votes, with an adjudicator's decision instead of every vote on its unit."""
        item = self.known[key]
        if item.is_derived:
            return self._derived_votes(item, self.votes_after_decisions)
        made = self._labelled(key)
        return {
            unit: dict.fromkeys(by, made.values[unit]) if unit in made.decided else by
            for unit, by in self.votes(key).items()
        }

    def _derived_votes(self, item: ReportItem, of: Callable[[str], Votes]) -> Votes:
        votes = [of(source) for source in item.derived_from]
        return derived_votes(self.data, item, votes, self._above(item)) if any(votes) else {}

    def skips(self, key: str) -> tuple[Ints, list[str]]:
        """Return the raters who skipped a dimension, and their reasons."""
        judge, reason = skips(self._scope, key)
        return judge, [self.data.reasons[place] for place in reason.tolist()]

    def asked(self) -> list[ReportItem]:
        """Return the dimensions that the filters include."""
        return [self.known[k] for k in self.data.protocol if self._is_wanted(self.known[k])]

    def labels(self, key: str) -> dict[int, str]:
        """Return one label for each unit with votes, or with a published majority."""
        return self._labelled(key).values

    def label_sources(self) -> list[str]:
        """Return the sources of the labels: the filters' method, published majorities."""
        found = [self._labelled(item.key).sources for item in self._items]
        return sorted(frozenset[str]().union(*found))

    def label_name(self) -> str:
        """Return the signature of the labels' method."""
        return label_signature(self.filters.labels, self._scope.batch_id, self.filters.slices)

    def counts_labels(self, item: ReportItem) -> bool:
        """Whether a system's number uses labels instead of all votes: with Dawid-Skene, and where
        the dimension's label is the lowest answer of any rater."""
        asked = (self.data.protocol[key] for key in item.derived_from or (item.key,))
        by_anybody = not item.is_mean and any(one.label_by == "any" for one in asked)
        return self.filters.labels == "dawid-skene" or by_anybody

    def number_name(self, item: ReportItem) -> str:
        """Return the signature of how people's votes become a system's number."""
        if self.counts_labels(item):
            return self.label_name()
        way = "mean of raters" if item.is_mean else "shares of votes"
        way += "|adjudicated" * (self.filters.labels == "adjudicated")
        return votes_signature(way, self._scope.batch_id, self.filters.slices)

    def signed(self, key: str, signature: str) -> str:
        """Return a number's signature with that of its dimension."""
        question = question_signature(self.data.study, self.known[key])
        return "|".join(filter(None, (signature, question)))

    def _labelled(self, key: str) -> UnitLabels:
        if key not in self._labels:
            item = self.known[key]
            self._labels[key] = (
                self._derived_labels(item)
                if item.is_derived
                else labels_of(self._scope, key, self.columns(key))
            )
        return self._labels[key]

    def _derived_labels(self, item: ReportItem) -> UnitLabels:
        """Derive labels from the labels of all sources, as if one rater had given them."""
        labels = [self._labelled(source) for source in item.derived_from]
        if not any(made.values for made in labels):
            return UnitLabels({})
        one = [{unit: {0: value} for unit, value in made.values.items()} for made in labels]
        found = derived_votes(self.data, item, one, self._above(item))
        values = {unit: given[0] for unit, given in found.items()}
        if item.is_whether:
            values |= self._whether(item, labels[0])
        sources = frozenset[str]().union(*(made.sources for made in labels))
        return UnitLabels(values, sources if values else frozenset())

    def _whether(self, item: ReportItem, made: UnitLabels) -> dict[int, str]:
        """Derive labels from the votes, for units whose label is made from votes."""
        dimension = self.data.protocol[item.derived_from[0]]
        return {
            unit: whether(dimension, votes.values())
            for unit, votes in self.votes(item.key).items()
            if unit in made.values and unit not in made.decided
        }

    # Automatic judges ----------------------------------------------------------------------------

    def answering(self, key: str) -> list[int]:
        """Return the judges with answers on an item."""
        if not self.known[key].of_judges:
            return []
        return [judge for judge in self.judges if self.answers(judge, key)]

    def answers(self, judge: int, key: str) -> dict[int, str]:
        """Return a judge's answers on an item by unit, without units it was trained on."""
        if (judge, key) not in self._values:
            item = self.known[key]
            found = self._of(judge).values(item, lambda: self._above(item))
            self._values[judge, key] = found
        return self._values[judge, key]

    def compared(self, judge: int, key: str) -> dict[int, str]:
        """Return a judge's answers at people's units, see `Answers.at_places`."""
        return self._of(judge).at_places(self.answers(judge, key))

    def scores(self, judge: int, key: str) -> dict[int, float]:
        """Return a judge's probabilities of “yes” at people's units; empty if it gives none."""
        if (judge, key) not in self._scores:
            of_judge = self._of(judge)
            self._scores[judge, key] = of_judge.at_places(of_judge.scores(self.known[key]))
        return self._scores[judge, key]

    def not_judged(self, judge: int, key: str) -> Counter[str]:
        """Count the reasons for a judge's missing answers on an item."""
        found = self._of(judge).not_judged(self.known[key])
        unmatched = len(self._without_parsers(key) - self.answers(judge, key).keys())
        return found + Counter({NOTHING_PARSED: unmatched} if unmatched else {})

    def unmatched(self, key: str) -> int:
        """Count labels on people's claims without a claim of the parser."""
        return len(self._without_parsers(key))

    def _without_parsers(self, key: str) -> set[int]:
        if self.known[key].unit_kind not in OF_CLAIMS:
            return set()
        written = {unit for unit in self.labels(key) if is_written(self.data.units.key[unit])}
        return written - self._scope.parsers_at.keys()

    def measure_names(self, judge: int) -> list[str]:
        """Return the names of a judge's measures of selected responses, also of missing ones."""
        measures = self.data.measures
        own = (measures.judge == judge) & self._scope.response_selected[measures.response]
        return [self.data.measure_names[place] for place in np.unique(measures.name[own])]

    def measures(self, judge: int, name: str) -> dict[int, float]:
        """Return a judge's measures of one name, by response."""
        own = self._measured(judge, name)
        measures = self.data.measures
        own = own[~np.isnan(measures.value[own])]
        return dict(zip(measures.response[own].tolist(), measures.value[own].tolist(), strict=True))

    def _measured(self, judge: int, name: str) -> Ints:
        measures = self.data.measures
        own = (measures.judge == judge) & self._scope.response_selected[measures.response]
        own &= measures.name == self.data.measure_names.index(name)
        return np.flatnonzero(own).astype(np.int32)

    def _of(self, judge: int) -> Answers:
        if judge not in self._answers:
            self._answers[judge] = Answers(self._scope, judge)
        return self._answers[judge]

    def _above(self, item: ReportItem) -> dict[int, int]:
        if item.key not in self._parts:
            self._parts[item.key] = above_of(self.data, item)
        return self._parts[item.key]

    # Clusters ------------------------------------------------------------------------------------

    def per_question(self, rows: Floats, units: Sequence[int] | Ints) -> Floats:
        """Return the sums of the units' rows by question, one row for every question."""
        clusters = self.unit_question[np.asarray(units, dtype=np.int32)]
        return per_cluster(rows, clusters, len(self.questions))

    def per_question_of_responses(self, rows: Floats, responses: Sequence[int] | Ints) -> Floats:
        """Return the sums of the responses' rows by question."""
        clusters = self.response_question[np.asarray(responses, dtype=np.int32)]
        return per_cluster(rows, clusters, len(self.questions))

    # What does not count -------------------------------------------------------------------------

    @cached_property
    def left_out(self) -> LeftOut:
        scope, judgments, flags = self._scope, self.data.judgments, self.data.flags
        silent = scope.is_person & ~scope.counts
        raters, answers = set[int](), 0
        for key in self.data.protocol:
            rows = scope.rows(key)
            unit, judge = judgments.unit[rows], judgments.judge[rows]
            lost = silent[judge] & (judgments.value[rows] >= 0) & scope.unit_selected[unit]
            unit, judge = unit[lost], judge[lost]
            judge = judge[scope.in_batch(key, unit, judge)]
            raters.update(judge.tolist())
            answers += len(judge)
        unfinished = self.data.unfinished
        unit, judge = unfinished.unit, unfinished.judge
        kept = sum(
            int(scope.in_batch(key, unit[own], judge[own]).sum())
            for place, key in enumerate(self.data.protocol)
            if (own := (unfinished.dimension == place) & scope.unit_selected[unit]).any()
        )
        flagged = scope.unit_selected[flags.unit].tolist()
        reasons = Counter(r for r, is_in in zip(flags.reason, flagged, strict=True) if is_in)
        systems = [self.data.systems[place] for place in self.systems]
        trained = {self.data.judges[j].name: self._of(j).trained_on() for j in self.judges}
        return LeftOut(
            excluded_raters=len(raters),
            excluded_answers=answers,
            unfinished_answers=kept,
            trained_on={name: count for name, count in trained.items() if count},
            autoais_systems=tuple(
                s.name for s in systems if s.uses_autoais and not self.filters.outliers
            ),
            not_fine_grained=scope.not_fine_grained,
            flags=dict(sorted(reasons.items())),
        )

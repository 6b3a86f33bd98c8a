"""Answers of automatic judges, and the part of them that is compared with people.

Units that a judge's scorer was trained on are left out, and systems that use the metric
themselves, unless the filters include them.

People may have written the claims that they judged. A judge's answer on a parser's claim is then
compared with theirs at the same marks (see `annotate/protocol/places.py`).
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np

from evaluation.reports.data import Flags01, Ints, places_of_values
from evaluation.reports.items import ReportItem
from evaluation.reports.scope import ReportScope
from evaluation.reports.selected_votes import derived_votes

Said = TypeVar("Said")


class Answers:
    """The answers of one judge."""

    def __init__(self, scope: ReportScope, judge: int) -> None:
        self._scope, self._judge = scope, judge
        data = scope.data
        self._trained: Flags01 = np.zeros(len(data.units), dtype=bool)
        self._trained[data.trained_on.unit[data.trained_on.judge == judge]] = True
        self._rows: dict[str, Ints] = {}

    def trained_on(self) -> int:
        """Count the selected units that the judge's scorer was trained on."""
        return int((self._trained & self._scope.unit_selected).sum())

    def has_rows(self) -> bool:
        """Whether the judge has an answer, a reason for none, or a measure in the selection."""
        return any(len(self._shown(key)) for key in self._scope.data.protocol) or self._measured()

    def values(self, item: ReportItem, above: Callable[[], Mapping[int, int]]) -> dict[int, str]:
        """Return answers by unit. `above` returns the parent of each unit, for derived items."""
        if not item.of_judges:
            return {}
        if item.is_derived:
            return self._derived(item, above)
        rows, data = self._shown(item.key), self._scope.data
        values = data.votable(item.key)
        value = places_of_values(data.values(item.key), values)[data.judgments.value[rows]]
        unit = data.judgments.unit[rows]
        kept = (value >= 0) & ~self._trained[unit]
        return {
            about: values[place]
            for about, place in zip(unit[kept].tolist(), value[kept].tolist(), strict=True)
        }

    def at_places(self, said: Mapping[int, Said]) -> dict[int, Said]:
        """Add its answers on the parser's claims where people wrote theirs at the same marks."""
        places, above = self._scope.parsers_at, self._scope.data.units.parent
        trained = {place for place in places if self._trained[place]}
        led = {
            place: said[unit]
            for place, unit in places.items()
            if unit in said and not {place, int(above[place])} & trained
        }
        return {**led, **said}

    def _derived(self, item: ReportItem, above: Callable[[], Mapping[int, int]]) -> dict[int, str]:
        votes = [self._raw(key) for key in item.derived_from]
        if not any(votes):
            return {}
        higher = above()
        found = derived_votes(self._scope.data, item, votes, higher)
        selected, trained = self._scope.unit_selected, self._trained
        return {
            unit: values[self._judge]
            for unit, values in found.items()
            if selected[unit] and not trained[unit] and not trained[higher.get(unit, unit)]
        }

    def _raw(self, key: str) -> dict[int, dict[int, str]]:
        """Return all answers on a question, also on units that are not selected: a citation may be
        selected without its statement."""
        rows, judgments = self._own(key), self._scope.data.judgments
        rows = rows[judgments.value[rows] >= 0]
        values = self._scope.data.values(key)
        return {
            unit: {self._judge: values[place]}
            for unit, place in zip(
                judgments.unit[rows].tolist(), judgments.value[rows].tolist(), strict=True
            )
        }

    def scores(self, item: ReportItem) -> dict[int, float]:
        """Return the judge's probability of “yes” by unit, where it answered and gave one."""
        if item.is_derived or not item.is_yes_no or not item.of_judges:
            return {}
        rows, judgments = self._shown(item.key), self._scope.data.judgments
        unit, score = judgments.unit[rows], judgments.score[rows]
        kept = (judgments.value[rows] >= 0) & ~np.isnan(score) & ~self._trained[unit]
        return dict(zip(unit[kept].tolist(), score[kept].tolist(), strict=True))

    def not_judged(self, item: ReportItem) -> Counter[str]:
        """Count reasons for missing answers. For a derived item, those about the citations."""
        key = item.derived_from[-1] if item.is_derived else item.key
        rows, data = self._shown(key), self._scope.data
        reasons = data.judgments.reason[rows]
        counted = Counter(reasons[reasons >= 0].tolist())
        return Counter({data.reasons[place]: n for place, n in sorted(counted.items())})

    # Rows ----------------------------------------------------------------------------------------

    def _own(self, key: str) -> Ints:
        """Return the rows of this judge's judgments on a question, without hidden systems."""
        if key not in self._rows:
            rows, judgments = self._scope.rows(key), self._scope.data.judgments
            own = rows.start + np.flatnonzero(judgments.judge[rows] == self._judge)
            shown = ~self._scope.is_hidden[judgments.unit[own]]
            self._rows[key] = own[shown].astype(np.int32)
        return self._rows[key]

    def _shown(self, key: str) -> Ints:
        rows = self._own(key)
        return rows[self._scope.unit_selected[self._scope.data.judgments.unit[rows]]]

    def _measured(self) -> bool:
        measures = self._scope.data.measures
        own = measures.response[measures.judge == self._judge]
        return bool(self._scope.response_selected[own].any())

"""The responses, units and answers that the filters select."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from annotate.protocol.dimensions import OF_CLAIMS, UnitKind, is_written
from annotate.protocol.places import CitationOfClaim, parsed_units
from annotate.protocol.signatures import split_variations
from annotate.protocol.slices import DATASET, is_in_slices, split_slice, values_by_key
from evaluation.reports.data import KINDS, BatchRecord, Flags01, Ints, ReportData
from evaluation.reports.filters import FilterError, Filters
from evaluation.statistics.votes import is_among

NAMED = 5
"""The number of known names that a message about an unknown one lists."""


class ReportScope:
    """The selected part of the data. Clusters are the questions of the selected responses; they
    are fixed, so every number is resampled in the same way."""

    def __init__(self, data: ReportData, filters: Filters) -> None:
        self.data, self.filters = data, filters
        self.batch = _batch(data, filters)
        self._refuse_unknown()
        responses = data.responses
        wanted = np.isin(responses.system, self._systems())
        if filters.slices:
            wanted &= self.of_slices("slices", filters.slices)[responses.question]
        if filters.fine_grained:
            self.not_fine_grained = int((wanted & ~responses.positional).sum())
            wanted &= responses.positional
        else:
            self.not_fine_grained = 0
        unit_wanted: Flags01 = np.ones(len(data.units), dtype=bool)
        others = data.others
        if self.batch is not None:
            units = data.items.unit[data.items.batch == self._batch_place]
            # With the other responses of pairs; -1 is none.
            held = np.concatenate([data.units.response[units], others[units]])
            wanted &= np.isin(np.arange(len(responses)), held)
            if self.batch.by_unit:
                unit_wanted = np.isin(np.arange(len(data.units)), units)
        self.responses: Ints = np.flatnonzero(wanted).astype(np.int32)
        self.systems: list[int] = np.unique(responses.system[wanted]).tolist()
        self.questions: list[int] = np.unique(responses.question[wanted]).tolist()
        cluster = np.full(len(data.questions), -1, dtype=np.int32)
        cluster[self.questions] = np.arange(len(self.questions), dtype=np.int32)
        self.response_question: Ints = np.where(wanted, cluster[responses.question], -1).astype(
            np.int32
        )
        self.response_selected: Flags01 = wanted
        self.unit_response: Ints = data.units.response
        self.unit_system: Ints = responses.system[data.units.response]
        unit_wanted &= (others < 0) | wanted[others]
        self.unit_selected: Flags01 = wanted[data.units.response] & unit_wanted
        self.unit_question: Ints = np.where(
            self.unit_selected, self.response_question[data.units.response], -1
        ).astype(np.int32)

    def _systems(self) -> list[int]:
        names = [system.name for system in self.data.systems]
        return _places(names, self.filters.systems, "systems", "a system with responses")

    def of_slices(self, field: str, slices: Sequence[str]) -> Flags01:
        """Return which questions are in the slices; refuse an unknown slice."""
        data = self.data
        for key, value in map(split_slice, slices):
            if not any(known.get(key) == value for known in data.facets):
                values = sorted({known[key] for known in data.facets if key in known})
                some = ", ".join(f"{key}={one}" for one in values[:NAMED]) or "there is none"
                raise FilterError(
                    field, f"a slice of the study's questions ({some})", f"{key}={value}"
                )
        wanted = values_by_key(slices)
        return np.array(
            [is_in_slices(data.of_question(place), wanted) for place in range(len(data.questions))],
            dtype=bool,
        )

    def _refuse_unknown(self) -> None:
        known = [*self.data.protocol]
        _places(known, self.filters.dimensions, "dimensions", "a dimension of the study")
        names = [judge.name for judge in self.data.judges if judge.is_automatic]
        _places(names, self.filters.judges, "judges", "an automatic judge of the study")
        if self.filters.primary:
            _places(names, [self.filters.primary], "primary", "an automatic judge of the study")
        if self.filters.split != DATASET:
            keys = sorted({DATASET}.union(*self.data.facets))
            expected = "a key of what is known of the study's questions"
            _places(keys, [self.filters.split], "split", expected)

    @cached_property
    def _batch_place(self) -> int:
        return next(
            place for place, one in enumerate(self.data.batches) if one.id == self.filters.batch
        )

    @property
    def batch_id(self) -> int | None:
        """Return the batch's key in the installation, if any."""
        return None if self.batch is None else self.batch.id

    @property
    def asked(self) -> tuple[str, ...]:
        """Return the dimensions of the batch, or of the whole study."""
        return self.data.study.dimensions if self.batch is None else self.batch.dimensions

    # Rows of judgments ---------------------------------------------------------------------------

    @cached_property
    def _bounds(self) -> list[int]:
        numbers = np.arange(len(self.data.protocol) + 1)
        return np.searchsorted(self.data.judgments.dimension, numbers).tolist()  # type: ignore[no-any-return]

    def rows(self, dimension: str) -> slice:
        """Return the judgments on one dimension, which are consecutive rows."""
        place = self.data.protocol.order[dimension]
        return slice(self._bounds[place], self._bounds[place + 1])

    def in_batch(self, dimension: str, unit: Ints, judge: Ints) -> Flags01:
        """Return which of people's answers were given in the batch: on units assigned there, to
        its dimensions. Without a batch, all of them."""
        if self.batch is None:
            return np.ones(len(unit), dtype=bool)
        if dimension not in self.batch.dimensions:
            return np.zeros(len(unit), dtype=bool)
        given = self.data.tasks.batch == self._batch_place
        about, whose = self.data.tasks.unit[given], self.data.tasks.judge[given]
        if self.batch.by_unit:
            return is_among(unit, judge, about, whose)
        response = self.unit_response
        given_there = is_among(response[unit], judge, response[about], whose)
        return given_there & self.of_its_claims[unit]

    # Claims that people write --------------------------------------------------------------------

    @cached_property
    def of_its_claims(self) -> Flags01:
        """All units, except the parser's claims if raters of the batch write theirs, otherwise
        except people's claims."""
        units = self.data.units
        found = np.ones(len(units), dtype=bool)
        if self.batch is None:
            return found
        writes = any(self.data.protocol[key].writes for key in self.batch.dimensions)
        kinds = [KINDS.index(kind.value) for kind in OF_CLAIMS]
        for row in np.flatnonzero(np.isin(units.kind, kinds)).tolist():
            found[row] = is_written(units.key[row]) == writes
        return found

    @cached_property
    def parsers_at(self) -> dict[int, int]:
        """Return the parser's unit at each selected unit of people's claims."""
        units = self.data.units
        rows = np.flatnonzero(units.kind == KINDS.index(UnitKind.CLAIM_CITATION.value)).tolist()
        citations = [
            CitationOfClaim(
                row, int(units.parent[row]), int(units.number[row]), is_written(units.key[row])
            )
            for row in rows
        ]
        claims = {one.claim: int(units.parent[one.claim]) for one in citations}
        found = parsed_units(claims, citations)
        return {place: unit for place, unit in found.items() if self.unit_selected[place]}

    # Judges --------------------------------------------------------------------------------------

    @cached_property
    def is_person(self) -> Flags01:
        return np.array([judge.is_person for judge in self.data.judges], dtype=bool)

    @cached_property
    def is_excluded(self) -> Flags01:
        return np.array([judge.excluded for judge in self.data.judges], dtype=bool)

    @cached_property
    def counts(self) -> Flags01:
        """Return which judges' answers are votes."""
        if self.filters.excluded_in:
            return self.is_person
        return self.is_person & ~self.is_excluded

    def is_kind(self, kind: str) -> Flags01:
        return np.array([judge.kind == kind for judge in self.data.judges], dtype=bool)

    @cached_property
    def is_chosen(self) -> Flags01:
        """Return which automatic judges the filters name; if none, all but variants of others,
        which are only compared with these."""
        names = self.filters.judges
        variants = {place for some in self.variants.values() for place in some}
        return np.array(
            [
                judge.is_automatic and (judge.name in names if names else place not in variants)
                for place, judge in enumerate(self.data.judges)
            ],
            dtype=bool,
        )

    @cached_property
    def variants(self) -> dict[int, dict[int, tuple[str, ...]]]:
        """Return the variants of each plain judge, with the varied parts."""
        places = {judge.name: place for place, judge in enumerate(self.data.judges)}
        found: dict[int, dict[int, tuple[str, ...]]] = {}
        for place, judge in enumerate(self.data.judges):
            plain, varied = split_variations(judge.name) if judge.is_automatic else ("", ())
            if varied and plain in places:
                found.setdefault(places[plain], {})[place] = varied
        return found

    @cached_property
    def is_hidden(self) -> Flags01:
        """Return which units have no automatic score: those of systems that use the metric."""
        uses = np.array([system.uses_autoais for system in self.data.systems], dtype=bool)
        if self.filters.outliers:
            uses[:] = False
        return uses[self.unit_system]


def _batch(data: ReportData, filters: Filters) -> BatchRecord | None:
    if filters.batch is None:
        return None
    for batch in data.batches:
        if batch.id == filters.batch:
            return batch
    known = ", ".join(f"{batch.id} ({batch.name})" for batch in data.batches[:NAMED])
    raise FilterError("batch", f"the number of a batch of the study: {known or 'it has none'}",
                      filters.batch)  # fmt: skip


def _places(names: Sequence[str], chosen: Sequence[str], field: str, expected: str) -> list[int]:
    for name in chosen:
        if name not in names:
            some = ", ".join(f"“{one}”" for one in names[:NAMED]) or "there is none"
            more = ", …" if len(names) > NAMED else ""
            raise FilterError(field, f"{expected} ({some}{more})", name)
    return [place for place, name in enumerate(names) if not chosen or name in chosen]


# Groups of systems --------------------------------------------------------------------------------


def groups(answered: NDArray[np.bool_]) -> list[list[int]]:
    """Return groups of columns (systems) connected by rows (questions) that both answered.

    A column without an answer is a group. Groups are in the order of their first columns. Systems
    without a common question may differ only by their questions: they are not ranked together.
    """
    joined = answered.astype(np.int32)
    count, group = connected_components(csr_array(joined.T @ joined), directed=False)
    return sorted(np.flatnonzero(group == one).tolist() for one in range(count))

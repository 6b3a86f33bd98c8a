"""Read a bundle into the data it was written from, or raise an error that names the place.

Every row must refer to rows of tables before it, and may occur once.
"""

import json
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from annotate.formats.judgment_fields import OTHER
from annotate.formats.problems import quoted
from annotate.formats.unit_keys import unit_kind
from annotate.protocol.answers import NotAnAnswerError
from annotate.protocol.dimensions import Dimension, UnitKind
from annotate.protocol.slices import facets
from annotate.text.claim_from_words import places_in
from evaluation.reports.bundle.archive import Archive, opened, wrong
from evaluation.reports.bundle.cells import MOST_ID, FileRow
from evaluation.reports.bundle.layout import (
    CLAIMS,
    FAMILIES,
    JURIES,
    LENGTHS,
    OPTIONAL,
    PAIRS,
    RESPONSE,
    SIDES,
    UNFINISHED,
)
from evaluation.reports.bundle.settings import read_filters, read_study
from evaluation.reports.canonical_order import canonical
from evaluation.reports.data import (
    JUDGE_KINDS,
    KINDS,
    BatchItems,
    BatchRecord,
    Flags,
    Ints,
    JudgeRecord,
    Judgments,
    Lengths,
    Measures,
    Pairs,
    ReportData,
    Responses,
    Sides,
    SystemRecord,
    Tasks,
    TrainedUnits,
    UnfinishedAnswers,
    Units,
    ValuePlaces,
    series_of,
)
from evaluation.reports.filters import Filters
from evaluation.reports.unit_labels import overruled

MOST_ROWS = 50_000_000
STANDINGS = ("active", "paused", "excluded")
GRANULARITIES = ("response", "unit")

Cells = Sequence[Any]
"""The values of one row, in the order of the columns."""


def read_bundle(path_or_file: str | Path | BinaryIO) -> tuple[ReportData, Filters]:
    """Return the data and the filters of a bundle; raise BundleError if it is invalid."""
    with opened(path_or_file) as archive:
        return _BundleReading(archive).data, read_filters(archive)


@dataclass(slots=True)
class _NamePlaces:
    """The places of names, which are unique in their table."""

    of: dict[Any, int] = field(default_factory=dict)

    def add(self, name: Any, row: FileRow, column: str) -> None:
        if name in self.of:
            raise row.wrong(column, "a row for each alone, where this is the second one")
        self.of[name] = len(self.of)

    def place(self, row: FileRow, column: str, table: str) -> int:
        place = self.of.get(row[column])
        if place is None:
            raise row.wrong(column, f"one in {table}")
        return place


class _BundleReading:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._reasons: dict[str, int] = {}
        self._measure_names: dict[str, int] = {}
        self._systems, self._questions, self._judges = _NamePlaces(), _NamePlaces(), _NamePlaces()
        self._batches, self._responses = _NamePlaces(), _NamePlaces()
        self._facets: list[dict[str, str]] = []
        self._key_places: dict[str, int] = {}
        self._units: dict[int, int] = {}
        study = read_study(archive)
        self._slug = study.slug
        self._protocol = study.protocol
        self._values = ValuePlaces(study.protocol)
        self._versions = {0, *(one.version for one in study.guidelines)}
        systems, questions = self._read_systems(), self._read_questions()
        self._judge_records = self._read_judges()
        batches = self._read_batches()
        responses, units = self._read_responses(), self._read_units()
        judgments, unfinished = self._read_judgments(), self._read_unfinished()
        measures, flags = self._read_measures(), self._read_flags()
        items = self._places("batch_items.csv", self._batch, self._unit)
        tasks = self._places("tasks.csv", self._batch, self._judge, self._unit)
        trained = self._places("trained_on.csv", self._judge, self._unit)
        self._check_claims()
        self.data = canonical(
            ReportData(
                study=study,
                systems=systems,
                questions=questions,
                judges=self._judge_records,
                batches=batches,
                reasons=tuple(self._reasons),
                measure_names=tuple(self._measure_names),
                responses=responses,
                units=units,
                judgments=judgments,
                unfinished=unfinished,
                measures=measures,
                flags=flags,
                items=BatchItems(*items),
                tasks=Tasks(*tasks),
                trained_on=TrainedUnits(*trained),
                facets=tuple(self._facets),
                pairs=self._read_pairs(),
                sides=self._read_sides(),
                said=self._values.said,
                lengths=self._read_lengths(),
            )
        )

    def _rows(self, name: str) -> Iterator[FileRow]:
        """Yield the rows of a table; none if the bundle lacks an optional one."""
        row = FileRow(name)
        if name in OPTIONAL and not self._archive.has(name):
            return
        for number, (line, cells) in enumerate(self._archive.rows(name)):
            if number == MOST_ROWS:
                raise wrong(name, f"at most {MOST_ROWS:,} rows", "more", line=line)
            yield row.at(line, cells)

    def _columns(
        self, name: str, kinds: Sequence[Any], cells: Callable[[FileRow], Cells], *, once: int = 0
    ) -> list[Any]:
        """Read a table into columns of these kinds. Refuse two rows whose first `once` cells are
        the same."""
        columns: list[Any] = [_empty(kind) for kind in kinds]
        lines = array("q")
        for row in self._rows(name):
            for column, cell in zip(columns, cells(row), strict=True):
                column.append(cell)
            lines.append(row.line)
        found: list[Any] = [
            tuple(column) if kind is str else np.array(column, dtype=kind)
            for kind, column in zip(kinds, columns, strict=True)
        ]
        if once:
            _refuse_repeated(name, lines, *found[:once])
        return found

    # Small tables --------------------------------------------------------------------------------

    def _read_systems(self) -> tuple[SystemRecord, ...]:
        found = []
        for row in self._rows("systems.csv"):
            self._systems.add(row.filled("system"), row, "system")
            name, uses, shown = row["system"], row.flag("uses_autoais"), row["display_name"]
            found.append(SystemRecord(name, uses, shown, series=series_of(row["description"])))
        for row in self._rows(FAMILIES):
            place = self._systems.place(row, "system", "systems.csv")
            found[place] = replace(found[place], family=row.filled("family"))
        return tuple(found)

    def _read_questions(self) -> tuple[str, ...]:
        for row in self._rows("questions.csv"):
            self._questions.add(row.filled("question_id"), row, "question_id")
            self._facets.append(_facets(row))
        return tuple(self._questions.of)

    def _read_judges(self) -> tuple[JudgeRecord, ...]:
        found = []
        for row in self._rows("judges.csv"):
            self._judges.add(row.filled("judge"), row, "judge")
            kind: Any = row.one_of("kind", JUDGE_KINDS)
            excluded = row.one_of("standing", STANDINGS) == "excluded"
            found.append(JudgeRecord(row["judge"], kind, excluded))
        for row in self._rows(JURIES):
            place, who = (self._judges.place(row, one, "judges.csv") for one in ("jury", "judge"))
            found[place] = replace(found[place], members=(*found[place].members, found[who].name))
        return tuple(found)

    def _read_batches(self) -> tuple[BatchRecord, ...]:
        found, names = [], _NamePlaces()
        for row in self._rows("batches.csv"):
            names.add(row.filled("name"), row, "name")
            number = row.whole("batch", most=MOST_ID)
            self._batches.add(row["batch"], row, "batch")
            dimensions = tuple(row["dimensions"].split())
            if not {*dimensions} <= {*self._protocol}:
                raise row.wrong("dimensions", f"some of {' '.join(self._protocol)}")
            by_unit = row.one_of("granularity", GRANULARITIES) == "unit"
            found.append(BatchRecord(number, row["name"], dimensions, by_unit))
        return tuple(found)

    # Responses and units -------------------------------------------------------------------------

    def _read_responses(self) -> Responses:
        def cells(row: FileRow) -> Cells:
            system = self._systems.place(row, "system", "systems.csv")
            question = self._questions.place(row, "question_id", "questions.csv")
            self._responses.add(tuple(row[column] for column in RESPONSE), row, "question_id")
            counts = map(row.whole, ("statements", "citations", "uncited", "out_of_range"))
            return system, question, row["run"], row.flag("positional"), *counts

        kinds = (np.int32, np.int32, str, bool, np.int32, np.int32, np.int32, np.int32)
        return Responses(*self._columns("responses.csv", kinds, cells))

    def _read_units(self) -> Units:
        def cells(row: FileRow) -> Cells:
            response, key = self._response(row), row["unit"]
            kind = unit_kind(key)
            if kind is None:
                raise row.wrong("unit", "a unit's key such as r, s1, s1.c2, s1.a1 or s1.a1.c2")
            if row["kind"] != kind.value:
                raise row.wrong("kind", f"{kind.value}, which the key says")
            above = "" if key == "r" else key.rpartition(".")[0] or "r"
            if row["parent"] != above:
                raise row.wrong("parent", f"{above or 'nothing'}, which the key says")
            parent = self._units.get(self._unit_key(response, above), -1) if above else -1
            if above and parent < 0:
                raise row.wrong("parent", "the key of a unit that stands before this one")
            own = self._unit_key(response, key)
            if own in self._units:
                raise row.wrong("unit", "a row for each alone, where this is the second one")
            self._units[own] = len(self._units)
            cites = kind in (UnitKind.CITATION, UnitKind.CLAIM_CITATION)
            number = row.whole("number") if cites else -1
            return response, KINDS.index(kind.value), parent, row.flag("in_range"), number, key

        kinds = (np.int32, np.int8, np.int32, bool, np.int32, str)
        found = Units(*self._columns("units.csv", kinds, cells))
        self._kinds = [KINDS[kind] for kind in found.kind]
        return found

    def _unit_key(self, response: int, key: str) -> int:
        """Return one number for both: millions of tuples would take several times the memory."""
        return response << 32 | self._key_places.setdefault(key, len(self._key_places))

    def _response(self, row: FileRow) -> int:
        response = self._responses.of.get((row["system"], row["run"], row["question_id"]))
        if response is None:
            raise row.wrong("question_id", "system, run and question of a row of responses.csv")
        return response

    def _unit(self, row: FileRow) -> int:
        unit = self._units.get(self._unit_key(self._response(row), row["unit"]))
        if unit is None:
            raise row.wrong("unit", "the key of a unit of this response in units.csv")
        return unit

    def _judge(self, row: FileRow) -> int:
        return self._judges.place(row, "judge", "judges.csv")

    def _batch(self, row: FileRow) -> int:
        return self._batches.place(row, "batch", "batches.csv")

    def _check_claims(self) -> None:
        """Only check claims: no number is computed from them."""
        for row in self._rows(CLAIMS):
            self._unit(row)
            self._judge(row)
            try:
                places_in(row.filled("spans"))
            except ValueError:
                raise row.wrong("spans", "places such as 0-4 12-20") from None

    # Answers -------------------------------------------------------------------------------------

    def _read_judgments(self) -> Judgments:
        adjudicated: dict[tuple[int, int, int], datetime] = {}

        def cells(row: FileRow) -> Cells:
            unit, judge = self._unit(row), self._judge(row)
            dimension, value, reason = self._answer(row, unit)
            if row["study"] != self._slug:
                raise row.wrong("study", f"{self._slug}, as in study.json")
            kind = self._judge_records[judge].kind
            if row["judge_kind"] != kind:
                raise row.wrong("judge_kind", f"{kind}, as in judges.csv")
            row.number("seconds", least=0)
            if kind == "adjudicated" and value >= 0:
                adjudicated[dimension, unit, judge] = row.time("created")
            score = row.number("score", least=0, most=1)
            return dimension, unit, judge, value, score, reason, self._version(row), False

        kinds = (np.int8, np.int32, np.int32, np.int32, float, np.int32, np.int32, bool)
        found = Judgments(*self._columns("judgments.csv", kinds, cells, once=3))
        return replace(
            found,
            value=found.value.astype(self._values.width),
            overruled=overruled(found, self._judge_records, adjudicated),
        )

    def _read_unfinished(self) -> UnfinishedAnswers:
        def cells(row: FileRow) -> Cells:
            unit = self._unit(row)
            return self._dimension(row, unit), unit, self._judge(row)

        kinds = (np.int8, np.int32, np.int32)
        return UnfinishedAnswers(*self._columns(UNFINISHED, kinds, cells, once=3))

    def _read_lengths(self) -> Lengths:
        def cells(row: FileRow) -> Cells:
            return self._unit(row), row.whole("passage"), row.whole("characters")

        return Lengths(*self._columns(LENGTHS, (np.int32, np.int32, np.int32), cells, once=2))

    def _dimension(self, row: FileRow, unit: int) -> int:
        """Return the place of the dimension, which must be about this kind of unit."""
        key = row.one_of("dimension", tuple(self._protocol))
        meant = self._protocol[key].unit_kind
        if self._kinds[unit] != meant:
            raise row.wrong("unit", f"the key of a {meant}, which {key} is about")
        return self._protocol.order[key]

    def _answer(self, row: FileRow, unit: int) -> tuple[int, int, int]:
        """Return dimension, value and reason as stored in `Judgments`."""
        place = self._dimension(row, unit)
        if bool(row["value"]) == bool(row["skipped_reason"]):
            raise row.wrong("value", "either a value or a reason in skipped_reason")
        if row["value"]:
            return place, self._value(row, self._protocol[row["dimension"]]), -1
        return place, -1, self._reason(row["skipped_reason"])

    def _value(self, row: FileRow, dimension: Dimension) -> int:
        pair = dimension.key, row["value"]
        if pair in self._values:
            return self._values[pair]
        if dimension.is_choice:
            row.one_of("value", dimension.values)
        try:
            written = dimension.read(row["value"])
        except NotAnAnswerError as error:
            raise row.wrong("value", error.expected) from None
        if written != row["value"]:
            raise row.wrong("value", f"it written as {quoted(written)}")
        return self._values[pair]

    def _version(self, row: FileRow) -> int:
        version = row.whole("guidelines") if row["guidelines"] else 0
        if version not in self._versions:
            raise row.wrong("guidelines", "a version that study.json lists, or nothing")
        return version

    def _reason(self, reason: str) -> int:
        return self._reasons.setdefault(reason, len(self._reasons)) if reason else -1

    def _read_measures(self) -> Measures:
        def cells(row: FileRow) -> Cells:
            if bool(row["value"]) == bool(row["reason"]):
                raise row.wrong("value", "either a number or a reason")
            name = self._measure_names.setdefault(row.filled("name"), len(self._measure_names))
            about = self._judge(row), self._response(row), name
            return *about, row.number("value"), self._reason(row["reason"])

        kinds = (np.int32, np.int32, np.int32, float, np.int32)
        return Measures(*self._columns("measures.csv", kinds, cells, once=3))

    def _read_flags(self) -> Flags:
        def cells(row: FileRow) -> Cells:
            return self._unit(row), self._judge(row), row.filled("reason")

        return Flags(*self._columns("flags.csv", (np.int32, np.int32, str), cells, once=2))

    def _read_pairs(self) -> Pairs:
        def cells(row: FileRow) -> Cells:
            unit = self._unit(row)
            if self._kinds[unit] != UnitKind.PAIR:
                raise row.wrong("unit", "the key of a pair, such as vs1")
            other = self._responses.of.get((*(row[name] for name in OTHER), row["question_id"]))
            if other is None or other == self._response(row):
                raise row.wrong(OTHER[0], "another response to the question in responses.csv")
            return unit, other

        found = Pairs(*self._columns(PAIRS, (np.int32, np.int32), cells, once=1))
        wanted = self._kinds.count(UnitKind.PAIR.value)
        if wanted != len(found.unit):
            raise wrong(PAIRS, f"a row for each of {wanted} pairs", str(len(found.unit)))
        return found

    def _read_sides(self) -> Sides:
        def cells(row: FileRow) -> Cells:
            return self._unit(row), self._judge(row), row.flag("mirrored")

        return Sides(*self._columns(SIDES, (np.int32, np.int32, bool), cells, once=2))

    def _places(self, name: str, *places: Callable[[FileRow], int]) -> list[Ints]:
        """Return the columns of a table that has only references."""
        kinds = [np.int32] * len(places)
        return self._columns(
            name, kinds, lambda row: [place(row) for place in places], once=len(places)
        )


def _facets(row: FileRow) -> dict[str, str]:
    """Return a question's metadata; empty in older bundles."""
    text = row["metadata"]
    try:
        known = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        known = None
    if not isinstance(known, dict) or facets(known) != known:
        raise row.wrong("metadata", "an object of keys with texts, or nothing")
    return known


def _empty(kind: Any) -> Any:
    """Return an empty column. An array takes a fraction of the memory of a list of numbers."""
    if kind is str:
        return []
    return array("b" if kind is bool else np.dtype(kind).char)


def _refuse_repeated(name: str, lines: Sequence[int], *columns: NDArray[Any]) -> None:
    """Refuse a row with the same key as an earlier one."""
    order = np.lexsort(columns)
    same = np.ones(max(0, len(order) - 1), dtype=bool)
    for column in columns:
        ordered = column[order]
        same &= ordered[1:] == ordered[:-1]
    if same.any():
        at = int(np.flatnonzero(same)[0])
        first, second = sorted((lines[order[at]], lines[order[at + 1]]))
        raise wrong(
            name, "one row about each", f"a second one; the first is at line {first}", line=second
        )

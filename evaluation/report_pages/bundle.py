"""Write a study's bundle, with texts and notes streamed from the database.

All rows are in the canonical order of the report's data, some hundreds of responses at a time.
"""

import json
import tomllib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.db.models import F, Q, Value

from annotate.exchange.marks_csv import written_claims
from annotate.exchange.streams import records_by_key
from annotate.formats import write_response
from annotate.models import Evidence, Flag, Judge, Judgment, PastJudgment, Response, Study, Unit
from annotate.models.judging import counted_with
from annotate.models.rating import PLACE
from annotate.models.wording import version_in
from annotate.text.claim_from_words import written as spans_as_written
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.bundle import BundleWriter, anonymised
from evaluation.reports.bundle.cells import written, yes_no
from evaluation.reports.bundle.layout import (
    CLAIMS,
    FAMILIES,
    JURIES,
    LENGTHS,
    PAIRS,
    SIDES,
    UNFINISHED,
    WORDINGS,
    readme,
)
from evaluation.reports.bundle.settings import FILTERS, STUDY, study_json
from evaluation.reports.canonical_order import place_of
from evaluation.reports.data import KINDS, ReportData
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps

CHUNK = 500
"""Responses with rows in memory at a time."""

Rows = Iterator[Sequence[str]]
Name = tuple[str, str, str]
"""System, run and question, which name a response."""

OF_UNIT = ("unit__response_id", "unit__key", "dimension", "judge__name")


def write_bundle(
    study: Study,
    filters: Filters,
    out: BinaryIO,
    *,
    report: str | None = None,
    anonymous: bool = False,
) -> None:
    """Write a bundle into a file that need not be seekable; `report` is the report's JSON.

    With `anonymous` raters have numbers and their notes are left out. The report is then built
    here, since the given one may name them, and also where none is given.
    """
    data, names = gather(study), dict[str, str]()
    if anonymous:
        data, names = anonymised(data)
    if anonymous or report is None:
        report = dumps(build(data, filters))
    _Writing(study, data, names).write(filters, report, BundleWriter(out, attest=attest_version()))


@cache
def attest_version() -> str:
    """Return the version of the installed package, or of this checkout."""
    try:
        return version("attest")
    except PackageNotFoundError:
        text = (Path(settings.BASE_DIR) / "pyproject.toml").read_text(encoding="utf-8")
        return str(tomllib.loads(text)["project"]["version"])


class _Writing:
    """The tables of one bundle; `names` has the new names of raters in an anonymous one."""

    def __init__(self, study: Study, data: ReportData, names: dict[str, str]) -> None:
        self._order = data.protocol.order
        self._study, self._data, self._names = study, data, names

    def write(self, filters: Filters, report: str, bundle: BundleWriter) -> None:
        data = self._data
        tables = self._tables()
        about = readme(data.study.name, anonymous=data.study.anonymous, has=[*tables])
        bundle.text("README.md", about)
        bundle.json(STUDY, study_json(data))
        bundle.json(FILTERS, filters.as_json())
        for name, rows in tables.items():
            bundle.table(name, rows)
        for number, text in self._study.guidelines.order_by("number").values_list("number", "text"):
            bundle.text(f"guidelines/version-{number}.md", text)
        bundle.pieces("outputs.jsonl", self._outputs())
        bundle.text("report.json", report)
        bundle.close()

    def _tables(self) -> dict[str, Rows]:
        """Return the rows of each table, in the order of the files, without empty optional ones."""
        data, study = self._data, self._study
        families = [(one.name, one.family) for one in data.systems if one.family]
        juries = [(one.name, member) for one in data.judges for member in one.members]
        has_wordings = any(one.version > 1 for one in study.protocol.own.values())
        empty = {
            FAMILIES: not families,
            PAIRS: not len(data.pairs.unit),
            JURIES: not juries,
            SIDES: not len(data.sides.unit),
            CLAIMS: not written_claims(study).exists(),
            LENGTHS: not len(data.lengths),
            UNFINISHED: not len(data.unfinished),
            WORDINGS: not has_wordings,
        }
        tables: dict[str, Rows] = {
            "systems.csv": self._systems(),
            FAMILIES: iter(families),
            "questions.csv": self._questions(),
            "responses.csv": self._responses(),
            "units.csv": self._units(),
            PAIRS: self._named(data.pairs, "unit", "other"),
            "judges.csv": self._judges(),
            JURIES: iter(juries),
            SIDES: self._named(data.sides, "unit", "judge", "mirrored"),
            "judgments.csv": self._judgments(),
            "history.csv": self._history(),
            CLAIMS: self._claims(),
            LENGTHS: self._named(data.lengths, "unit", "passage", "characters"),
            UNFINISHED: self._named(data.unfinished, "unit", "dimension", "judge"),
            WORDINGS: self._wordings(),
            "measures.csv": self._named(
                data.measures, "judge", "name", "response", "value", "reason"
            ),
            "flags.csv": self._flags(),
            "evidence.csv": self._evidence(),
            "batches.csv": self._batches(),
            "batch_items.csv": self._named(data.items, "batch", "unit"),
            "tasks.csv": self._named(data.tasks, "batch", "judge", "unit"),
            "trained_on.csv": self._named(data.trained_on, "judge", "unit"),
        }
        return {name: rows for name, rows in tables.items() if not empty.get(name)}

    # Small tables --------------------------------------------------------------------------------

    def _systems(self) -> Rows:
        described = dict(self._study.systems.values_list("name", "description"))
        for system in self._data.systems:
            description = described.get(system.name, "")
            yield system.name, yes_no(system.uses_autoais), description, system.display_name

    def _questions(self) -> Rows:
        texts = self._study.questions.values_list("external_id", "text")
        known = dict(texts.iterator(chunk_size=5_000))
        for place, question in enumerate(self._data.questions):
            metadata = self._data.of_question(place)
            slices = json.dumps(metadata, ensure_ascii=False, sort_keys=True) if metadata else ""
            yield question, known.get(question, ""), slices

    def _judges(self) -> Rows:
        standings = {
            self._names.get(name, name): standing
            for name, standing in self._study.judges.values_list("name", "standing")
        }
        for judge in self._data.judges:
            # A judge's standing may change after the data were read; the data count.
            standing = standings.get(judge.name, Judge.Standing.ACTIVE)
            if judge.excluded != (standing == Judge.Standing.EXCLUDED):
                standing = Judge.Standing.EXCLUDED if judge.excluded else Judge.Standing.ACTIVE
            yield judge.name, judge.kind, str(standing), judge.title

    def _batches(self) -> Rows:
        for batch in self._data.batches:
            granularity = "unit" if batch.by_unit else "response"
            yield str(batch.id), batch.name, " ".join(batch.dimensions), granularity

    def _named(self, rows: Any, *columns: str) -> Rows:
        """Yield rows of the report's data, with names for places and numbers as they are."""
        data = self._data
        judges, batches = data.judges, data.batches
        keys = list(data.protocol)
        words: dict[str, Callable[[Any], Sequence[str]]] = {
            "unit": self._unit_name,
            "response": lambda place: self._response_names[place],
            "other": lambda place: self._response_names[place][:2],
            "judge": lambda place: (judges[place].name,),
            "batch": lambda place: (str(batches[place].id),),
            "dimension": lambda place: (keys[place],),
            "name": lambda place: (data.measure_names[place],),
            "reason": lambda place: (data.reasons[place] if place >= 0 else "",),
            "value": lambda value: (written(value),),
            "mirrored": lambda value: (yes_no(value),),
        }
        formats = [words.get(column, lambda number: (str(number),)) for column in columns]
        places = (getattr(rows, column).tolist() for column in columns)
        for row in zip(*places, strict=True):
            yield [cell for to_cells, at in zip(formats, row, strict=True) for cell in to_cells(at)]

    def _flags(self) -> Rows:
        rows = Flag.objects.filter(judge__study=self._study, withdrawn_at=None).values_list(
            "unit__response_id", "unit__key", "judge__name", self._note, "created_at"
        )
        notes = {
            (self._places.get(response, -1), key, self._names.get(judge, judge)): (note, created)
            for response, key, judge, note, created in rows.iterator(chunk_size=5_000)
        }
        data, flags = self._data, self._data.flags
        for row in range(len(flags)):
            unit, judge = int(flags.unit[row]), data.judges[flags.judge[row]].name
            place = int(data.units.response[unit])
            note, created = notes.get((place, data.units.key[unit], judge), ("", None))
            yield (
                *self._unit_name(unit),
                judge,
                flags.reason[row],
                note,
                _cell(created),
            )

    # Large tables --------------------------------------------------------------------------------

    def _responses(self) -> Rows:
        responses = self._data.responses
        for places, keys in self._chunks():
            rows = Response.objects.filter(pk__in=keys).values_list("pk", "segmentation")
            segmentation = dict(rows)
            for place, key in zip(places, keys, strict=True):
                yield (
                    *self._response_names[place],
                    yes_no(bool(responses.positional[place])),
                    str(responses.statements[place]),
                    str(responses.citations[place]),
                    str(responses.uncited[place]),
                    str(responses.out_of_range[place]),
                    segmentation[key],
                )

    def _units(self) -> Rows:
        for places, keys in self._chunks():
            texts = {
                (self._places[response], key): (number, text)
                for response, key, number, text in Unit.objects.filter(response__in=keys)
                .order_by()
                .values_list("response_id", "key", "number", "text")
            }
            units = self._data.units
            first, last = units.response.searchsorted([places[0], places[-1] + 1])
            for unit in range(first, last):
                key, parent = units.key[unit], int(units.parent[unit])
                number, text = texts[int(units.response[unit]), key]
                yield (
                    *self._unit_name(unit),
                    KINDS[units.kind[unit]],
                    units.key[parent] if parent >= 0 else "",
                    yes_no(bool(units.in_range[unit])),
                    "" if number is None else str(number),
                    text,
                )

    def _judgments(self) -> Rows:
        """Yield judgments in the long form, with the version of the guidelines that applied."""
        for _, keys in self._chunks():
            rows = Judgment.objects.current().finished().filter(unit__response__in=keys)
            found = rows.exclude(judge__kind=Judge.Kind.TRAINEE).order_by().values_list(
                *OF_UNIT, "judge__kind", "value", "score", "skipped_reason", "seconds",
                self._note, "created_at", "guidelines__number",
            )  # fmt: skip
            for row in self._written(found):
                yield (self._data.study.slug, *row)

    def _history(self) -> Rows:
        current = Judgment.objects.current().finished().exclude(judge__kind=Judge.Kind.TRAINEE)
        for _, keys in self._chunks():
            present = current.filter(unit__response__in=keys)
            found = PastJudgment.objects.filter(judgment__in=present).order_by("replaced_at", "pk")
            yield from self._written(
                found.values_list(
                    *(f"judgment__{name}" for name in OF_UNIT), "value", "score",
                    "skipped_reason", "seconds", self._note, "created_at", "guidelines__number",
                    "replaced_at",
                )
            )  # fmt: skip

    def _wordings(self) -> Rows:
        current = Judgment.objects.current().finished().exclude(judge__kind=Judge.Kind.TRAINEE)
        first = Q(wording="") | Q(wording__endswith=":1")
        for _, keys in self._chunks():
            present = current.filter(unit__response__in=keys)
            past = PastJudgment.objects.filter(judgment__in=present).exclude(first)
            past_names = (f"judgment__{name}" for name in OF_UNIT)
            found = [
                *present.exclude(first).values_list(*OF_UNIT, Value(""), "wording"),
                *past.order_by("replaced_at", "pk").values_list(
                    *past_names, "replaced_at", "wording"
                ),
            ]
            for *row, wording in self._written(found):
                yield (*row, str(version_in(wording)))

    def _claims(self) -> Rows:
        for _, keys in self._chunks():
            rows = written_claims(self._study).finished().filter(unit__response__in=keys)
            found = rows.exclude(judge__kind=Judge.Kind.TRAINEE)
            for response, key, _, judge, claim, counted in self._sorted(
                found.values_list(*OF_UNIT, "claim", "counted")
            ):
                yield (
                    *self._response_names[self._places[response]],
                    key,
                    judge,
                    claim["text"],
                    spans_as_written(claim["spans"]),
                    claim["proposal"],
                    counted,
                )

    def _evidence(self) -> Rows:
        for _, keys in self._chunks():
            marks: Any = Evidence.objects.filter(unit__response__in=keys).annotate(
                counted=counted_with("unit", "dimension"), place=PLACE
            )
            found = marks.exclude(judge__kind=Judge.Kind.TRAINEE).exclude(counted="unfinished")
            ordered = found.order_by(F("place").asc(nulls_first=True), "start", "end")
            yield from self._written(
                ordered.values_list(*OF_UNIT, "place", "start", "end", "created_at", "counted")
            )

    def _written(self, rows: Any) -> Rows:
        """Yield sorted rows of `OF_UNIT` and more, as cells."""
        for response, key, dimension, judge, *rest in self._sorted(rows):
            name = self._response_names[self._places[response]]
            yield (*name, key, dimension, judge, *map(_cell, rest))

    def _outputs(self) -> Iterator[str]:
        for _, keys in self._chunks():
            order = {key: place for place, key in enumerate(keys)}
            found = records_by_key(self._study, keys)
            for _, record in sorted(found, key=lambda one: order[one[0].pk]):
                yield write_response(record)

    def _sorted(self, rows: Any) -> list[tuple[Any, ...]]:
        """Sort rows that begin with response, unit, dimension and judge, and rename judges.

        The sort is stable.
        """
        named = [(*row[:3], self._names.get(row[3], row[3]), *row[4:]) for row in rows]
        return sorted(
            (row for row in named if self._is_known(row[0], row[1], row[3])),
            key=lambda row: (
                self._places[row[0]], place_of(row[1]), self._order[row[2]], row[3]
            ),
        )  # fmt: skip

    def _is_known(self, response: int, key: str, judge: str) -> bool:
        """Return whether the other tables have it: it may be newer than they are."""
        return judge in self._judge_names and (self._places[response], key) in self._known_units

    # Names ---------------------------------------------------------------------------------------

    @cached_property
    def _judge_names(self) -> frozenset[str]:
        return frozenset(judge.name for judge in self._data.judges)

    @cached_property
    def _response_names(self) -> list[Name]:
        data, responses = self._data, self._data.responses
        return [
            (data.systems[system].name, run, data.questions[question])
            for system, run, question in zip(
                responses.system.tolist(), responses.run, responses.question.tolist(), strict=True
            )
        ]

    @cached_property
    def _places(self) -> dict[int, int]:
        """The place of each response by its key in the database."""
        known = {name: place for place, name in enumerate(self._response_names)}
        rows = Response.objects.current().filter(study=self._study).order_by()
        stream = rows.values_list("pk", "system__name", "run", "question__external_id")
        found = {
            pk: known.get((system, run, question))
            for pk, system, run, question in stream.iterator(chunk_size=5_000)
        }
        return {pk: place for pk, place in found.items() if place is not None}

    @cached_property
    def _known_units(self) -> frozenset[tuple[int, str]]:
        units = self._data.units
        return frozenset(zip(units.response.tolist(), units.key, strict=True))

    def _chunks(self) -> Iterator[tuple[list[int], list[int]]]:
        """Yield places and keys of the responses, in order, some at a time."""
        keys = sorted(self._places, key=self._places.__getitem__)
        for first in range(0, len(keys), CHUNK):
            some = keys[first : first + CHUNK]
            yield [self._places[key] for key in some], some

    def _unit_name(self, unit: int) -> tuple[str, ...]:
        units = self._data.units
        return (*self._response_names[units.response[unit]], units.key[unit])

    @property
    def _note(self) -> Any:
        """The column of notes; empty in an anonymous bundle, since notes may name their authors."""
        return Value("") if self._data.study.anonymous else "note"


def _cell(value: Any) -> str:
    """Return a value of the database as the cell of a table."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    return written(value) if isinstance(value, float) else str(value)

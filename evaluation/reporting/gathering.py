"""A study's data for reports, read from the database: a dozen queries, each row looked at once.

Rows are read as plain values, some thousands at a time, into columns: of two million judgments
there are never more than a chunk as Python objects.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Any

import numpy as np
from django.db.models import Count
from numpy.typing import NDArray

from annotate.models import (
    PEOPLE,
    Assignment,
    Batch,
    BatchItem,
    Flag,
    Judge,
    Judgment,
    Question,
    Response,
    Study,
    Unit,
    Upload,
)
from annotate.models.wording import version_in
from annotate.protocol.signatures import is_jury
from annotate.protocol.slices import facets
from annotate.services import audit
from evaluation.models import ClaimDivision, JuryMember, Measure, PairShown
from evaluation.reading.columns import as_columns
from evaluation.reading.trained_on import units_left_out
from evaluation.reporting.places import Places, keys_of, lengths_of
from evaluation.reports.data import (
    KINDS,
    BatchItems,
    BatchRecord,
    Flags,
    GuidelinesRecord,
    Ints,
    JudgeRecord,
    Judgments,
    Measures,
    Pairs,
    ReportData,
    Responses,
    Sides,
    StudyRecord,
    SystemRecord,
    Tasks,
    TrainedUnits,
    UnfinishedAnswers,
    Units,
    text_digest,
)
from evaluation.reports.labels import overruled
from evaluation.reports.ordering import canonical
from evaluation.reports.said import ValuePlaces
from evaluation.reports.series import series_of

_KIND = {kind: place for place, kind in enumerate(KINDS)}


def gather(study: Study) -> ReportData:
    """All that counts of a study, and what excluded raters said: current responses and judgments,
    none of practice. Of answers in no finished rating it is only known what they are about."""
    return Gathering(study).data


class Gathering:
    """What was read, and the database's keys of it for those who must read more."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._order = study.protocol.order
        self._values = ValuePlaces(study.protocol)
        self._names: dict[str, int] = {}
        self._reasons: dict[str, int] = {}
        systems = list(
            study.systems.values_list(
                "pk", "name", "uses_autoais", "display_name", "family_said__family", "description"
            )
        )
        questions = list(
            Question.objects.filter(study=study)
            .order_by()
            .values_list("pk", "external_id", "metadata")
        )
        self._judges = list(study.judges.exclude(kind=Judge.Kind.TRAINEE).order_by())
        batches = list(study.batches.work().order_by())
        self._judge_places = Places([judge.pk for judge in self._judges])
        batch_places = Places([batch.pk for batch in batches])
        responses = self._responses(
            Places([pk for pk, *_ in systems]), Places([pk for pk, *_ in questions])
        )
        units = self._units()
        judgments, unfinished = self._judgments()
        measures = self._measures()
        flags = self._flags()
        data = ReportData(
            study=self._record(),
            systems=tuple(
                SystemRecord(name, uses, shown, family or "", series_of(description))
                for _, name, uses, shown, family, description in systems
            ),
            questions=tuple(external_id for _, external_id, _ in questions),
            facets=tuple(facets(metadata) for *_, metadata in questions),
            said=self._values.said,
            lengths=lengths_of(study, units, judgments, self._unit_places, self._response_places),
            judges=tuple(_judge_records(self._judges)),
            batches=tuple(_batch(batch) for batch in batches),
            reasons=tuple(self._reasons),
            measure_names=tuple(self._names),
            responses=responses,
            units=units,
            judgments=judgments,
            unfinished=unfinished,
            measures=measures,
            flags=flags,
            items=self._items(batch_places),
            tasks=self._tasks(batch_places),
            trained_on=self._trained_on(),
            pairs=self._pairs(),
            sides=self._sides(),
        )
        self.data = canonical(replace(data, judgments=self._with_overruled(data)))

    def _record(self) -> StudyRecord:
        study = self.study
        parsers = ClaimDivision.objects.filter(response__in=self._current()).order_by("signature")
        versions = study.guidelines.order_by("number")
        segmentations = self._current().order_by("segmentation").exclude(segmentation="")
        return StudyRecord(
            slug=study.slug,
            name=study.name,
            dimensions=tuple(dimension.key for dimension in study.dimension_list),
            seed=study.seed,
            lines=str(study.lines),
            reading=str(study.reading),
            language=study.language,
            protocol=study.protocol,
            splitter=str(study.splitter),
            citation_cap=study.citation_cap,
            primary=study.primary_judge,
            raters_per_unit=study.raters_per_unit,
            guidelines=tuple(
                GuidelinesRecord(number, created.isoformat(), text_digest(text))
                for number, created, text in versions.values_list("number", "created_at", "text")
            ),
            parser=", ".join(parsers.values_list("signature", flat=True).distinct()),
            segmentations=tuple(segmentations.values_list("segmentation", flat=True).distinct()),
            files=audit.files_taken(self.study),
            versions=self._versions(),
        )

    def _versions(self) -> tuple[tuple[str, int, int], ...]:
        """The answers of people to each version of the questions that have several."""
        several = [key for key, one in self.study.protocol.own.items() if one.version > 1]
        if not several:
            return ()
        rows = Judgment.objects.counted().filter(
            judge__study=self.study, judge__kind__in=PEOPLE, dimension__in=several
        )
        counts = rows.exclude(value="").order_by().values_list("dimension", "wording")
        found = sorted(
            (key, version_in(wording), n) for key, wording, n in counts.annotate(n=Count("pk"))
        )
        answered = Counter(key for key, _, _ in found)
        return tuple(one for one in found if answered[one[0]] > 1)

    def _current(self) -> Any:
        return Response.objects.current().filter(study=self.study)

    # Rows ----------------------------------------------------------------------------------------

    def _responses(self, systems: Places, questions: Places) -> Responses:
        rows = self._current().order_by()
        found = as_columns(
            rows.values_list(
                "pk", "system_id", "question_id", "run", "positional", "statement_count",
                "citation_count", "uncited_count", "out_of_range_count",
            )
        )  # fmt: skip
        pks, system, question, run, positional, *counts = _joined(found, 9)
        self._response_places = Places(pks)
        self.response_pks = np.array(pks, dtype=np.int64)
        numbers = [np.array(column, dtype=np.int32) for column in counts]
        return Responses(
            system=systems.of(system),
            question=questions.of(question),
            run=tuple(run),
            positional=np.array(positional, dtype=bool),
            statements=numbers[0],
            citations=numbers[1],
            uncited=numbers[2],
            out_of_range=numbers[3],
        )

    def _units(self) -> Units:
        rows = Unit.objects.standing().filter(response__study=self.study).order_by()
        pks: list[NDArray[np.int64]] = []
        parents: list[NDArray[np.int64]] = []
        responses, kinds, in_range, numbers, keys = [], [], [], [], list[str]()
        for pk, response, kind, key, parent, source, number in as_columns(
            rows.values_list("pk", "response_id", "kind", "key", "parent_id", "source_id", "number")
        ):
            at = self._response_places.of(response)
            kept = at >= 0  # the others belong to responses that were replaced
            pks.append(np.array(pk, dtype=np.int64)[kept])
            parents.append(keys_of(parent)[kept])
            responses.append(at[kept])
            places = np.array([_KIND[one] for one in kind], dtype=np.int8)
            cites = (places == _KIND["citation"]) | (places == _KIND["claim_citation"])
            kinds.append(places[kept])
            in_range.append((~cites | (keys_of(source) >= 0))[kept])
            numbers.append(keys_of(number)[kept])
            keys += [one for one, is_in in zip(key, kept.tolist(), strict=True) if is_in]
        self._unit_places = Places(_concatenated(pks, np.int64))
        return Units(
            response=_concatenated(responses, np.int32),
            kind=_concatenated(kinds, np.int8),
            parent=self._unit_places.of(_concatenated(parents, np.int64)),
            in_range=_concatenated(in_range, np.bool_),
            number=_concatenated(numbers, np.int32),
            key=tuple(keys),
        )

    def _judgments(self) -> tuple[Judgments, UnfinishedAnswers]:
        """Those of finished ratings and of none, and how many others there are."""
        # No join to the units: those that are unknown belong to responses that do not count.
        rows = Judgment.objects.filter(judge__study=self.study).order_by()
        rows = rows.exclude(judge__kind=Judge.Kind.TRAINEE)
        hidden = list(
            Upload.objects.filter(study=self.study, published_at=None).values_list("pk", flat=True)
        )
        if hidden:
            rows = rows.exclude(upload__in=hidden, upload__isnull=False)
        versions: dict[int | None, int] = {None: 0}
        versions.update(self.study.guidelines.values_list("pk", "number"))
        parts: list[list[NDArray[Any]]] = [[] for _ in range(7)]
        left_out: list[list[NDArray[Any]]] = [[] for _ in range(3)]
        for unit, dimension, judge, value, score, reason, guidelines, unfinished in as_columns(
            rows.values_list(
                "unit_id", "dimension", "judge_id", "value", "score", "skipped_reason",
                "guidelines_id", "unfinished",
            )
        ):  # fmt: skip
            of_unit, of_judge = self._unit_places.of(unit), self._judge_places.of(judge)
            known = (of_unit >= 0) & (of_judge >= 0)
            is_unfinished = np.array(unfinished, dtype=bool)
            kept = known & ~is_unfinished
            columns: tuple[NDArray[Any], ...] = (
                np.array([self._order[key] for key in dimension], dtype=np.int8),
                of_unit,
                of_judge,
                self._values.column(dimension, value),
                np.array(score, dtype=float),  # None becomes NaN
                self._reason_places(reason),
                np.array([versions[key] for key in guidelines], dtype=np.int32),
            )
            for part, column in zip(parts, columns, strict=True):
                part.append(column[kept])
            lost = known & is_unfinished & (columns[3] >= 0)
            for part, column in zip(left_out, columns, strict=False):
                part.append(column[lost])
        dimensions, about, by, values, scores, reasons, seen = parts
        counted = Judgments(
            dimension=_concatenated(dimensions, np.int8),
            unit=_concatenated(about, np.int32),
            judge=_concatenated(by, np.int32),
            value=_concatenated(values, self._values.width),
            score=_concatenated(scores, float),
            reason=_concatenated(reasons, np.int32),
            guidelines=_concatenated(seen, np.int32),
            overruled=np.zeros(sum(map(len, values)), dtype=bool),
        )
        kinds = (np.int8, np.int32, np.int32)
        rest = (_concatenated(part, kind) for part, kind in zip(left_out, kinds, strict=True))
        return counted, UnfinishedAnswers(*rest)

    def _with_overruled(self, data: ReportData) -> Judgments:
        """Only where there are several adjudicators, it matters who decided last."""
        judgments = data.judgments
        adjudicators = [j for j in self._judges if j.kind == Judge.Kind.ADJUDICATED]
        if len(adjudicators) < 2:
            return judgments
        rows = Judgment.objects.filter(judge__in=adjudicators).exclude(value="")
        found = rows.values_list("unit_id", "dimension", "judge_id", "created_at").order_by()
        times: dict[tuple[int, int, int], datetime] = {}
        for unit, dimension, judge, created in as_columns(found):
            keys = zip(
                [self._order[key] for key in dimension],
                self._unit_places.of(unit).tolist(),
                self._judge_places.of(judge).tolist(),
                strict=True,
            )
            times.update(zip(keys, created, strict=True))
        return replace(judgments, overruled=overruled(judgments, data.judges, times))

    def _measures(self) -> Measures:
        rows = Measure.objects.filter(judge__study=self.study).order_by()
        parts: list[list[NDArray[Any]]] = [[] for _ in range(5)]
        for judge, response, name, value, reason in as_columns(
            rows.values_list("judge_id", "response_id", "name", "value", "reason")
        ):
            by, about = self._judge_places.of(judge), self._response_places.of(response)
            kept = (by >= 0) & (about >= 0)
            named = [self._names.setdefault(one, len(self._names)) for one in name]
            columns = (
                by,
                about,
                np.array(named, dtype=np.int32),
                np.array(value, dtype=float),
                self._reason_places(reason),
            )
            for part, column in zip(parts, columns, strict=True):
                part.append(column[kept])
        kinds = (np.int32, np.int32, np.int32, float, np.int32)
        return Measures(*(_concatenated(p, kind) for p, kind in zip(parts, kinds, strict=True)))

    def _flags(self) -> Flags:
        rows = Flag.objects.filter(judge__study=self.study, withdrawn_at=None).order_by()
        units, judges, reasons = [], [], list[str]()
        for unit, judge, reason in as_columns(rows.values_list("unit_id", "judge_id", "reason")):
            about, by = self._unit_places.of(unit), self._judge_places.of(judge)
            kept = (about >= 0) & (by >= 0)
            units.append(about[kept])
            judges.append(by[kept])
            reasons += [one for one, is_in in zip(reason, kept.tolist(), strict=True) if is_in]
        return Flags(_concatenated(units, np.int32), _concatenated(judges, np.int32),
                     tuple(reasons))  # fmt: skip

    def _items(self, batches: Places) -> BatchItems:
        rows = BatchItem.objects.filter(batch__study=self.study).order_by()
        found, units = [], []
        for batch, unit in as_columns(rows.values_list("batch_id", "unit_id")):
            within, about = batches.of(batch), self._unit_places.of(unit)
            kept = (within >= 0) & (about >= 0)
            found.append(within[kept])
            units.append(about[kept])
        return BatchItems(_concatenated(found, np.int32), _concatenated(units, np.int32))

    def _tasks(self, batches: Places) -> Tasks:
        rows = Assignment.objects.filter(batch__study=self.study).order_by()
        parts: list[list[NDArray[Any]]] = [[], [], []]
        found = rows.values_list("batch_id", "judge_id", "item__unit")
        for batch, judge, unit in as_columns(found):
            columns = (batches.of(batch), self._judge_places.of(judge), self._unit_places.of(unit))
            kept = np.logical_and.reduce([column >= 0 for column in columns])
            for part, column in zip(parts, columns, strict=True):
                part.append(column[kept])
        return Tasks(*(_concatenated(part, np.int32) for part in parts))

    def _pairs(self) -> Pairs:
        rows = Unit.objects.standing().filter(response__study=self.study, other__isnull=False)
        found = _joined(as_columns(rows.order_by().values_list("pk", "other_id")), 2)
        unit, other = self._unit_places.of(found[0]), self._response_places.of(found[1])
        kept = (unit >= 0) & (other >= 0)
        return Pairs(unit[kept], other[kept])

    def _sides(self) -> Sides:
        tasks = Assignment.objects.filter(batch__study=self.study, mirrored__isnull=False)
        shown = PairShown.objects.filter(judge__study=self.study)
        rows = (
            tasks.order_by().values_list("item__unit", "judge_id", "mirrored"),
            shown.order_by().values_list("unit", "judge_id", "mirrored"),
        )
        found = _joined(chain.from_iterable(map(as_columns, rows)), 3)
        unit, judge = self._unit_places.of(found[0]), self._judge_places.of(found[1])
        kept = (unit >= 0) & (judge >= 0)
        return Sides(unit[kept], judge[kept], np.array(found[2], dtype=bool)[kept])

    def _trained_on(self) -> TrainedUnits:
        judges, units = [], []
        for place, judge in enumerate(self._judges):
            about = self._unit_places.of(sorted(units_left_out(judge)))
            about = about[about >= 0]
            units.append(about)
            judges.append(np.full(len(about), place, dtype=np.int32))
        return TrainedUnits(_concatenated(judges, np.int32), _concatenated(units, np.int32))

    def _reason_places(self, reasons: Iterable[str]) -> Ints:
        known = self._reasons
        places = [known.setdefault(one, len(known)) if one else -1 for one in reasons]
        return np.array(places, dtype=np.int32)


def _judge_records(judges: Sequence[Judge]) -> Iterator[JudgeRecord]:
    members: dict[int, list[str]] = {}
    if juries := [judge.pk for judge in judges if is_jury(judge.name)]:
        rows = JuryMember.objects.filter(jury__judge__in=juries).order_by("judge__name")
        for jury, name in rows.values_list("jury__judge", "judge__name"):
            members.setdefault(jury, []).append(name)
    for judge in judges:
        kind: Any = judge.kind  # the database checks it
        is_excluded = judge.standing == Judge.Standing.EXCLUDED
        yield JudgeRecord(judge.name, kind, is_excluded, tuple(members.get(judge.pk, ())))


def _batch(batch: Batch) -> BatchRecord:
    return BatchRecord(
        id=batch.pk,
        name=batch.name,
        dimensions=tuple(dimension.key for dimension in batch.dimension_list),
        by_unit=batch.granularity == Batch.Granularity.UNIT,
    )


# Columns -----------------------------------------------------------------------------------------


def _joined(chunks: Iterable[tuple[tuple[Any, ...], ...]], width: int) -> list[list[Any]]:
    found: list[list[Any]] = [[] for _ in range(width)]
    for chunk in chunks:
        for column, part in zip(found, chunk, strict=True):
            column += part
    return found


def _concatenated(parts: Sequence[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=kind), *parts]).astype(kind, copy=False)

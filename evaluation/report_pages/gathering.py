"""A study's data for reports, read from the database in a dozen queries.

Rows are read as plain values, some thousands at a time, into columns: of two million judgments
only a chunk exists as Python objects at a time.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
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
from annotate.web import audit
from evaluation.labels.study_labels import as_columns
from evaluation.labels.trained_on import units_left_out
from evaluation.models import ClaimDivision, JuryMember, Measure, PairShown
from evaluation.report_pages.value_places import Places, keys_of, lengths_of
from evaluation.reports.canonical_order import canonical
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
    ValuePlaces,
    series_of,
    text_digest,
)
from evaluation.reports.unit_labels import overruled

_KIND = {kind: place for place, kind in enumerate(KINDS)}


def gather(study: Study) -> ReportData:
    """Return a study's current responses and judgments, without practice.

    Answers of excluded raters are included. Unfinished answers have no value, only their unit,
    dimension and judge.
    """
    return _Gathering(study).data


class _Gathering:
    """The columns of a study's data while they are read."""

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
        """Return the number of people's answers to each version of dimensions with several."""
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
        pks, system, question, run, positional, *counts = _columns(
            self._current(),
            {
                "pk": keys_of,
                "system_id": systems.of,
                "question_id": questions.of,
                "run": _texts,
                "positional": _flags,
                "statement_count": _numbers,
                "citation_count": _numbers,
                "uncited_count": _numbers,
                "out_of_range_count": _numbers,
            },
        )
        self._response_places = Places(pks)
        return Responses(system, question, tuple(run), positional, *counts)

    def _units(self) -> Units:
        # Units of replaced responses are left out.
        response, pks, kind, key, parent, source, number = _columns(
            Unit.objects.standing().filter(response__study=self.study),
            {
                "response_id": self._response_places.of,
                "pk": keys_of,
                "kind": lambda kinds: np.array([_KIND[one] for one in kinds], dtype=np.int8),
                "key": _texts,
                "parent_id": keys_of,
                "source_id": keys_of,
                "number": keys_of,
            },
            named=1,
        )
        self._unit_places = Places(pks)
        cites = (kind == _KIND["citation"]) | (kind == _KIND["claim_citation"])
        return Units(
            response=response,
            kind=kind,
            parent=self._unit_places.of(parent),
            in_range=~cites | (source >= 0),
            number=number.astype(np.int32),
            key=tuple(key),
        )

    def _judgments(self) -> tuple[Judgments, UnfinishedAnswers]:
        """Return judgments of finished ratings or of no rating, and the unfinished ones."""
        # No join to the units: unknown units belong to responses that do not count.
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
        """Return judgments with overruled decisions marked, where several people adjudicate."""
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
        def names(column: Sequence[str]) -> Ints:
            return _numbers([self._names.setdefault(one, len(self._names)) for one in column])

        judge, response, *measured = _columns(
            Measure.objects.filter(judge__study=self.study),
            {
                "judge_id": self._judge_places.of,
                "response_id": self._response_places.of,
                "name": names,
                "value": lambda values: np.array(values, dtype=float),
                "reason": self._reason_places,
            },
            named=2,
        )
        return Measures(judge, response, *measured)

    def _flags(self) -> Flags:
        unit, judge, reason = _columns(
            Flag.objects.filter(judge__study=self.study, withdrawn_at=None),
            {
                "unit_id": self._unit_places.of,
                "judge_id": self._judge_places.of,
                "reason": _texts,
            },
            named=2,
        )
        return Flags(unit, judge, tuple(reason))

    def _items(self, batches: Places) -> BatchItems:
        rows = BatchItem.objects.filter(batch__study=self.study)
        ways = {"batch_id": batches.of, "unit_id": self._unit_places.of}
        return BatchItems(*_columns(rows, ways, named=2))

    def _tasks(self, batches: Places) -> Tasks:
        rows = Assignment.objects.filter(batch__study=self.study)
        ways = {
            "batch_id": batches.of,
            "judge_id": self._judge_places.of,
            "item__unit": self._unit_places.of,
        }
        return Tasks(*_columns(rows, ways, named=3))

    def _pairs(self) -> Pairs:
        rows = Unit.objects.standing().filter(response__study=self.study, other__isnull=False)
        ways = {"pk": self._unit_places.of, "other_id": self._response_places.of}
        return Pairs(*_columns(rows, ways, named=2))

    def _sides(self) -> Sides:
        ways: Ways = {"judge_id": self._judge_places.of, "mirrored": _flags}
        tasks = Assignment.objects.filter(batch__study=self.study, mirrored__isnull=False)
        shown = PairShown.objects.filter(judge__study=self.study)
        of_people = _columns(tasks, {"item__unit": self._unit_places.of, **ways}, named=2)
        of_models = _columns(shown, {"unit": self._unit_places.of, **ways}, named=2)
        return Sides(*map(np.concatenate, zip(of_people, of_models, strict=True)))

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
        return _numbers([known.setdefault(one, len(known)) if one else -1 for one in reasons])


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


Way = Callable[[Sequence[Any]], NDArray[Any]]
Ways = Mapping[str, Way]


def _columns(rows: Any, ways: Ways, *, named: int = 0) -> list[NDArray[Any]]:
    """Read fields of rows into columns, each by its own function.

    Rows are left out where one of the first `named` columns has an unknown place.
    """
    parts = [[way(())] for way in ways.values()]
    for chunk in as_columns(rows.order_by().values_list(*ways)):
        columns = [way(column) for way, column in zip(ways.values(), chunk, strict=True)]
        kept = np.ones(len(chunk[0]), dtype=bool)
        for column in columns[:named]:
            kept &= column >= 0
        for part, column in zip(parts, columns, strict=True):
            part.append(column[kept])
    return [np.concatenate(part) for part in parts]


def _numbers(column: Sequence[int]) -> Ints:
    return np.array(column, dtype=np.int32)


def _flags(column: Sequence[bool]) -> NDArray[np.bool_]:
    return np.array(column, dtype=bool)


def _texts(column: Sequence[str]) -> NDArray[np.object_]:
    return np.array(column, dtype=object)


def _concatenated(parts: Sequence[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=kind), *parts]).astype(kind, copy=False)

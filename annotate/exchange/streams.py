"""Everything in a study, written out again: streamed, in the order it was loaded.

The order depends on nothing but the order of loading and on names, so that exporting, importing
into an empty study and exporting again gives the same bytes.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.db.models import Q

from annotate.formats import (
    judgments_csv_header,
    write_judgment_csv,
    write_judgment_jsonl,
    write_question,
    write_response,
)
from annotate.formats.records import (
    GivenStatement,
    JudgmentRecord,
    JudgmentRow,
    PassageRecord,
    QuestionRecord,
    QuestionRow,
    ResponseRecord,
    Where,
)
from annotate.formats.spans import spans_of_json
from annotate.models import (
    Judge,
    Judgment,
    Question,
    Response,
    Source,
    Study,
    Unit,
    in_slices,
)
from annotate.models.judging import COUNTED, COUNTS, JudgmentQuerySet
from annotate.models.wording import version_in
from annotate.protocol.natural import natural
from annotate.text import Segmentation
from annotate.uploads.dividing import divide
from annotate.uploads.question_files import candidates_of, record_of

CHUNK = 500
QUESTIONS = 50
"""Questions with a hundred passages each that are held at a time."""

OF_RESPONSE = ("system", "run", "question_id")
OF_PASSAGE = ("n", "id", "url", "title", "text", "published", "retrieved", "page", "metadata")
"""Columns of a response and of a passage, in tables."""


def output_lines(study: Study, *, slices: Sequence[str] = ()) -> Iterator[str]:
    """Every response that counts (of some slices of the questions), one line of Attest's own format
    each."""
    for records in response_records(study, slices=slices):
        for _, record in records:
            yield write_response(record)


def question_lines(study: Study, *, slices: Sequence[str] = ()) -> Iterator[str]:
    """Every question that a file has by itself, one line each."""
    yield from map(write_question, question_rows(study, slices=slices))


def question_rows(study: Study, *, slices: Sequence[str] = ()) -> Iterator[QuestionRow]:
    """Every question that a file has by itself (of some slices), with the passages that were ranked
    for it."""
    rows = Question.objects.listed().filter(study=study).within(slices).order_by("pk")
    last = 0
    while some := list(rows.filter(pk__gt=last)[:QUESTIONS]):
        last, passages = some[-1].pk, candidates_of([one.pk for one in some])
        for one in some:
            ranked = tuple(record_of(row, texts=True) for row in passages[one.pk])
            yield QuestionRow(Where(), question_record(one), ranked)


def response_records(
    study: Study, *, slices: Sequence[str] = ()
) -> Iterator[list[tuple[Response, ResponseRecord]]]:
    """Every response that counts with its record as a file would have it, some hundreds at once."""
    for responses in _chunks(study, slices):
        yield records_of(responses)


def units(study: Study, *, slices: Sequence[str] = ()) -> Iterator[tuple[Response, str, Unit]]:
    """Every unit that counts, with its response and the id of its question, in the order of
    loading."""
    for responses in _chunks(study, slices):
        by_key = {response.pk: response for response in responses}
        names = Question.objects.filter(pk__in=[r.question_id for r in responses])
        questions = dict(names.values_list("pk", "external_id"))
        found = Unit.objects.filter(response__in=responses, retired_at__isnull=True)
        found = found.select_related("parent", "source", "other__system")
        for unit in found.order_by("response_id", "pk").iterator(chunk_size=5_000):
            response = by_key[unit.response_id]
            yield response, questions[response.question_id], unit


def divided(study: Study) -> Iterator[list[tuple[Response, Segmentation]]]:
    """Every response that counts, divided once more as the study says, some hundreds at once."""
    for some in response_records(study):
        yield [
            (response, divide(record, study.division, has_statements=study.has_statements))
            for response, record in some
        ]


def records_by_key(study: Study, keys: Sequence[int]) -> list[tuple[Response, ResponseRecord]]:
    """Those of some responses of a study that still count, in the order of loading."""
    current = Response.objects.current().filter(study=study)
    found = []
    for first in range(0, len(keys), CHUNK):
        rows = current.filter(pk__in=keys[first : first + CHUNK]).select_related("system")
        found += records_of(list(rows.order_by("pk")))
    return found


def records_of(responses: list[Response]) -> list[tuple[Response, ResponseRecord]]:
    """Some responses, each with its record as a file would have it."""
    questions = Question.objects.in_bulk([r.question_id for r in responses])
    sources = _sources(responses)
    units = _given_units(responses)
    return [
        (
            response,
            _record(
                response,
                questions[response.question_id],
                sources[response.pk],
                units.get(response.pk),
            ),
        )
        for response in responses
    ]


def question_record(question: Question) -> QuestionRecord:
    return QuestionRecord(
        text=question.text,
        external_id=question.external_id,
        references=question.references,
        metadata=question.metadata,
        language=question.language,
    )


def judgment_rows(
    study: Study, *, counted: bool = False, slices: Sequence[str] = ()
) -> Iterator[JudgmentRow]:
    """Every judgment on responses that count, by response, unit, dimension and judge.

    With `counted`, only those that count themselves; with `slices`, only of questions in these.
    """
    missing = _missing(study, counted=counted)
    return _rows_without(study, missing, counted=counted, slices=slices)


def _missing(study: Study, *, counted: bool) -> dict[str, Any]:
    """The columns that the file has not, with what stands in a row instead."""
    missing: dict[str, Any] = {}
    if not has_standing(study, counted=counted):
        missing |= {"standing": "", "counted": ""}
    if not has_claims(study):
        missing["claim"] = None
    if not study.protocol.own:
        missing["version"] = None
    if not has_pairs(study):
        missing |= {"other_system": None, "other_run": None}
    return missing


def _rows_without(
    study: Study,
    missing: Mapping[str, Any],
    *,
    counted: bool,
    slices: Sequence[str],
    naturally: bool = False,
) -> Iterator[JudgmentRow]:
    """With `naturally`, each says its answer as JSON does, too."""
    for responses in _chunks(study, slices):
        told = _Natural(study, responses) if naturally else None
        for row in _rows_of(study, responses, told, counted=counted):
            yield replace(row, judgment=replace(row.judgment, **missing)) if missing else row


def _judgments(study: Study, *, counted: bool) -> JudgmentQuerySet:
    rows = Judgment.objects.counted() if counted else Judgment.objects.current()
    return rows.filter(judge__study=study).annotate(counted=COUNTED)


def has_standing(study: Study, *, counted: bool = False) -> bool:
    """Whether the rows say their judges' standing, and which of them count: where a rater in them
    is not active, or a row does not count."""
    says = ~COUNTS | ~Q(judge__standing=Judge.Standing.ACTIVE)
    return _judgments(study, counted=counted).filter(says).exists()


def has_claims(study: Study) -> bool:
    """Whether the rows bring claims that were written."""
    written = Judgment.objects.current().filter(dimension__in=study.protocol.writing)
    return written.filter(judge__study=study).exists()


def has_pairs(study: Study) -> bool:
    """Whether rows may be about pairs of responses."""
    pairs = Unit.objects.filter(other__isnull=False, response__study=study)
    return pairs.filter(judgments__isnull=False).exists()


def left_out(study: Study, slices: Sequence[str] = ()) -> int:
    """How many judgments `counted` leaves out."""
    some = in_slices(study, slices, "unit__response__question")
    return _judgments(study, counted=False).filter(~COUNTS, some).count()


def judgments_csv(
    study: Study, *, counted: bool = False, slices: Sequence[str] = ()
) -> Iterator[str]:
    missing = _missing(study, counted=counted)
    yield judgments_csv_header(
        standing="standing" not in missing,
        claims="claim" not in missing,
        versions="version" not in missing,
        pairs="other_system" not in missing,
    )
    for row in _rows_without(study, missing, counted=counted, slices=slices):
        yield write_judgment_csv(row)


def judgments_jsonl(
    study: Study, *, counted: bool = False, slices: Sequence[str] = ()
) -> Iterator[str]:
    missing = _missing(study, counted=counted)
    for row in _rows_without(study, missing, counted=counted, slices=slices, naturally=True):
        yield write_judgment_jsonl(row)


def _chunks(study: Study, slices: Sequence[str] = ()) -> Iterator[list[Response]]:
    last = 0
    current = Response.objects.current().filter(in_slices(study, slices), study=study)
    while True:
        found = list(current.filter(pk__gt=last).select_related("system").order_by("pk")[:CHUNK])
        if not found:
            return
        yield found
        last = found[-1].pk


def _sources(responses: list[Response]) -> dict[int, list[Source]]:
    found: dict[int, list[Source]] = defaultdict(list)
    rows = Source.objects.filter(response__in=responses).select_related("passage")
    for source in rows.order_by("response_id", "n"):
        found[source.response_id].append(source)
    return found


def _given_units(responses: list[Response]) -> dict[int, list[Unit]]:
    """The units of the responses whose own file divided them, by response."""
    given = [r.pk for r in responses if "|mode:given|" in r.segmentation]
    found: dict[int, list[Unit]] = {pk: [] for pk in given}
    for unit in Unit.objects.filter(response__in=given).order_by("pk"):
        found[unit.response_id].append(unit)
    return found


def _record(
    response: Response, question: Question, sources: list[Source], units: list[Unit] | None
) -> ResponseRecord:
    passages = {
        source.pk: PassageRecord(
            n=source.n,
            title=source.passage.title,
            text=source.passage.text,
            external_id=source.external_id,
            url=source.url,
            published=source.published,
            retrieved=source.retrieved,
            page=source.page,
            metadata=source.metadata,
        )
        for source in sources
    }
    return ResponseRecord(
        where=Where(),
        question=question_record(question),
        output=response.text,
        system=response.system.name,
        run=response.run,
        passages=tuple(passages.values()),
        is_list=response.is_list,
        statements=None if units is None else _given(units, passages),
        metadata=response.metadata,
        citations=spans_of_json(response.citations),
    )


def _given(units: list[Unit], passages: Mapping[int, PassageRecord]) -> tuple[GivenStatement, ...]:
    """The division that the response's own file brought."""
    text = units[0].text
    hanging: dict[int | None, list[PassageRecord]] = defaultdict(list)
    for unit in units:
        if unit.kind == "citation" and unit.source_id is not None:
            hanging[unit.parent_id].append(passages[unit.source_id])
    return tuple(
        GivenStatement(text[unit.start : unit.end].strip(), tuple(hanging[unit.pk]))
        for unit in units
        if unit.kind == "statement"
    )


class _Natural:
    """What answers about some responses say as JSON. Their texts are read once words are marked."""

    def __init__(self, study: Study, responses: list[Response]) -> None:
        self._protocol, self._responses = study.protocol, responses

    @cached_property
    def _texts(self) -> dict[int, dict[int, str]]:
        sources = _sources(self._responses)
        return {pk: {one.n: one.passage.text for one in some} for pk, some in sources.items()}

    def of(self, judgment: Judgment) -> Any:
        asked, unit = self._protocol[judgment.dimension], judgment.unit
        if asked.is_choice or not judgment.value:
            return None
        texts: Mapping[int, str] = {}
        if asked.answer == "spans" and asked.marks == "passages":
            texts = self._texts.get(unit.response_id, {})
        elif asked.answer == "spans":
            texts = {0: unit.judged_text}
        return natural(asked, judgment.value, texts)


def _rows_of(
    study: Study, responses: list[Response], told: _Natural | None, *, counted: bool
) -> Iterator[JudgmentRow]:
    by_response: dict[int, list[Judgment]] = defaultdict(list)
    found = _judgments(study, counted=counted).filter(unit__response__in=responses)
    related = found.select_related("unit__other__system", "judge")
    if told is not None:
        related = related.select_related("unit__parent")
    for judgment in related.iterator(chunk_size=5_000):
        by_response[judgment.unit.response_id].append(judgment)
    order = study.protocol.order

    def place(judgment: Judgment) -> tuple[int, int, str]:
        return judgment.unit_id, order[judgment.dimension], judgment.judge.name

    questions = dict(
        Question.objects.filter(pk__in=[r.question_id for r in responses]).values_list(
            "pk", "external_id"
        )
    )
    for response in responses:
        for judgment in sorted(by_response[response.pk], key=place):
            yield JudgmentRow(
                where=Where(),
                study=study.slug,
                system=response.system.name,
                run=response.run,
                question_id=questions[response.question_id],
                judgment=_judgment_record(judgment, judgment.unit, told),
            )


def _judgment_record(judgment: Judgment, unit: Unit, told: _Natural | None) -> JudgmentRecord:
    return JudgmentRecord(
        unit=unit.key,
        dimension=judgment.dimension,
        judge=judgment.judge.name,
        judge_kind=judgment.judge.kind,  # type: ignore[arg-type]  # the database checks it
        value=judgment.value,
        score=judgment.score,
        skipped_reason=judgment.skipped_reason,
        seconds=judgment.seconds,
        note=judgment.note,
        created=judgment.created_at.isoformat(),
        standing=judgment.judge.standing,
        counted=judgment.counted,  # type: ignore[attr-defined]  # by the query
        claim=judgment.claim,
        version=str(version_in(judgment.wording)),
        answer=None if told is None else told.of(judgment),
        other_system=unit.other.system.name if unit.other is not None else "",
        other_run=unit.other.run if unit.other is not None else "",
    )

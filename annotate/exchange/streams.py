"""Export everything in a study again: streamed, in the order it was loaded.

The order depends only on the order of loading and on names. Exporting, importing into an empty
study and exporting again therefore gives the same bytes.
"""

import json
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
from annotate.formats.spans import spans_as_json, spans_of_json
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
"""Questions in memory at a time, each with up to a hundred passages."""

OF_RESPONSE = ("system", "run", "question_id")
OF_PASSAGE = ("n", "id", "url", "title", "text", "published", "retrieved", "page", "metadata")
"""Columns of responses and passages in tables."""


def output_lines(study: Study, *, slices: Sequence[str] = ()) -> Iterator[str]:
    """Yield every response that counts, each as one line of Attest's own format."""
    for records in response_records(study, slices=slices):
        for _, record in records:
            yield write_response(record)


def question_lines(study: Study, *, slices: Sequence[str] = ()) -> Iterator[str]:
    """Yield every question that a file has without answers, one line each."""
    yield from map(write_question, question_rows(study, slices=slices))


def question_rows(study: Study, *, slices: Sequence[str] = ()) -> Iterator[QuestionRow]:
    """Yield every question that a file has without answers, with its ranked passages."""
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
    """Yield every response that counts with its record, some hundreds at a time."""
    for responses in _chunks(study, slices):
        yield records_of(responses)


def units(study: Study, *, slices: Sequence[str] = ()) -> Iterator[tuple[Response, str, Unit]]:
    """Yield every unit that counts, with its response and question id, in load order."""
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
    """Yield every response that counts, divided again by the study's settings."""
    for some in response_records(study):
        yield [
            (response, divide(record, study.division, has_statements=study.has_statements))
            for response, record in some
        ]


def records_by_key(study: Study, keys: Sequence[int]) -> list[tuple[Response, ResponseRecord]]:
    """Return the records of some responses that still count, in load order."""
    current = Response.objects.current().filter(study=study)
    found = []
    for first in range(0, len(keys), CHUNK):
        rows = current.filter(pk__in=keys[first : first + CHUNK]).select_related("system")
        found += records_of(list(rows.order_by("pk")))
    return found


def records_of(responses: list[Response]) -> list[tuple[Response, ResponseRecord]]:
    """Return some responses, each with its record as a file would have it."""
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
    """Yield judgments on responses that count, by response, unit, dimension and judge. With
    `counted`, only rows that count themselves; with `slices`, only of their questions."""
    missing = _missing(study, counted=counted)
    return _rows_with(study, missing, counted=counted, slices=slices)


def _missing(study: Study, *, counted: bool) -> dict[str, Any]:
    """Return the columns that the file omits, with their values in a row."""
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


def _rows_with(
    study: Study,
    missing: Mapping[str, Any],
    *,
    counted: bool,
    slices: Sequence[str],
    naturally: bool = False,
) -> Iterator[JudgmentRow]:
    """Yield the rows. With `naturally`, each also has its answer as JSON."""
    for responses in _chunks(study, slices):
        natural_answers = _NaturalAnswers(study, responses) if naturally else None
        for row in _rows_of(study, responses, natural_answers, counted=counted):
            yield replace(row, judgment=replace(row.judgment, **missing)) if missing else row


def _judgments(study: Study, *, counted: bool) -> JudgmentQuerySet:
    rows = Judgment.objects.counted() if counted else Judgment.objects.current()
    return rows.filter(judge__study=study).annotate(counted=COUNTED)


def has_standing(study: Study, *, counted: bool = False) -> bool:
    """Return whether rows have standings: a rater is not active, or a row does not count."""
    says = ~COUNTS | ~Q(judge__standing=Judge.Standing.ACTIVE)
    return _judgments(study, counted=counted).filter(says).exists()


def has_claims(study: Study) -> bool:
    """Return whether the rows have written claims."""
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
    for row in _rows_with(study, missing, counted=counted, slices=slices):
        yield write_judgment_csv(row)


def judgments_jsonl(
    study: Study, *, counted: bool = False, slices: Sequence[str] = ()
) -> Iterator[str]:
    missing = _missing(study, counted=counted)
    for row in _rows_with(study, missing, counted=counted, slices=slices, naturally=True):
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
    """Return the units of responses that their own file divided, by response."""
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
    """Return the division in the response's own file."""
    text = units[0].text
    by_statement: dict[int | None, list[PassageRecord]] = defaultdict(list)
    for unit in units:
        if unit.kind == "citation" and unit.source_id is not None:
            by_statement[unit.parent_id].append(passages[unit.source_id])
    return tuple(
        GivenStatement(text[unit.start : unit.end].strip(), tuple(by_statement[unit.pk]))
        for unit in units
        if unit.kind == "statement"
    )


class _NaturalAnswers:
    """The answers about some responses as JSON. Texts are read once words are marked."""

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
    study: Study,
    responses: list[Response],
    natural_answers: _NaturalAnswers | None,
    *,
    counted: bool,
) -> Iterator[JudgmentRow]:
    by_response: dict[int, list[Judgment]] = defaultdict(list)
    found = _judgments(study, counted=counted).filter(unit__response__in=responses)
    related = found.select_related("unit__other__system", "judge")
    if natural_answers is not None:
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
                judgment=_judgment_record(judgment, judgment.unit, natural_answers),
            )


def _judgment_record(
    judgment: Judgment, unit: Unit, natural_answers: _NaturalAnswers | None
) -> JudgmentRecord:
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
        counted=judgment.counted,  # type: ignore[attr-defined]  # annotated by the query
        claim=judgment.claim,
        version=str(version_in(judgment.wording)),
        answer=None if natural_answers is None else natural_answers.of(judgment),
        other_system=unit.other.system.name if unit.other is not None else "",
        other_run=unit.other.run if unit.other is not None else "",
    )


def grouped_rows(study: Study, slices: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    for records in response_records(study, slices=slices):
        yield [_response_row(record) for _, record in records]


def response_rows(study: Study, slices: Sequence[str]) -> Iterator[dict[str, Any]]:
    for group in grouped_rows(study, slices):
        yield from group


def _response_row(record: ResponseRecord) -> dict[str, Any]:
    """Return a response with everything that belongs to it; variable parts are JSON."""
    statements = record.statements or ()
    return {
        "system": record.system,
        "run": record.run,
        "question_id": record.question.external_id,
        "question": record.question.text,
        "language": record.question.language,
        "references": _json(record.question.references),
        "question_metadata": _json(record.question.metadata),
        "output": record.output,
        "is_list": record.is_list,
        "passages": [passage_row(passage) for passage in record.passages],
        "citations": [{"quote": "", **one} for one in spans_as_json(record.citations)],
        "statements": [{"text": s.text, "passages": [p.n for p in s.passages]} for s in statements],
        "metadata": _json(record.metadata),
    }  # fmt: skip


def passage_row(p: PassageRecord) -> dict[str, Any]:
    return {
        "n": p.n, "id": p.external_id, "url": p.url, "title": p.title, "text": p.text,
        "published": p.published, "retrieved": p.retrieved, "page": p.page,
        "metadata": _json(p.metadata),
    }  # fmt: skip


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, sort_keys=True) if value else ""

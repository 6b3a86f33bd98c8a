"""Responses as rows, with all that belongs to them; what has no fixed shape is JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotate.exchange import streams
from annotate.formats.records import PassageRecord, ResponseRecord
from annotate.formats.spans import spans_as_json
from annotate.models import Study


def grouped_rows(study: Study, slices: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    for records in streams.response_records(study, slices=slices):
        yield [_row(record) for _, record in records]


def response_rows(study: Study, slices: Sequence[str]) -> Iterator[dict[str, Any]]:
    for group in grouped_rows(study, slices):
        yield from group


def _row(record: ResponseRecord) -> dict[str, Any]:
    """A response with all that belongs to it; what has no fixed shape is JSON."""
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

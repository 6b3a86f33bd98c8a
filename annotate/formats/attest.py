"""Attest's own outputs, one response per line, described by `response.schema.json`.

This module also checks what a schema cannot express: passage numbers are unique, statements and
spans cite existing passages, and spans are within the output.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from annotate.formats.fields import Fields, merged
from annotate.formats.json_records import json_lines, records_of
from annotate.formats.limits import LONG_NAME_CHARS, RUN_CHARS, Limits
from annotate.formats.problems import shown
from annotate.formats.reading import Beginning, Format, Reading, Records, example_of
from annotate.formats.records import (
    GivenStatement,
    PassageRecord,
    QuestionRecord,
    ResponseRecord,
)
from annotate.formats.references import take_references
from annotate.formats.spans import take_number, take_spans
from annotate.protocol.slices import DATASET
from annotate.text import is_language

SCHEMA_PATH = Path(__file__).with_name("response.schema.json")
LANGUAGE_CHARS = 35


@cache
def response_schema() -> dict[str, Any]:
    """Return the JSON Schema of one line."""
    schema: dict[str, Any] = json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))
    return schema


def records(reading: Reading) -> Records:
    """Yield one response for each line."""
    lines = json_lines(reading.source)
    return records_of(
        lines,
        reading.limits,
        lambda fields: with_names(response(fields, reading.limits), reading),
    )


def with_names(record: ResponseRecord, reading: Reading) -> ResponseRecord:
    """Return the record with the file's system and run where it has none of its own."""
    return replace(
        record,
        system=record.system or reading.system,
        run=record.run or reading.run,
        is_list=reading.is_list(record.is_list),
    )


def response(fields: Fields, limits: Limits) -> ResponseRecord:
    """Return the response of a line, and add faults to the fields' problems."""
    question = question_of(fields)
    system = fields.name("system", required=True, blank=True)
    run = fields.name("run", longest=RUN_CHARS)
    output = fields.text("output")
    passages = passages_of(fields, limits)
    by_number = {passage.n: passage for passage in passages if passage.n}
    is_list = fields.take("is_list")
    if is_list is not None and not isinstance(is_list, bool):
        fields.complain("is_list", "true or false", shown(is_list))
    statements = _statements(fields, by_number)
    citations = take_spans(fields, output, by_number)
    if citations and statements is not None:
        expected = "none with statements, which have their own citations"
        fields.complain("citations", expected, f"{len(citations):,}")
    metadata = fields.object("metadata")
    return ResponseRecord(
        where=fields.where,
        question=question,
        output=output,
        system=system,
        run=run,
        passages=tuple(passages),
        is_list=is_list is True,
        statements=statements,
        metadata=merged(metadata, fields.rest()),
        citations=citations,
    )


def passages_of(fields: Fields, limits: Limits) -> list[PassageRecord]:
    """Return the passages of a line. Each has a number of its own."""
    passages = [_passage(item) for item in fields.passages("passages", limits)]
    seen: set[int] = set()
    for index, passage in enumerate(passages):
        if passage.n in seen:
            fields.complain(f"passages[{index}].n", "each number once", f"{passage.n} again")
        seen |= {passage.n} - {0}
    return passages


def question_of(fields: Fields) -> QuestionRecord:
    """Return the question of a line."""
    value = fields.take("question")
    if not isinstance(value, dict):
        fields.complain("question", "an object with a text", shown(value))
        return QuestionRecord("")
    question = Fields(value, fields.where, fields.problems, prefix="question")
    external_id = question.name("id")
    text = question.text("text", blank=False)
    given = question.object("references")
    known = Fields(given, fields.where, fields.problems, prefix="question.references")
    take_references(known)
    unknown = known.rest()
    references = {k: v for k, v in given.items() if k in unknown or v is not None}
    language = question.name("language", longest=LANGUAGE_CHARS)
    if language and not is_language(language):
        question.complain("language", "the code of a language, as en or zh-Hant", shown(language))
    dataset = question.name(DATASET)
    kept = {DATASET: dataset} if dataset else {}
    metadata = merged(question.object("metadata"), kept | question.rest())
    return QuestionRecord(text, external_id, references, metadata, language)


def add_metadata(question: QuestionRecord, more: Mapping[str, Any]) -> QuestionRecord:
    """Return the question with more metadata."""
    return replace(question, metadata=merged(question.metadata, more)) if more else question


def _passage(fields: Fields) -> PassageRecord:
    n = take_number(fields, "n", fields.take("n"))
    title = fields.text("title")
    text = fields.text("text")
    external_id = fields.name("id", longest=LONG_NAME_CHARS)
    url = fields.optional_text("url")
    if url and not url.startswith(("http://", "https://")):
        fields.complain("url", "an address that starts with http:// or https://", shown(url))
    return PassageRecord(
        n,
        title,
        text,
        external_id,
        url,
        published=fields.name("published"),
        retrieved=fields.name("retrieved"),
        page=fields.name("page"),
        metadata=merged(fields.object("metadata"), fields.rest()),
    )


def _statements(
    fields: Fields, by_number: dict[int, PassageRecord]
) -> tuple[GivenStatement, ...] | None:
    """Return the statements that the file gives; None if it gives none."""
    if not fields.has("statements"):
        fields.take("statements")
        return None
    statements = []
    for statement in fields.objects("statements"):
        text = statement.text("text", blank=False)
        cited = []
        for index, value in enumerate(statement.items("passages")):
            n = take_number(statement, f"passages[{index}]", value)
            if n in by_number:
                cited.append(by_number[n])
            elif n:
                statement.complain(f"passages[{index}]", "the number of a passage", str(n))
        for name in statement.rest():
            statement.complain(name, "the fields text and passages only", "another one")
        statements.append(GivenStatement(text, tuple(cited)))
    return tuple(statements)


def _begins_so(beginning: Beginning) -> bool:
    """Accept a question object, or system and passages with a question that is not a text. If
    the question is a text, the file is a table with such columns."""
    value = beginning.members
    question = value.get("question")
    has_fields = value.keys() >= {"system", "passages"} and not isinstance(question, str)
    return isinstance(question, dict) or has_fields


FORMAT = Format(
    key="attest",
    title="Attest responses",
    extensions=(".jsonl",),
    kind="outputs",
    description="One response a line, with its question and passages; has a JSON Schema.",
    example=example_of("attest.jsonl"),
    begins_so=_begins_so,
    records=records,
)

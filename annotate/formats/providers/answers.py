"""Providers' answers as saved JSON, each with its question or request.

An answer is the whole record, under `response`, or in the form of batch results.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from annotate.formats.fields import Fields, merged
from annotate.formats.json_records import first_record, json_records, records_of
from annotate.formats.limits import RUN_CHARS
from annotate.formats.passages_file import Find, with_passages
from annotate.formats.problems import shown
from annotate.formats.providers import anthropic, cohere, gemini, openai, perplexity
from annotate.formats.providers.draft import Draft
from annotate.formats.reading import Beginning, Format, Reading, Records, example_of
from annotate.formats.records import QuestionRecord, ResponseRecord

Members = Mapping[str, Any]


class Provider(NamedTuple):
    """How to recognise and read one provider's answers."""

    is_answer: Callable[[Members], bool]
    read: Callable[[Fields, Members, Draft], None]


PROVIDERS = (
    Provider(perplexity.is_answer, perplexity.read),
    Provider(openai.is_chat, openai.read_chat),
    Provider(gemini.is_answer, gemini.read),
    Provider(anthropic.is_answer, anthropic.read),
    Provider(cohere.is_version_2, cohere.read_version_2),
    Provider(openai.is_responses, openai.read_responses),
    Provider(cohere.is_version_1, cohere.read_version_1),
)
ANSWER_KEYS = ("response", "result", "answer")
"""Keys that an answer may be under, if it is not the whole record."""

IDS = ("question_id", "custom_id", "key")
REQUEST_FIELDS = ("messages", "input", "contents", "message")
"""Fields of a request with its question."""


def _responses(reading: Reading, find: Find | None) -> Records:
    """Yield a response for each answer."""
    lines = json_records(reading.source)
    return records_of(lines, reading.limits, lambda fields: _response(fields, reading, find))


def _response(fields: Fields, reading: Reading, find: Find | None) -> ResponseRecord | None:
    value = fields.rest()
    path, answer = _answer_in(fields, value)
    found = answer.rest()
    provider = _provider_of(found)
    if provider is None:
        error = found.get("error") or found.get("errors")
        seen = f"an error, {shown(error)}" if error else shown(dict(found))
        expected = "an answer of OpenAI, Anthropic, Gemini, Perplexity or Cohere"
        fields.complain(".".join(path), expected, seen)
        return None
    request = fields.object("request")
    inner = request.get("body") or request.get("params")
    draft = Draft(find)
    provider.read(answer, {**value, **(inner if isinstance(inner, dict) else request)}, draft)
    draft.check(fields, reading.limits)
    question = _question(fields, draft)
    system = fields.name("system") if path else ""
    run = fields.name("run", longest=RUN_CHARS) if path else ""
    for name in (*path[:1], *REQUEST_FIELDS):
        fields.take(name)
    said = merged(answer.rest(), fields.rest() if path else {})
    metadata = {k: v for k, v in said.items() if v is not None and not isinstance(v, list)}
    if draft.samples:
        metadata["samples"] = draft.samples
    return ResponseRecord(
        where=fields.where,
        question=question,
        output=draft.text,
        system=system or draft.model or reading.system,
        run=run or reading.run,
        passages=tuple(draft.sources.values()),
        is_list=reading.is_list(False),
        metadata=metadata,
        citations=tuple(draft.spans),
    )


def _path_to(value: Members) -> list[str]:
    """Return the keys that lead to a record's answer; empty if it is the record."""
    path: list[str] = []
    for names in (ANSWER_KEYS, ("body",), ("message",) if "result" in value else ()):
        name = next((name for name in names if isinstance(value.get(name), dict)), "")
        if name and (name in ANSWER_KEYS or path):
            path.append(name)
            value = value[name]
    return path


def _answer_in(fields: Fields, value: Members) -> tuple[list[str], Fields]:
    path, answer = _path_to(value), fields
    for name in path:
        answer = answer.inside(name)
    return path, answer


def _provider_of(answer: Members) -> Provider | None:
    return next((each for each in PROVIDERS if each.is_answer(answer)), None)


def _question(fields: Fields, draft: Draft) -> QuestionRecord:
    """Return the question from the record, or else from its request."""
    is_object = isinstance(fields.take("question"), dict)
    given = fields.inside("question") if is_object else fields
    text = given.optional_text("text" if is_object else "question") or draft.question
    key = given.name("id") if is_object else ""
    key = key or next(filter(None, [fields.name(name) for name in IDS]), "")
    if not text.strip() and not key:
        expected = "the question, here or in the request next to the answer"
        fields.complain("question", expected, "nothing")
    return QuestionRecord(text if text.strip() else "", key)


def _begins_so(beginning: Beginning) -> bool:
    record = first_record(beginning)
    found: Any = record
    for name in _path_to(record):
        found = found[name]
    request = record.get("request")
    asks = {*REQUEST_FIELDS, "body", "params"}
    has_request = isinstance(request, dict) and bool(asks & request.keys())
    return _provider_of(found) is not None or has_request


FORMAT = Format(
    key="answers",
    title="Answers of providers (OpenAI, Anthropic, Gemini, Perplexity, Cohere)",
    extensions=(".json", ".jsonl"),
    kind="outputs",
    description="Answers as the providers' APIs returned them, with citations, each together with "
    "its question or request.",
    example=example_of("answers.json"),
    begins_so=_begins_so,
    records=lambda reading: with_passages(reading, _responses),
)

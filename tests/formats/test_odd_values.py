"""Unusual values in every place of every example: problems perhaps, but no crash."""

import copy
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from annotate.formats import FORMATS, recognise
from annotate.formats.division import divide_record
from annotate.formats.tables.guessing import guess
from annotate.text.file_division import SentenceNotFoundError
from tests.cases import each
from tests.formats.reading import outcome
from tests.formats.test_answers import anthropic, chat, gemini, openai

ODD: tuple[Any, ...] = (["a"], {"a": ["b"]}, "odd", 7, -0.5, True, None, [])
"""Kinds of values, more than one of which no place takes."""

LOOSE = {"question": {"text": "Q?", "id": "q"}, "system": "S"}
PLACE = {"start": 0, "end": 2, "text": "It"}
MORE: dict[str, list[Any]] = {
    "answers": [
        {**LOOSE, "response": answer}
        for answer in (
            anthropic(
                {"type": "web_fetch_tool_result", "content": {"url": "https://e.org/a", "content": {
                    "title": "P", "source": {"type": "text", "data": "So."}}}},
                {"type": "text", "text": "So.", "citations": [
                    {"type": "char_location", "document_index": 0, "cited_text": "So."}]},
            ),
            openai({"type": "file_citation", "file_id": "f", "filename": "n", "index": 3}),
            openai(output=[{"type": "file_search_call", "results": [
                {"file_id": "f", "filename": "n", "text": "T"}]}]),
            chat(annotations=[{"type": "url_citation", "url_citation": {
                "url": "https://e.org/a", "start_index": 0, "end_index": 2}}]),
            gemini({"partIndex": 1, "startIndex": 0, "endIndex": 6}),
            {**chat(), "citations": ["https://e.org/a"],
             "search_results": [{"url": "https://e.org/a", "snippet": "S", "date": "2024"}]},
            {"message": {"content": [{"type": "text", "text": "It is."}], "citations": [
                {**PLACE, "type": "TEXT_CONTENT", "content_index": 0,
                 "sources": [{"id": "d", "type": "document", "document": {"text": "D"}}]}]}},
            {"text": "It is.", "generation_id": "g", "documents": [{"id": "d", "text": "D"}],
             "citations": [{**PLACE, "document_ids": ["d"]}]},
        )
    ],
}  # fmt: skip
"""What an example of the documents does not show."""

TABLE = {"question": "Q?", "answer": "A [1].", "contexts": ["C"], "titles": ["T"], "urls": ["u"],
         "doc_ids": ["d"], "ground_truth": ["G"], "claims": ["c"], "question.tags": "t",
         "lang": "en", "dataset": "d", "run": "1", "id": "q", "model": "m", "extra": 1}  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    keys = value if isinstance(value, dict) else range(len(value) if isinstance(value, list) else 0)
    for key in keys:
        yield from places(value[key], (*path, key))


def changed(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    whole = copy.copy(value)
    whole[path[0]] = changed(value[path[0]], path[1:], odd)
    return whole


def values_of(key: str) -> list[Any]:
    """What the example of a format says as JSON: its records where they stand apart, else all as
    one; nothing of a CSV."""
    text = FORMATS[key].example
    try:
        value = json.loads(text)
    except ValueError:
        lines = text.splitlines()
        return [json.loads(line) for line in lines] if text.startswith("{") else []
    return value if isinstance(value, list) else [value]


@each("key", [key for key in FORMATS if values_of(key)])
def test_everywhere_in_an_example(key, tmp_path):
    """Where records stand one a line, all that are odd are read as one file."""
    is_by_lines = ".jsonl" in FORMATS[key].extensions
    for value in [*values_of(key), *MORE.get(key, [])]:
        whole = [json.dumps(changed(value, path, odd)) for path in places(value) for odd in ODD]
        for text in whole:
            recognise(text.encode())
        files = ["\n".join([json.dumps(value), *whole])] if is_by_lines else whole
        found = [outcome(tmp_path / "odd", file, key) for file in files]
        assert any(one.problems for one in found)
        for record in (record for one in found for record in one.responses):
            with suppress(SentenceNotFoundError):
                divide_record(record)


def test_everywhere_in_a_table(tmp_path):
    rows = [changed(TABLE, path, odd) for path in places(TABLE) if path for odd in ODD]
    options = {"mapping": guess([TABLE], list(TABLE))}
    assert "question_metadata" in options["mapping"].columns.values()
    found = outcome(tmp_path / "odd", "\n".join(map(json.dumps, rows)), "table", **options)
    assert found.problems
    for record in found.responses:
        divide_record(record)
    for row in rows:
        guess([row], list(row))

"""The registry of file formats, and the recognition of a file's format by its beginning.

Each format is registered by one line here, or by an entry point of the group `attest.formats` in
another package.
"""

import csv
import io
from pathlib import Path
from typing import Final

from annotate.formats.json_values import json_beginning
from annotate.formats.open_file import HEAD_BYTES, SAVE_AS_UTF_8, binary_advice, binary_kind
from annotate.formats.problems import listed, quoted
from annotate.formats.reading import Beginning, Format
from annotate.formats.records import Problem, Where
from annotate.formats.tables.kinds import is_qrels
from annotate.protocol.registry import Registry

FORMATS: Final = Registry(
    "attest.formats",
    Format,
    {
        "judgments-jsonl": "annotate.formats.judgments:JSONL",
        "judgments": "annotate.formats.judgments:CSV",
        "references-jsonl": "annotate.formats.references:JSONL",
        "references": "annotate.formats.references:CSV",
        "trec-support": "annotate.formats.trec_judgments:SUPPORT_FORMAT",
        "trec-assignments": "annotate.formats.trec_judgments:ASSIGNMENTS",
        "trec-nuggets": "annotate.formats.trec_judgments:NUGGETS_FORMAT",
        "captures": "annotate.formats.captures:FORMAT",
        "questions": "annotate.formats.question_rows:OWN",
        "alce-questions": "annotate.formats.question_rows:ALCE",
        "answers": "annotate.formats.providers.answers:FORMAT",
        "attest": "annotate.formats.attest:FORMAT",
        "aqa-ratings": "annotate.formats.attributed_qa:RATINGS",
        "aqa-predictions": "annotate.formats.attributed_qa:PREDICTIONS",
        "trec-biogen": "annotate.formats.trec_biogen:FORMAT",
        "trec-rag": "annotate.formats.trec_runs:FORMAT",
        "ragas": "annotate.formats.samples:RAGAS",
        "deepeval": "annotate.formats.samples:DEEPEVAL",
        "trulens": "annotate.formats.samples:TRULENS",
        "llamaindex": "annotate.formats.samples:LLAMAINDEX",
        "alce": "annotate.formats.alce:FORMAT",
        "alce-citations": "annotate.formats.alce_human:CITATIONS",
        "alce-utility": "annotate.formats.alce_human:UTILITY",
        "table": "annotate.formats.tables.outputs:FORMAT",
        "table-judgments": "annotate.formats.tables.judgments:FORMAT",
    },
)
"""The first format that accepts a file wins. Put a format above others that also accept its
files."""


def formats_listed(*kinds: str) -> list[Format]:
    """Return the formats of these kinds (default: all), ordered by key."""
    found = [each for each in FORMATS.values() if not kinds or each.kind in kinds]
    return sorted(found, key=lambda each: each.key)


QRELS = "relevance judgments (qrels)"
_SPACE = " \t\r\n"


def recognise(path_or_head: Path | bytes) -> str | None:
    """Return the key of the format of a file, or of its first bytes; None if unknown."""
    text, _ = _text_in(_head(path_or_head))
    if not text:
        return None
    beginning = beginning_of(text)
    return next((key for key, each in FORMATS.items() if each.begins_so(beginning)), None)


def unrecognised(path_or_head: Path | bytes, filename: str = "") -> Problem:
    """Describe a file in no known format, and say what to do about it."""
    head = _head(path_or_head)
    text, fault = _text_in(head)
    found = fault or _description(beginning_of(text))
    named = f"{found} named {quoted(filename)}" if filename else found
    kind = binary_kind(head)
    advice = binary_advice(kind) if kind else ""
    if "not UTF-8" in found:
        advice = SAVE_AS_UTF_8
    elif found == QRELS:
        advice = (
            "They are about documents and not about answers: bring them to the tool “Measure "
            "retrieval”."
        )
    elif found.startswith("a passages file"):
        advice = (
            "Upload it together with the outputs that it belongs to. Where these are here without "
            "their texts, choose the format “Captured pages”."
        )
    return Problem(Where(), "a file in one of the formats that Attest reads", named, advice)


def _head(path_or_head: Path | bytes) -> bytes:
    if isinstance(path_or_head, bytes):
        return path_or_head[:HEAD_BYTES]
    with path_or_head.open("rb") as file:
        return file.read(HEAD_BYTES)


def _text_in(head: bytes) -> tuple[str, str]:
    """Return the first text of a file, or an empty text and what the file is instead."""
    if not head:
        return "", "an empty file"
    if kind := binary_kind(head):
        return "", kind
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3 or len(head) < HEAD_BYTES:
            byte = f"byte 0x{head[error.start]:02X} at offset {error.start:,}"
            return "", f"text that is not UTF-8 ({byte})"
        text = head[: error.start].decode("utf-8-sig")
    text = text.strip(_SPACE)
    return text, "" if text else "nothing but white space"


def beginning_of(text: str) -> Beginning:
    """Parse a text that is not empty as JSON, or else as CSV."""
    if text[0] in "{[":
        return Beginning(text, value=json_beginning(text))
    if text[0] == "<":
        return Beginning(text)  # a page may have commas
    return Beginning(text, columns=frozenset(_columns(text)))


def _columns(text: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(text, newline=""), strict=True), [])
    except csv.Error:
        return []


def _description(beginning: Beginning) -> str:
    """Describe a file that no format accepts."""
    text = beginning.text
    if isinstance(beginning.value, list):
        first = beginning.first_object
        return f"a JSON list of {f'objects with {listed(first)}' if first else 'no objects'}"
    if beginning.value is not None:
        return _object_description(beginning)
    if text[0] == "<":
        return f"an HTML or XML page that starts with {quoted(text[:30])}"
    if is_qrels(text):
        return QRELS
    columns = _columns(text)
    if len(columns) > 1:
        return f"a CSV with the columns {listed(columns)}"
    for sign, name in ((";", "semicolons"), ("\t", "tabs")):
        if columns and sign in text.split("\n", 1)[0]:
            return f"columns separated by {name} (commas are needed)"
    return f"text that starts with {quoted(text[:40])}"


def _object_description(beginning: Beginning) -> str:
    keys = beginning.members.keys()
    if keys >= {"id", "contents"}:
        return "a passages file of Attributed QA"
    if keys >= {"question", "output"}:
        return f"JSON Lines of objects with {listed(keys)} (question must be an object)"
    return f"a JSON object with the keys {listed(keys)}" if keys else "an empty JSON object"

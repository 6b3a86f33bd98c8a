"""The formats that Attest reads, and the one that a file is in."""

import csv
import io
from pathlib import Path
from typing import Final

from annotate.formats.json_values import json_beginning
from annotate.formats.open_file import HEAD_BYTES, SAVE_AS_UTF_8, advice_for, not_text
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
"""A file is in the first of these that takes it: what others would take as well stands above them.
"""


def formats_listed(*kinds: str) -> list[Format]:
    """Those of these kinds (of any, where none is named), as people are shown them."""
    found = [each for each in FORMATS.values() if not kinds or each.kind in kinds]
    return sorted(found, key=lambda each: each.key)


QRELS = "relevance judgments (qrels)"
_SPACE = " \t\r\n"


def recognise(path_or_head: Path | bytes, filename: str = "") -> str | None:
    """The key of the format that a file, or its first bytes, is in; None where it is none."""
    found = _text_of(_head(path_or_head))
    if isinstance(found, NoText):
        return None
    beginning = beginning_of(found)
    return next((key for key, each in FORMATS.items() if each.begins_so(beginning)), None)


def unrecognised(path_or_head: Path | bytes, filename: str = "") -> Problem:
    """What a file that is in no known format looks like, and what to do about it."""
    head = _head(path_or_head)
    text = _text_of(head)
    found = text.found if isinstance(text, NoText) else _seen(beginning_of(text))
    named = f"{found} named {quoted(filename)}" if filename else found
    kind = not_text(head)
    advice = advice_for(kind) if kind else ""
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


class NoText:
    """A file that is in no format at all, and what it is instead."""

    def __init__(self, found: str) -> None:
        self.found = found


def _head(path_or_head: Path | bytes) -> bytes:
    if isinstance(path_or_head, bytes):
        return path_or_head[:HEAD_BYTES]
    with path_or_head.open("rb") as file:
        return file.read(HEAD_BYTES)


def _text_of(head: bytes) -> str | NoText:
    """The first text of a file."""
    if not head:
        return NoText("an empty file")
    if kind := not_text(head):
        return NoText(kind)
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3 or len(head) < HEAD_BYTES:
            byte = f"byte 0x{head[error.start]:02X} at offset {error.start:,}"
            return NoText(f"text that is not UTF-8 ({byte})")
        text = head[: error.start].decode("utf-8-sig")
    return text.strip(_SPACE) or NoText("nothing but white space")


def beginning_of(text: str) -> Beginning:
    """What a text that is not empty says as JSON, or else as CSV."""
    if text[0] in "{[":
        return Beginning(text, value=json_beginning(text))
    if text[0] == "<":
        return Beginning(text)  # a page, which may hold commas
    return Beginning(text, columns=frozenset(_columns(text)))


def _columns(text: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(text, newline=""), strict=True), [])
    except csv.Error:
        return []


def _seen(beginning: Beginning) -> str:
    """What a file is that no format takes."""
    text = beginning.text
    if isinstance(beginning.value, list):
        first = beginning.first_object
        return f"a JSON list of {f'objects with {listed(first)}' if first else 'no objects'}"
    if beginning.value is not None:
        return _seen_object(beginning)
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


def _seen_object(beginning: Beginning) -> str:
    keys = beginning.members.keys()
    if keys >= {"id", "contents"}:
        return "a passages file of Attributed QA"
    if keys >= {"question", "output"}:
        return f"JSON Lines of objects with {listed(keys)} (question must be an object)"
    return f"a JSON object with the keys {listed(keys)}" if keys else "an empty JSON object"

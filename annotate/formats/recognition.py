"""Recognising a file's format from how it begins, whatever its name says."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotate.formats import aqa_predictions, aqa_ratings, judgment_fields
from annotate.formats.problems import listed, quoted
from annotate.formats.records import Problem, Where
from annotate.formats.source import HEAD_BYTES, SAVE_AS_UTF_8, advice_for, not_text

DEEPEST = 12
_SPACE = " \t\r\n"


def recognise(path_or_head: Path | bytes, filename: str = "") -> str | None:
    """The key of the format that a file, or its first bytes, is in; None where it is none."""
    key, _ = _look(_head(path_or_head))
    return key


def unrecognised(path_or_head: Path | bytes, filename: str = "") -> Problem:
    """What a file that is in no known format looks like, and what to do about it."""
    head = _head(path_or_head)
    _, found = _look(head)
    named = f"{found} named {quoted(filename)}" if filename else found
    kind = not_text(head)
    advice = advice_for(kind) if kind else ""
    if "not UTF-8" in found:
        advice = SAVE_AS_UTF_8
    elif found.startswith("a passages file"):
        advice = "Upload it together with the predictions that it belongs to."
    return Problem(Where(), "a file in one of the formats that Attest reads", named, advice)


def _head(path_or_head: Path | bytes) -> bytes:
    if isinstance(path_or_head, bytes):
        return path_or_head[:HEAD_BYTES]
    with path_or_head.open("rb") as file:
        return file.read(HEAD_BYTES)


def _look(head: bytes) -> tuple[str | None, str]:
    """The key of the format, or None and what was seen instead."""
    if not head:
        return None, "an empty file"
    if kind := not_text(head):
        return None, kind
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3 or len(head) < HEAD_BYTES:
            byte = f"byte 0x{head[error.start]:02X} at offset {error.start:,}"
            return None, f"text that is not UTF-8 ({byte})"
        text = head[: error.start].decode("utf-8-sig")
    text = text.strip(_SPACE)
    if not text:
        return None, "nothing but white space"
    if text[0] in "{[":
        return _look_at_json(text)
    if text[0] == "<":
        return None, f"an HTML or XML page that starts with {quoted(text[:30])}"
    return _look_at_csv(text)


def _look_at_csv(text: str) -> tuple[str | None, str]:
    try:
        columns = next(csv.reader(io.StringIO(text, newline=""), strict=True), [])
    except csv.Error:
        return None, f"text that starts with {quoted(text[:40])}"
    have = set(columns)
    if have >= set(judgment_fields.COLUMNS) or have >= {"unit", "dimension", "judge"}:
        return "judgments", ""
    if have >= set(aqa_ratings.COLUMNS):
        return "aqa-ratings", ""
    if have >= set(aqa_predictions.COLUMNS):
        return "aqa-predictions", ""
    if len(columns) > 1:
        return None, f"a CSV with the columns {listed(columns)}"
    for sign, name in ((";", "semicolons"), ("\t", "tabs")):
        if sign in text.split("\n", 1)[0]:
            return None, f"columns separated by {name} (commas are needed)"
    return None, f"text that starts with {quoted(text[:40])}"


def _look_at_json(text: str) -> tuple[str | None, str]:
    value, _ = _partial(text, 0, 0)
    if isinstance(value, list):
        first = next((item for item in value if isinstance(item, dict)), None)
        if first is not None and {"question", "output"} & first.keys():
            return "alce", ""
        what = f"objects with {listed(first)}" if first else "no objects"
        return None, f"a JSON list of {what}"
    keys = value.keys()
    if keys >= {"unit", "dimension"}:
        return "judgments-jsonl", ""
    if isinstance(value.get("question"), dict) or keys >= {"system", "passages"}:
        return "attest", ""
    if isinstance(value.get("data"), list) or isinstance(value.get("args"), dict):
        return "alce", ""
    if keys >= {"id", "contents"}:
        return None, "a passages file of Attributed QA"
    for item in _third_level(value):
        if "sentences" in item:
            return "alce-citations", ""
        if "utility_score" in item:
            return "alce-utility", ""
    if keys >= {"question", "output"}:
        return None, f"JSON Lines of objects with {listed(keys)} (question must be an object)"
    return None, f"a JSON object with the keys {listed(keys)}" if keys else "an empty JSON object"


def _third_level(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The items of `{dataset: {model file: {question id: item}}}`."""
    for models in value.values():
        for items in models.values() if isinstance(models, dict) else ():
            for key, item in items.items() if isinstance(items, dict) else ():
                if isinstance(item, dict) and key != "overall_results":
                    yield item


_decoder = json.JSONDecoder()


def _partial(text: str, at: int, depth: int) -> tuple[Any, int]:
    """What can be told of a JSON value that may be cut off, and where it ends."""
    at = _skip(text, at)
    if at >= len(text) or depth > DEEPEST:
        return None, len(text)
    try:
        if text[at] not in "{[" or depth > 2:
            value, end = _decoder.raw_decode(text, at)
            return value, end
    except (ValueError, RecursionError):
        if text[at] not in "{[":
            return None, len(text)
    return (
        _partial_object(text, at + 1, depth)
        if text[at] == "{"
        else _partial_list(text, at + 1, depth)
    )


def _partial_object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    members: dict[str, Any] = {}
    while True:
        at = _skip(text, at)
        if text[at : at + 1] == "}":
            return members, at + 1
        try:
            key, at = _decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return members, len(text)
        at = _skip(text, at)
        if not isinstance(key, str) or text[at : at + 1] != ":":
            return members, len(text)
        members[key], at = _partial(text, at + 1, depth + 1)
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at += 1


def _partial_list(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    values: list[Any] = []
    while True:
        at = _skip(text, at)
        if text[at : at + 1] == "]":
            return values, at + 1
        if at >= len(text):
            return values, at
        value, at = _partial(text, at, depth + 1)
        values.append(value)
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at += 1
        elif text[at : at + 1] != "]":
            return values, len(text)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at

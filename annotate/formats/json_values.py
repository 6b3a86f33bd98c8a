"""Decode JSON strictly, and as much as possible of a value that is cut off.

Values that Python's decoder accepts and a database cannot store are problems.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

from annotate.formats.limits import MAX_DEPTH, RAISE_FIELD_CHARS, Limits
from annotate.formats.problems import quoted
from annotate.formats.records import Problem, Where

LONGEST_INTEGER = 400


class StrictDecoder:
    """Decode one JSON value at a time; `repeated` lists duplicate keys of an object."""

    def __init__(self) -> None:
        self.repeated: list[str] = []
        self._json = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_int=_integer,
        )

    def decode_at(self, text: str, start: int) -> tuple[Any, int]:
        """Return the value that begins at `start`, and its end; raise as `json` does."""
        self.repeated.clear()
        return self._json.raw_decode(text, start)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen and key not in self.repeated:
                    self.repeated.append(key)
                seen.add(key)
        return members


def _integer(digits: str) -> int | float:
    """Return an integer, or infinity (a problem) if no database can store it."""
    return int(digits) if len(digits) <= LONGEST_INTEGER else math.inf


def value_problems(value: Any, where: Where, limits: Limits) -> Iterator[Problem]:
    """Yield everything in a decoded value that cannot be stored, at any depth."""
    if not _is_surely_fine(value, limits):
        yield from _problems(value, where, limits, "", 0)


def _is_surely_fine(value: Any, limits: Limits) -> bool:
    """Return whether a value certainly has no problem, as most values. It checks level by
    level and all texts at once. If unsure, it returns False, and each part is checked."""
    texts: list[str] = []
    level = [value]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for one in level:
            kind = one.__class__
            if kind is str:
                texts.append(one)
            elif kind is dict:
                texts += one
                inner += one.values()
            elif kind is list:
                inner += one
            elif kind is float and not math.isfinite(one):
                return False
        if not inner:
            break
        level = inner
    else:
        return False
    together = "".join(texts)
    if len(together) > limits.max_field_chars or "\0" in together:
        return False
    return together.isascii() or _is_whole(together)


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def text_problem(text: str, where: Where, limits: Limits) -> Problem | None:
    """Return why a text cannot be stored: its length, a NUL, or half a surrogate pair."""
    if len(text) > limits.max_field_chars:
        return Problem(
            where,
            f"at most {limits.max_field_chars:,} characters",
            f"{len(text):,} characters",
            RAISE_FIELD_CHARS,
        )
    if "\0" in text:
        return Problem(
            where,
            "text without NUL characters",
            f"a NUL character (U+0000) at character {text.index(chr(0)) + 1:,}",
            "Remove it: databases cannot store it.",
        )
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            return Problem(
                where,
                "whole characters",
                f"half of a surrogate pair (U+{ord(text[error.start]):04X}) "
                f"at character {error.start + 1:,}",
                "Remove it, or write both halves: databases cannot store one.",
            )
    return None


def _problems(value: Any, where: Where, limits: Limits, path: str, depth: int) -> Iterator[Problem]:
    if isinstance(value, str):
        if problem := text_problem(value, where.at(path), limits):
            yield problem
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield Problem(
                where.at(path),
                "a finite number",
                "NaN" if math.isnan(value) else "Infinity or a number too large to keep",
                "Write null, or leave the field out.",
            )
    elif isinstance(value, (dict, list)):
        if depth >= MAX_DEPTH:
            yield Problem(
                where.at(path[:80]), f"at most {MAX_DEPTH} levels of nesting", "deeper nesting"
            )
        elif isinstance(value, dict):
            for key, member in value.items():
                if text_problem(key, where, limits):
                    yield Problem(
                        where.at(path), "keys that can be stored", f"the key {quoted(key)}"
                    )
                else:
                    inner = f"{path}.{key}" if path else key
                    yield from _problems(member, where, limits, inner, depth + 1)
        else:
            for index, member in enumerate(value):
                yield from _problems(member, where, limits, f"{path}[{index}]", depth + 1)


DEEPEST = 12
_SPACE = " \t\r\n"

_decoder = json.JSONDecoder()


def json_beginning(text: str) -> Any:
    """Return as much as possible of the value at the beginning of the text."""
    value, _ = _cut_value(text, 0, 0)
    return value


def _cut_value(text: str, at: int, depth: int) -> tuple[Any, int]:
    """Return what is readable of a value that may be cut off, and its end."""
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
    return _cut_object(text, at + 1, depth) if text[at] == "{" else _cut_list(text, at + 1, depth)


def _cut_object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
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
        members[key], at = _cut_value(text, at + 1, depth + 1)
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at += 1


def _cut_list(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    values: list[Any] = []
    while True:
        at = _skip(text, at)
        if text[at : at + 1] == "]":
            return values, at + 1
        if at >= len(text):
            return values, at
        value, at = _cut_value(text, at, depth + 1)
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

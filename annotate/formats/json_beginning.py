"""What can be told of a JSON value whose end is not there."""

import json
from typing import Any

DEEPEST = 12
_SPACE = " \t\r\n"

_decoder = json.JSONDecoder()


def json_beginning(text: str) -> Any:
    """The value that the text begins with, as far as it goes."""
    value, _ = _partial(text, 0, 0)
    return value


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
